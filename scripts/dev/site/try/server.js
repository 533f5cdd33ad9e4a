// Who answers studio's page on the project's site: Python and LiteRT in two workers of this page, no server.

const $ = (id) => document.getElementById(id);
const data = await (await fetch("data.json")).json();
const state = { models: [], pictures: [], sizes: ["VGA"], fits: data.fits, families: data.families };
const models = new Map(); // id: {name, described, labels, bytes}
const pictures = new Map(); // id: canvas
const labelsOf = new Map(); // dropped labels, by the name of their model
const scores = new Map(); // of the ticks, by what they depend on
let resting; // until the ticks are looked for
let count = 0;
let hasOnnx = false;
let loaded = 0, whole = data.bytes; // of what is loading

// ---- the workers ----

function worker(url, options) {
  const made = new Worker(url, options);
  const waiting = new Map();
  let opened;
  const ready = new Promise((resolve) => { opened = resolve; });
  made.onmessage = ({ data: { number, answer, error, bytes, ready: isReady } }) => {
    if (isReady) return opened();
    if (bytes) return progress(bytes);
    const [resolve, reject] = waiting.get(number);
    waiting.delete(number);
    if (error === undefined) resolve(answer);
    else reject(new Error(error));
  };
  return async (call, words = {}) => {
    await ready;
    return new Promise((resolve, reject) => {
      const number = ++count;
      waiting.set(number, [resolve, reject]);
      made.postMessage({ ...words, call, number });
    });
  };
}

function progress(bytes) {
  loaded += bytes;
  $("loaded").value = loaded / whole;
}

const python = worker("python.js", { type: "module" });
const network = worker("network.js");
const started = Promise.all([python("start", { texts: data.texts }), network("start")]).then(() => { $("loading").hidden = true; });

// ---- models and pictures ----

async function bytesOf(url, gzip = false) {
  const answer = await fetch(url);
  const body = gzip ? answer.body.pipeThrough(new DecompressionStream("gzip")) : answer.body;
  return new Uint8Array(await new Response(body).arrayBuffer());
}

// `bytes`: of the file; without them its outputs for some pictures are recorded.
async function addModel(id, file, described, labels, bytes) {
  await python("add", { id, file, described, labels });
  if (bytes && !described.onnx) await network("load", { id, bytes });
  models.set(id, { file, described, labels, bytes });
  const pictures = bytes ? undefined : Object.keys(described.recorded);
  const name = bytes ? file : `${id} (recorded)`;
  const numbers = described.inputs[0].dtype === "f" ? "float" : "int8";
  const older = state.models.findIndex((one) => one.id === id);
  state.models.splice(older < 0 ? state.models.length : older, older < 0 ? 0 : 1, { id, name, numbers, pictures, variants: {} });
}

// The pixels as a camera's frame has them: upright, without the picture's color profile, on white, and not too large.
async function addPicture(id, name, blob, recorded = false) {
  let bitmap;
  try {
    bitmap = await createImageBitmap(blob, { colorSpaceConversion: "none" });
  } catch {
    throw new Error(`${name}: not a picture that this browser can read. Videos and true boxes need n6post studio`);
  }
  const scale = Math.min(1, 1280 / Math.max(bitmap.width, bitmap.height));
  const canvas = new OffscreenCanvas(Math.round(bitmap.width * scale), Math.round(bitmap.height * scale));
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.imageSmoothingQuality = "high";
  context.fillStyle = "white";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  pictures.set(id, canvas);
  const { width, height } = canvas;
  await python("picture", { id, width, height, rgba: context.getImageData(0, 0, width, height).data });
  if (!state.pictures.some((one) => one.id === id)) {
    state.pictures.push({ id, name, count: 1, live: false, recorded, thumbnail: URL.createObjectURL(blob) });
  }
}

async function startOnnx() {
  [loaded, whole] = [0, data.onnx];
  progress(0);
  $("loading").firstElementChild.textContent = `Loading ONNX Runtime, ${Math.round(whole / 1e6)} MB, once`;
  $("loading").hidden = false;
  try {
    await network("startOnnx");
  } finally {
    $("loading").hidden = true;
  }
  hasOnnx = true;
}

async function readOnnx(id, bytes) {
  if (!hasOnnx) await startOnnx();
  const [described, labels] = await Promise.all([network("loadOnnx", { id, bytes }), python("labels", { bytes })]);
  return { ...described, labels, onnx: true };
}

