// The page of n6post collect. Each decision is sent at once; the server answers with the picture as it is then.

const $ = (id) => document.getElementById(id);
const { classes, pictures } = await (await fetch("state")).json();
const names = new Map(classes);
const cards = new Map(); // picture -> its article
const undo = []; // pictures with the labels that they had before
let current = null;

function make(tag, values = {}, ...inside) {
  const svg = ["svg", "rect", "text"].includes(tag);
  const made = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else made.setAttribute(name, value);
  }
  made.append(...inside);
  return made;
}

async function change(picture, body) {
  const answer = await fetch(`pictures/${picture.name}`, { method: "POST", body: JSON.stringify(body) }).catch(() => null);
  const got = answer ? await answer.json() : { error: "The command has ended: start it again and reload the page." };
  $("notice").textContent = got.error ?? "";
  $("notice").className = got.error ? "bad" : "";
  if (!got.error) show(Object.assign(picture, got));
}

const relabel = (picture, lines) => change(picture, { before: picture.lines, lines });
const decide = (picture, state) => change(picture, { state: picture.state === state ? "to sort" : state });

function show(picture) {
  const [width, height] = picture.size;
  const overlay = make("svg", { viewBox: `0 0 ${width} ${height}` });
  const rows = [];
  picture.lines.forEach((line, at) => {
    const [number, cx, cy, w, h] = line.trim().split(/\s+/).map(Number);
    const x = (cx - w / 2) * width, y = (cy - h / 2) * height, size = width / 20;
    const edit = (...changed) => {
      undo.push([picture, picture.lines]);
      relabel(picture, picture.lines.toSpliced(at, 1, ...changed));
    };
    const frame = make("rect", { x, y, width: w * width, height: h * height, click: () => edit() });
    overlay.append(frame,
      make("text", { x: x + size / 5, y: Math.max(y, size) - size / 4, "font-size": size }, names.get(number)));
    const mark = (event) => frame.classList.toggle("marked", ["focus", "mouseenter"].includes(event.type));
    const select = make("select", { "aria-label": `Class of box ${at + 1}`, focus: mark, blur: mark, mouseenter: mark,
      mouseleave: mark, change: () => edit(line.trim().replace(/^\d+/, select.value)) });
    if (picture === current) select.append(...classes.map(([value, name]) => make("option", { value }, name)));
    select.value = number;
    rows.push(select);
  });
  const buttons = [["kept", "Keep"], ["dropped", "Drop"]].map(([state, text]) =>
    make("button", { type: "button", "aria-pressed": picture.state === state, click: () => decide(picture, state) }, text));
  const card = cards.get(picture);
  card.className = picture.state;
  card.hidden = (picture.reason !== $("reason").value && $("reason").value !== "all") ||
    (picture.state !== $("state").value && $("state").value !== "all" && picture !== current);
  card.setAttribute("aria-current", picture === current);
  card.querySelector("svg").replaceWith(overlay);
  card.querySelector("p").replaceChildren(make("b", {}, picture.name.split("_")[0]), picture.reason, ...buttons);
  card.querySelector("div.row").replaceChildren(...(picture === current ? rows : []));
}

function go(picture) {
  const before = current;
  if (!picture || picture === before) return;
  current = picture;
  [before, current].filter(Boolean).forEach(show);
  cards.get(picture).scrollIntoView({ block: "nearest" });
}

function filter() {
  current = null;
  pictures.forEach(show);
  go(pictures.find((picture) => !cards.get(picture).hidden));
}

for (const picture of pictures) {
  const image = make("img", { src: `pictures/${picture.name}`, alt: `Picture ${picture.name}`, loading: "lazy",
    width: picture.size[0], height: picture.size[1] });
  image.style.height = "auto"; // the attributes reserve the place before it is loaded
  cards.set(picture, make("article", { click: () => go(picture) },
    make("div", { class: "picture" }, image, make("svg")), make("p", { class: "row" }), make("div", { class: "row" })));
}
$("grid").append(...cards.values());
$("reason").append(...["all", ...new Set(pictures.map((one) => one.reason))].map((one) => make("option", {}, one)));
$("state").append(...["all", "to sort", "kept", "dropped"].map((one) => make("option", {}, one)));
for (const id of ["reason", "state"]) $(id).addEventListener("change", filter);
filter();

addEventListener("keydown", (event) => {
  if (event.target.matches("select, input") || event.ctrlKey || event.metaKey || event.altKey || !current) return;
  const shown = pictures.filter((picture) => !cards.get(picture).hidden);
  const at = shown.indexOf(current), columns = getComputedStyle($("grid")).gridTemplateColumns.split(" ").length;
  const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns }[event.key];
  const state = { k: "kept", d: "dropped" }[event.key.toLowerCase()];
  if (event.key.toLowerCase() === "z" && undo.length) relabel(...undo.pop());
  if (!step && !state) return;
  event.preventDefault();
  if (state) change(current, { state });
  go(shown[at + (step ?? 1)]); // without waiting for the answer: the next key is for the next picture
});