async function addFile(name, blob, shown) {
  await started;
  const first = name.split(".")[0]; // by which a camera finds the labels of a model
  const ending = name.split(".").at(-1).toLowerCase();
  if (ending === "txt") {
    const labels = (await blob.text()).replace(/^\ufeff/, "").trimEnd().split("\n").map((line) => line.trim());
    labelsOf.set(first, labels);
    const named = state.models.find((one) => one.name.split(".")[0] === first);
    const id = named?.id ?? shown;
    if (!id) return { labels: "" };
    const { file, described, bytes } = models.get(id);
    await addModel(id, file, described, labels, bytes);
    return { labels: id };
  }
  if (ending === "tflite" || ending === "onnx") {
    const bytes = new Uint8Array(await blob.arrayBuffer());
    const id = `m${++count}`;
    try {
      const described = ending === "onnx" ? await readOnnx(id, bytes) : await python("read", { bytes });
      await addModel(id, name, described, labelsOf.get(first) ?? described.labels ?? null, bytes);
    } catch (error) {
      throw new Error(`${name}: ${error.message}`);
    }
    return { model: id };
  }
  const id = `p${++count}`;
  await addPicture(id, name, blob);
  return { picture: id };
}

// ---- what the page asks ----

export async function ask(path, body) {
  const [what, rest] = path.split(/\/(.*)/);
  if (what === "state") return state.models.length ? state : begin();
  if (what === "look") return look(body);
  if (what === "ticks") return { ticks: await foundIn(body) && await python("ticks", { request: body }) };
  if (what === "files") {
    const [name, shown] = rest.split("?model=");
    return { ...await addFile(decodeURIComponent(name), body, shown), state };
  }
  if (what === "remove") {
    for (const all of [state.models, state.pictures]) all.splice(0, all.length, ...all.filter((one) => one.id !== rest));
    return state;
  }
  throw new Error(`this page cannot do "${what}": n6post studio can`);
}

async function begin() {
  const pictureOf = async ({ id, name, recorded }) => addPicture(id, name, await (await fetch(`data/${name}`)).blob(), recorded);
  const sample = bytesOf(`data/${data.sample.name}`);
  await Promise.all(data.pictures.slice(0, 1).map(pictureOf));
  await addModel("sample", data.sample.name, data.sample.described, data.sample.labels, await sample);
  await started;
  setTimeout(async () => { // the first result comes before the rest
    for (const one of data.pictures.slice(1)) await pictureOf(one);
    for (const { name, file, described, labels } of data.recorded) await addModel(name, file, described, labels);
    dispatchEvent(new Event("newstate"));
  });
  return state;
}

async function foundIn(request) {
  const model = models.get(request.model);
  const found = await python("look", { request });
  if (!found.tensor) return found;
  const outputs = model.described.recorded ? await bytesOf(`data/${request.model}__${request.picture}.gz`, true)
    : await network("run", { id: request.model, input: found.tensor, names: model.described.outputs.map((one) => one.name) });
  return python("look", { request, outputs });
}

async function look(request) {
  const model = models.get(request.model);
  const found = await foundIn(request);
  found.findings = found.findings.map(([text, page, anchor]) => ({ text, page: page && `../${page}/#${anchor}` }));
  found.command = `n6post host script.py --picture ${state.pictures.find((one) => one.id === request.picture).name} --model ${model.file}`;
  found.canvas = pictures.get(request.picture);
  const key = JSON.stringify({ ...request, options: { ...request.options, threshold: null } });
  found.ticks = scores.get(key) ?? [];
  clearTimeout(resting);
  if (!scores.has(key)) resting = setTimeout(() => findTicks(key, request, found), 300);
  return found;
}

// They take as long as the result: not while a slider moves.
async function findTicks(key, request, found) {
  found.ticks = await python("ticks", { request });
  scores.set(key, found.ticks);
  dispatchEvent(new Event("newstate"));
}

// ---- drawing ----

const LEFT = "rgb(0 160 255)", RIGHT = "rgb(255 128 0)", MIDDLE = "white"; // as drawing/poses.py

export function showFrame(frame, found) {
  if (!found) {
    frame.width = frame.height = 0;
    return;
  }
  const zoom = Math.max(1, Math.round(960 / found.width)); // lines and labels of small pictures shall be sharp
  frame.width = zoom * found.width;
  frame.height = zoom * found.height;
  const context = frame.getContext("2d");
  context.scale(zoom, zoom);
  context.drawImage(found.canvas, 0, 0);
  if (found.map) drawMap(context, found);
  const result = JSON.parse(found.result);
  if (!Array.isArray(result)) return;
  const size = found.width / 40;
  context.font = `600 ${size}px system-ui, sans-serif`;
  context.lineWidth = Math.max(2, found.width / 320) / (zoom > 1 ? 1.5 : 1);
  found.masks.forEach((mask, k) => mask && drawMask(context, mask, found.colors[k]));
  result.forEach((one, k) => drawOne(context, one, found.colors[k], found.percents[k], found, size));
}

const decoded = (text) => Uint8Array.from(atob(text), (one) => one.charCodeAt(0));

function drawMap(context, { map: [classes, width, height, x0, y0, x1, y1], colors }) {
  const pixels = new ImageData(width, height);
  decoded(classes).forEach((number, at) => { if (colors[number]) pixels.data.set([...colors[number], 128], 4 * at); });
  const small = new OffscreenCanvas(width, height);
  small.getContext("2d").putImageData(pixels, 0, 0);
  context.imageSmoothingEnabled = false;
  context.drawImage(small, x0, y0, x1 - x0, y1 - y0);
}

// The frame's pixels in which the interpolated mask is inside: 127.5 or more.
function drawMask(context, [text, [wx, wy, ww], [cx, cy, cw, ch], [x, y, w, h], [sx, ox, sy, oy]], color) {
  if (!w || !h) return;
  const inside = decoded(text), tint = new ImageData(w, h);
  const at = (u, v) => (u < cx || v < cy || u >= cx + cw || v >= cy + ch ? 0 : inside[(v - wy) * ww + u - wx]);
  for (let j = 0; j < h; j++) {
    const q = (y + j + 0.5 - oy) / sy - 0.5, v = Math.floor(q), down = q - v;
    for (let i = 0; i < w; i++) {
      const p = (x + i + 0.5 - ox) / sx - 0.5, u = Math.floor(p), right = p - u;
      const upper = at(u, v) * (1 - right) + at(u + 1, v) * right, lower = at(u, v + 1) * (1 - right) + at(u + 1, v + 1) * right;
      if (upper * (1 - down) + lower * down >= 127.5) tint.data.set([...color, 128], 4 * (j * w + i));
    }
  }
  const layer = new OffscreenCanvas(w, h);
  layer.getContext("2d").putImageData(tint, 0, 0);
  context.drawImage(layer, x, y);
}

function drawOne(context, one, [r, g, b], percent, { limbs, sides, least, width }, size) {
  const color = `rgb(${r} ${g} ${b})`;
  const loop = (points) => {
    context.beginPath();
    for (const [x, y] of points) context.lineTo(x, y);
    context.closePath();
  };
  context.strokeStyle = color;
  const [x, y, w, h] = one.rect;
  loop(one.corners ?? [[x, y], [x + w, y], [x + w, y + h], [x, y + h]]);
  context.stroke();
  const side = (k) => [LEFT, MIDDLE, RIGHT][1 + (sides[k] ?? 0)];
  const seen = (k) => one.keypoints[k][2] >= least;
  for (let at = 0; one.keypoints && at < limbs.length; at += 2) {
    const [from, to] = limbs.slice(at, at + 2);
    if (!seen(from) || !seen(to)) continue;
    context.strokeStyle = sides[from] === sides[to] ? side(from) : MIDDLE;
    context.beginPath();
    for (const k of [from, to]) context.lineTo(...one.keypoints[k]);
    context.stroke();
  }
  one.keypoints?.forEach(([px, py], k) => {
    if (!seen(k)) return;
    context.fillStyle = side(k);
    context.beginPath();
    context.arc(px, py, context.lineWidth * 1.5, 0, 7);
    context.fill();
  });
  const text = `${one.label} ${percent}%`;
  const top = Math.max(y, size * 1.3);
  context.fillStyle = color;
  const wide = context.measureText(text).width + size / 2;
  const left = Math.max(0, Math.min(x, width - wide));
  context.fillRect(left, top - size * 1.3, wide, size * 1.3);
  context.fillStyle = 38 * r + 75 * g + 15 * b >= 128 * 128 ? "black" : "white";
  context.fillText(text, left + size / 4, top - size * 0.35);
}
