// The page of n6post studio: panels with controls, one or two, and the pictures below them.
// server.js does the work: `look` returns the drawn frame, the results and the camera script for the options of a panel.

import { element, keep, kept, svg } from "./elements.js";
import { Good, keepGood } from "./good.js";
import { openScene, OverTime } from "./over_time.js";
import { ask, showFrame } from "./server.js";

const $ = (id) => document.getElementById(id);

let state = { models: [], pictures: [], sizes: [], fits: {}, families: [] };
let picture = "";
let number = 0; // of the video's frame
let cameraFrame = 0;
let busy = false;
let again = false;
let playing = false;
const panels = [];

const counted = (count, one, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;

function notice(text, bad = false) {
  $("notice").textContent = text;
  $("notice").classList.toggle("bad", bad);
}

async function remove(id) {
  await settled(); // no look at it is on its way
  try {
    newState(await ask(`remove/${id}`, {}));
    surveyed.clear();
  } catch (error) {
    return notice(error.message, true);
  }
  refresh();
}

// ---- a panel: a model, its options and what it finds ----

class Panel {
  constructor(side, from) {
    this.side = side;
    this.model = "";
    this.family = "";
    this.fit = "letterbox";
    this.options = {};
    this.controls = []; // as the server described them
    this.found = null;
    this.root = $("panel").content.firstElementChild.cloneNode(true);
    this.root.setAttribute("aria-label", side === 0 ? "Left model" : "Right model");
    if (from) Object.assign(this, { model: from.model, family: from.family, fit: from.fit, options: { ...from.options } });
    this.overTime = new OverTime(this.root, from?.track ?? false, refresh);
    this.good = new Good(this.root, () => [picture, number], stills, refresh);
    const on = (selector, event, action) => this.root.querySelector(selector).addEventListener(event, action);
    on("form", "submit", (event) => event.preventDefault());
    on(".model", "change", (event) => this.choose(event.target.value));
    on(".family", "change", (event) => { this.family = event.target.value; this.options = {}; this.controls = []; refresh(); });
    on(".script", "click", () => this.showScript());
    on(".remove", "click", () => remove(this.model));
    on(".picture", "click", () => this.savePicture());
    on(".reset", "click", () => { this.options = {}; this.controls = []; refresh(); });
    on(".optimized input", "change", () => this.optimize());
    for (const radio of this.all(".numbers input")) {
      radio.name = `numbers${side}`;
      radio.addEventListener("change", () => this.choose(this.described().variants[radio.value], true));
    }
    for (const [name, text] of Object.entries(state.fits)) {
      const radio = element("input", { type: "radio", name: `fit${side}`, value: name, checked: name === this.fit });
      radio.addEventListener("change", () => { this.fit = name; refresh(); });
      this.one(".fit").append(element("label", { title: text }, radio, ` ${name}`));
    }
    this.one(".family").append(element("option", { value: "", textContent: "the one that fits" }),
      ...state.families.map((name) => element("option", { value: name, textContent: name })));
  }

  one(selector) { return this.root.querySelector(selector); }
  all(selector) { return this.root.querySelectorAll(selector); }
  get track() { return this.overTime.on; }
  set track(on) { this.overTime.set(on); }
  described() { return state.models.find((model) => model.id === this.model) ?? { variants: {} }; }

  // `same`: another file of the same network, which takes the same options
  choose(model, same = false) {
    if (!model) return;
    this.model = model;
    if (same) this.family = "";
    else this.recall();
    this.controls = [];
    this.showModels();
    showPictures();
    refresh();
  }

  get name() { return `${this.side} ${this.described().name}`; }

  recall() {
    const { fit, family, options } = kept(this.name);
    Object.assign(this, { fit: fit in state.fits ? fit : this.fit, family: family ?? "", options: options ?? {} });
  }

  request() {
    return { model: this.model, picture, number, frame_size: $("size").value, fit: this.fit, family: this.family,
      exact: $("exact").checked, options: this.options, good: this.good.request(), scene: this.overTime.request() };
  }

  showModels() {
    if (!state.models.some((model) => model.id === this.model)) {
      this.model = state.models[0]?.id ?? "";
      this.recall();
      this.controls = [];
    }
    const select = this.one(".model");
    select.replaceChildren(...state.models.map((model) => element("option", { value: model.id, textContent: model.name })));
    select.value = this.model;
    this.one(".family").value = this.family;
    for (const radio of this.all(".fit input")) radio.checked = radio.value === this.fit;
    this.one(".remove").disabled = !this.model;
    const model = this.described();
    const original = state.models.find((one) => one.id === model.optimized_from) ?? model;
    const numbers = this.one(".numbers");
    numbers.disabled = !(original.variants.int8 && original.variants.float) || original !== model;
    numbers.title = numbers.disabled && original === model
      ? "Only this file is here. Drop the other one on the page: the same name with _float or _int8" : "";
    for (const radio of this.all(".numbers input")) radio.checked = radio.value === model.numbers;
    this.one(".fit").disabled = Boolean(model.pictures); // recorded outputs have the fit that they were recorded with
    const box = this.one(".optimized input");
    box.checked = original !== model;
    box.disabled = original === model && !model.optimizable;
    this.one(".optimized small").textContent = box.disabled ? "(only for int8 YOLO models that are not split yet)" : "";
    const save = this.one(".save");
    save.hidden = original === model;
    save.replaceChildren();
    if (original !== model) {
      const at = `models/${model.id}/`;
      save.append("Save ", element("a", { href: at + encodeURIComponent(model.name), textContent: model.name, download: model.name }),
        ...(model.labels ? [" and ", element("a", { href: `${at}labels.txt`, textContent: "its labels", download: "" })] : []));
    }
    this.one(".checked").hidden = !model.report;
    this.one(".checked pre").textContent = model.report;
  }

  async optimize() {
    const model = this.described();
    if (model.optimized_from) return this.choose(model.optimized_from, true);
    const text = this.one(".optimized small");
    if (text.textContent) return; // it is working already
    text.textContent = "(working ...)";
    this.showFindings();
    try {
      const made = await ask(`optimize/${model.id}`, {});
      newState(made.state);
      this.choose(made.model, true);
      notice("");
    } catch (error) {
      notice(`${model.name}: ${error.message}`, true);
      this.showModels();
      this.showFindings();
    }
  }

  show(found) {
    if (found.tracked) { // it goes on, unless something else is asked for
      again = true;
      return this.overTime.wait(found);
    }
    this.found = found;
    this.one(".error").hidden = true;
    showFrame(this.one(".frame"), found);
    this.one("figcaption").textContent = `Frame of ${found.width} x ${found.height}, input of ${found.input.join(" x ")}, ` +
      `n6post.${found.family}`;
    this.one(".count").textContent = found.count;
    this.one(".rows").replaceChildren(...found.rows.map((row) =>
      element("tr", {}, ...row.map((cell, column) =>
        element("td", { textContent: cell, className: column === 1 ? "score" : "" })))));
    this.showFindings();
    if (found.figures) this.showFigures(found.figures);
    const key = JSON.stringify(found.controls);
    if (key !== this.key || !this.controls.length) {
      this.key = key;
      this.buildControls(found.controls);
    }
    this.showTicks();
    if (!this.one(".ticks")) this.one(".marks").replaceChildren();
    this.one(".script").disabled = this.one(".picture").disabled = false;
    this.overTime.show(found, !again);
    this.good.show(found, state.pictures.find((one) => one.id === picture)?.live);
  }

  showFindings() {
    const working = this.one(".optimized small").textContent;
    const findings = (this.found?.findings ?? []).map(({ text, page }) => {
      const item = element("li", { textContent: `${text} ` });
      if (page) item.append(element("a", { href: page, target: "_blank", textContent: "More" }));
      if (page.endsWith("#optimize") && this.described().optimizable) {
        const button = element("button", { type: "button", textContent: working || "Optimize", disabled: Boolean(working) });
        button.addEventListener("click", () => this.optimize());
        item.append(" ", button);
      }
      return item;
    });
    this.one(".findings").replaceChildren(
      element("h3", { textContent: findings.length ? "Findings" : "No findings" }),
      element("ul", {}, ...findings));
  }

  showFigures({ rows, sources, ask: unasked }) {
    this.one(".figures").replaceChildren(...rows.map(([camera, text]) => element("p", { title: sources },
      element("b", { textContent: camera }), ` ${text} `)));
    this.one(".figures p")?.append(element("a", { href: "docs/first-hour.html#what-fits", target: "_blank", textContent: "More" }));
    if (unasked) askVela(this.model);
  }

  fail(error) {
    if (this.overTime.undo(error.message)) return void (again = true); // the frame stays as it was
    this.clear();
    const said = this.one(".error");
    said.hidden = false;
    said.textContent = error.message;
    if (error.unclear) this.one(".more").open = true; // where a post-processor can be chosen
  }

  clear() {
    this.one(".error").hidden = true;
    this.found = null; // nothing of an earlier model or picture stays
    showFrame(this.one(".frame"));
    this.one("figcaption").textContent = this.one(".count").textContent = "";
    this.one(".rows").replaceChildren();
    this.one(".marks").replaceChildren();
    this.one(".findings").replaceChildren();
    this.one(".figures").replaceChildren();
    this.one(".script").disabled = this.one(".picture").disabled = true;
    this.overTime.clear();
  }

  // ---- controls of options ----

  set(option, value, ofDefault) {
    if (ofDefault) delete this.options[option];
    else this.options[option] = value;
    refresh();
  }

  buildControls(controls) {
    this.controls = controls;
    const known = new Set(controls.map((control) => control.option));
    for (const option of Object.keys(this.options)) if (!known.has(option)) delete this.options[option];
    this.one(".main").replaceChildren();
    this.one(".rest").replaceChildren();
    for (const control of controls) this.one(control.more ? ".rest" : ".main").append(this.built(control));
  }

  built(control) {
    const id = `${control.option}${this.side}`;
    const value = this.options[control.option] ?? control.default;
    const label = element("label", { htmlFor: id, textContent: control.option });
    const output = element("output", { htmlFor: id });
    const help = element("button", { type: "button", className: "help", textContent: "?", ariaExpanded: "false",
      ariaLabel: `What ${control.option} does`, title: control.help });
    const text = element("p", { textContent: control.help, hidden: true });
    help.addEventListener("click", () => {
      text.hidden = !text.hidden;
      help.ariaExpanded = String(!text.hidden);
    });
    const head = element("div", { className: "head" }, label, help, output);
    const body = this[`${control.kind}Control`](control, id, value, output, head);
    return element("div", { className: "option" }, head, text, ...body);
  }

  sliderControl(control, id, value, output, head) {
    const off = control.off ? element("input", { type: "checkbox", checked: value !== null }) : null;
    const range = element("input", { type: "range", id, min: control.low, max: control.high, step: control.step });
    range.value = value ?? 0.5;
    const show = () => { output.textContent = off && !off.checked ? "off" : Number(range.value).toFixed(2); };
    const change = () => {
      range.disabled = Boolean(off) && !off.checked;
      const now = range.disabled ? null : Number(range.value);
      show();
      this.set(control.option, now, now === control.default);
      this.showTicks();
    };
    range.disabled = Boolean(off) && !off.checked;
    range.addEventListener("input", change);
    if (off) {
      off.setAttribute("aria-label", `Use ${control.option}`);
      off.addEventListener("change", change);
      head.prepend(off);
    }
    show();
    if (control.option !== "threshold") return [range];
    return [range, element("div", { className: "ticks", title: "Scores of all detections, also of those below the threshold" })];
  }

  showTicks() {
    const box = this.one(".ticks");
    if (!box || !this.found || !this.controls.length) return;
    const { found, least } = this;
    box.replaceChildren(...found.ticks.map(([score]) => {
      const tick = element("i", { className: score >= least ? "kept" : "" });
      tick.style.left = `${100 * score}%`;
      return tick;
    }));
    const near = found.ticks.map(([score]) => score).filter((score) => score < least && score > least - NEAR);
    // Rounded down: it shall not read as the threshold itself.
    this.one(".count").textContent = found.count +
      (near.length ? `, ${near.length} just below the threshold, the best ${(Math.floor(near[0] * 100) / 100).toFixed(2)}` : "");
    this.showMarks(judged(found, least), found);
    if (this.side === 0) showAll();
  }

  get least() { return this.options.threshold ?? this.controls.find((one) => one.option === "threshold")?.default; }

  // Misses and false alarms, where the truth is known.
  showMarks({ missed, wrong }, { width, height }) {
    const mark = (name) => ([label, [x, y, w, h]]) => {
      const at = { x, y, width: w, height: h };
      const text = svg("text", { x: x + 3, y: name === "false" ? y + width / 32 : Math.min(y + h, height) - 5, "font-size": width / 36 }, `${name} ${label}`);
      return svg("g", { class: name }, svg("rect", at), svg("rect", at), text);
    };
    this.one(".marks").setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.one(".marks").replaceChildren(...missed.map(mark("missed")), ...wrong.map(([, ...one]) => mark("false")(one)));
  }

  numberControl(control, id, value) {
    const input = element("input", { type: "number", id, min: control.low, max: control.high, step: 1, value });
    input.addEventListener("change", () => {
      const typed = Math.min(Math.max(Math.round(Number(input.value)), control.low), control.high);
      const now = input.value === "" ? control.default : typed;
      input.value = now;
      this.set(control.option, now, now === control.default);
    });
    return [input];
  }

  switchControl(control, id, value, output, head) {
    const input = element("input", { type: "checkbox", id, checked: value });
    input.addEventListener("change", () => this.set(control.option, input.checked, input.checked === control.default));
    head.prepend(input);
    return [];
  }

  selectControl(control, id, value, entries) {
    const select = element("select", { id }, ...entries.map(([entry, text]) =>
      element("option", { value: JSON.stringify(entry), textContent: text })));
    select.value = JSON.stringify(value);
    select.addEventListener("change", () => {
      const now = JSON.parse(select.value);
      this.set(control.option, now, now === control.default);
    });
    return [select];
  }

  choiceControl(control, id, value) {
    return this.selectControl(control, id, value, [[null, "automatic"], ...control.choices.map((one) => [one, one])]);
  }

  classControl(control, id, value) { // DeepLab's background: a number, 0 by default
    const number = typeof value === "string" ? control.choices.indexOf(value) : value;
    return this.selectControl(control, id, number, [[null, "none"], ...control.choices.map((name, k) => [k, name])]);
  }

  classesControl(control, id, value, output) {
    const chosen = new Set(value ?? []);
    const show = () => { output.textContent = chosen.size ? `${chosen.size} of ${control.choices.length}` : "all"; };
    const boxes = control.choices.map((name) => {
      const input = element("input", { type: "checkbox", checked: chosen.has(name) });
      input.addEventListener("change", () => {
        if (input.checked) chosen.add(name);
        else chosen.delete(name);
        show();
        this.set("classes", control.choices.filter((one) => chosen.has(one)), !chosen.size);
      });
      return element("label", { title: name }, input, ` ${name}`);
    });
    const list = element("div", { className: "list" }, ...boxes);
    list.setAttribute("role", "group");
    list.setAttribute("aria-label", "Classes to keep; all if none is chosen");
    show();
    if (boxes.length < 12) return [list];
    const search = element("input", { type: "search", id, placeholder: "Search for a class" });
    search.addEventListener("input", () => boxes.forEach((box, k) => {
      box.hidden = !control.choices[k].toLowerCase().includes(search.value.toLowerCase());
    }));
    return [search, list];
  }

  savePicture() {
    const { name, count } = state.pictures.find((one) => one.id === picture);
    const names = [name, ...(count > 1 ? [`frame${number + 1}`] : []), this.described().name];
    const frame = this.one(".frame");
    element("a", { href: frame.src ?? frame.toDataURL(), download: `${names.map((one) => one.replace(/\.\w+$/, "")).join("_")}.png` }).click();
  }

  // ---- the script ----

  async showScript() {
    $("copied").textContent = "";
    await settled(); // the script of the options as they are now
    if (!this.found || !this.one(".error").hidden) return;
    $("code").textContent = this.found.script;
    $("printed").textContent = this.found.printed.join("\n") || "(nothing)";
    $("command").textContent = this.found.command;
    $("last").hidden = !this.found.command.includes("--frames") && !this.found.scene;
    $("dialog").showModal();
    await copyScript();
  }
}

const asked = new Set(); // models of which Arm's compiler is making figures

async function askVela(model) {
  if (asked.has(model)) return;
  asked.add(model);
  await ask(`vela/${model}`, {}).catch(() => {}); // a model that was removed meanwhile
  asked.delete(model);
  refresh();
}

async function copyScript() {
  try {
    await navigator.clipboard.writeText($("code").textContent);
    $("copied").textContent = "Copied to the clipboard.";
  } catch {
    getSelection().selectAllChildren($("code"));
    $("copied").textContent = "The browser does not allow copying: the script is selected, press Ctrl+C.";
  }
}

// ---- all pictures ----

const NEAR = 0.1; // scores that much below the threshold are just below it
const surveyed = new Map(); // what a low threshold finds, by picture and all options but the threshold
let asking = false;

const stills = () => state.pictures.filter(({ id, count, live }) =>
  count === 1 && !live && $("pictures").querySelector(`[data-id="${id}"]:not([hidden])`));

function requestFor(id) {
  const { threshold, max_detections, ...options } = panels[0].options;
  return { ...panels[0].request(), picture: id, number: 0, options, scene: null };
}

const answerFor = (id) => surveyed.get(JSON.stringify(requestFor(id)));

// What is found above a threshold; with the truth, what of it is wrong, and what is missed.
function judged({ ticks, truth }, least) {
  const found = ticks.filter(([score]) => score >= least);
  const hit = new Set(found.map((one) => one[3]));
  return { found, missed: (truth ?? []).filter((one, k) => !hit.has(k)), wrong: truth ? found.filter((one) => one[3] < 0) : [] };
}

async function survey() {
  if (asking) return;
  asking = true;
  for (let next; $("all").open && !$("all").hidden && !busy && (next = stills().find(({ id }) => !answerFor(id)));) {
    const request = requestFor(next.id);
    let answer;
    try {
      answer = await ask("ticks", request);
    } catch (error) {
      answer = { ticks: [], error: error.message };
    }
    surveyed.set(JSON.stringify(request), answer);
    showAll();
  }
  asking = false;
}

function showAll() {
  const [panel] = panels;
  $("all").hidden = !panel.controls.some((one) => one.option === "max_detections") || panel.least === undefined;
  if ($("all").hidden || !$("all").open) return;
  const { least } = panel;
  const rows = stills().flatMap((one) => {
    const answer = answerFor(one.id);
    if (!answer) return [];
    const nearest = answer.ticks.map(([score]) => score).sort((a, b) => Math.abs(a - least) - Math.abs(b - least))[0];
    return [{ ...one, ...judged(answer, least), nearest, answer }];
  });
  const faults = (row) => row.missed.length + row.wrong.length;
  const away = (row) => Math.abs((row.nearest ?? 9) - least);
  rows.sort((a, b) => faults(b) - faults(a) || away(a) - away(b));
  $("list").replaceChildren(...rows.map((row) => {
    const button = element("button", { type: "button" }, element("img", { src: row.thumbnail, alt: "" }), ` ${row.name}`);
    button.addEventListener("click", () => { choosePicture(row.id); panels[0].root.scrollIntoView({ block: "nearest" }); });
    const counts = new Map();
    for (const [, label] of row.found) counts.set(label, (counts.get(label) ?? 0) + 1);
    const labels = row.answer.error ?? [...counts].map(([label, count]) => `${count} ${label}`).join(", ");
    const [missed, wrong] = row.answer.truth ? [row.missed.length, row.wrong.length] : ["", ""];
    return element("tr", {}, element("td", {}, button), ...[row.found.length, row.nearest?.toFixed(2) ?? "", missed, wrong, labels]
      .map((text, k) => element("td", { textContent: text, className: k === 2 || k === 3 ? "true" : "" })));
  }));
  const part = rows.length < stills().length ? `${rows.length} of ` : "";
  $("total").textContent = `${part}${counted(stills().length, "picture")}${panels.length === 2 ? " with the left model" : ""}: ` +
    `${rows.reduce((sum, row) => sum + row.found.length, 0)} found`;
  showPlot(rows.map((row) => row.answer).filter((one) => one.truth), least);
}

function showPlot(answers, least) {
  $("truth").hidden = !answers.length;
  $("all").classList.toggle("judged", answers.length > 0);
  if (!answers.length) return;
  const ticks = answers.flatMap((one) => one.ticks);
  const boxes = answers.reduce((sum, one) => sum + one.truth.length, 0);
  const at = (threshold) => {
    const found = ticks.filter(([score]) => score >= threshold);
    const hits = found.filter((one) => one[3] >= 0).length;
    return { threshold, hits, found: found.length, precision: hits / found.length, recall: hits / boxes, f1: 2 * hits / (found.length + boxes) };
  };
  const all = Array.from({ length: 96 }, (_, k) => at((k + 5) / 100)); // below .05 nothing was looked for
  const most = Math.max(...all.map((one) => one.f1));
  const best = all.filter((one) => one.f1 === most); // a whole range: its middle is farthest from all scores
  const middle = best[best.length >> 1];
  const now = at(least);
  const x = (threshold) => LEFT + WIDTH * threshold;
  const y = (part) => 10 + 130 * (1 - part);
  const line = (name) => svg("polyline", { class: name, points: all.filter((one) => !isNaN(one[name]))
    .map((one) => `${x(one.threshold)},${y(one[name])}`).join(" ") });
  const label = (left, top, text, anchor = "middle", name = "") =>
    svg("text", { x: left, y: top, "text-anchor": anchor, class: name }, text);
  $("plot").replaceChildren(
    ...[0, 0.5, 1].flatMap((part) => [svg("line", { x1: x(0), x2: x(1), y1: y(part), y2: y(part) }),
      label(LEFT - 4, y(part) + 3, part, "end"), label(x(part), 152, part)]),
    label(x(0.5), 165, "threshold"), label(LEFT + 4, 165, "— precision", "start", "precision"),
    label(LEFT + WIDTH - 4, 165, "- - recall", "end", "recall"), line("precision"), line("recall"),
    svg("line", { class: "now", x1: x(least), x2: x(least), y1: y(1), y2: y(0) }),
    ...[now.precision, now.recall].filter((part) => !isNaN(part)).map((part) => svg("circle", { cx: x(least), cy: y(part), r: 5 })));
  const unknown = [...new Set(answers.flatMap((one) => one.unknown))];
  $("total").textContent += ` with a threshold of ${least.toFixed(2)}; of ${counted(boxes, "true box", "true boxes")} ${now.hits} found, ` +
    `${boxes - now.hits} missed, ${counted(now.found - now.hits, "false alarm")}: precision ${(now.precision || 0).toFixed(2)}, ` +
    `recall ${(now.recall || 0).toFixed(2)}` + (unknown.length ? `. Not counted, as the model has no such class: ${unknown.join(", ")}` : "");
  $("best").textContent = `Best F1: ${(most || 0).toFixed(2)} with a threshold of ${middle?.threshold.toFixed(2)}, now ${(now.f1 || 0).toFixed(2)}.`;
  $("use").onclick = () => setThreshold(middle.threshold);
  $("use").disabled = !middle;
}

const LEFT = 22, WIDTH = 306; // of the plot, in its own units

function setThreshold(value) {
  const slider = $("threshold0");
  slider.value = value;
  slider.dispatchEvent(new Event("input"));
}

function dragged(event) {
  if (!event.buttons) return;
  $("plot").setPointerCapture(event.pointerId);
  const { left, width } = $("plot").getBoundingClientRect();
  setThreshold(((event.clientX - left) / width * 340 - LEFT) / WIDTH);
}

// ---- one request at a time; the newest options win ----

async function refresh() {
  again = true;
  for (const { name, fit, family, options } of panels) keep(name, { fit, family, options });
  keep(`page of ${location.pathname}`, { picture, number, size: $("size").value, exact: $("exact").checked,
    good: panels[0].good.request(), panels: panels.map(({ model, fit, family, options, track }) => ({ model, fit, family, options, track })) });
  if (busy) return;
  busy = true;
  while (again) {
    again = false;
    document.body.ariaBusy = "true";
    await look();
    document.body.ariaBusy = String(again);
    const live = state.pictures.find((one) => one.id === picture)?.live;
    if (!again && live) again = await newCameraFrame();
    else if (!again && playing) again = nextVideoFrame();
  }
  busy = false;
  dispatchEvent(new Event("settled"));
}

function settled() {
  // A camera and a video that plays never settle: their latest result is taken.
  const live = playing || state.pictures.find((one) => one.id === picture)?.live;
  return busy && !live ? new Promise((resolve) => addEventListener("settled", resolve, { once: true })) : Promise.resolve();
}

async function look() {
  if (!picture || !state.models.length) {
    for (const panel of panels) panel.clear();
    return notice(state.models.length ? "Drop a picture on this page." : "Drop a model (.tflite, .onnx) on this page.");
  }
  if ($("notice").textContent.startsWith("Drop a ")) notice("");
  if (panels.length !== 2) $("agreement").textContent = "";
  else {
    try {
      const found = await ask("compare", { left: panels[0].request(), right: panels[1].request() });
      panels[0].show(found.left);
      panels[1].show(found.right);
      $("agreement").textContent = found.agreement;
      return;
    } catch { $("agreement").textContent = ""; /* one of them has an error: each is asked alone, and shows its own */ }
  }
  for (const panel of panels) {
    try {
      panel.show(await ask("look", panel.request()));
    } catch (error) {
      panel.fail(error);
      if (!state.models.some((one) => one.id === panel.model)) continue;
      if (error.message.includes("no longer on the page")) newState(await ask("state")); // another tab has replaced it
    }
  }
}

async function newCameraFrame() {
  try {
    const { number: newest } = await ask(`frames/${picture}?after=${cameraFrame}`);
    cameraFrame = newest;
    return true;
  } catch (error) {
    notice(error.message, true);
    return false;
  }
}

function nextVideoFrame() {
  const { count } = state.pictures.find((one) => one.id === picture);
  if (number + 1 >= count) {
    play(false);
    return false;
  }
  showNumber(number + 1);
  return true;
}

// ---- pictures ----

function showNumber(value) {
  number = value;
  $("number").value = value;
  $("shown").textContent = `frame ${value + 1} of ${Number($("number").max) + 1}`;
}

function play(on) {
  playing = on;
  if (on && number === Number($("number").max)) showNumber(0);
  $("play").textContent = on ? "Pause" : "Play";
  $("play").setAttribute("aria-pressed", on);
}

function choosePicture(id) {
  picture = id;
  play(false);
  const { name, count, live } = state.pictures.find((one) => one.id === id) ?? { count: 1, live: false };
  openScene(name);
  $("remove").disabled = !id;
  if (live) $("size").value = "VGA"; // the camera sends frames of this size
  $("size").disabled = live;
  $("player").hidden = count === 1;
  $("number").max = count - 1;
  showNumber(0);
  for (const button of $("pictures").children) {
    button.setAttribute("aria-checked", button.dataset.id === id);
    button.tabIndex = button.dataset.id === id ? 0 : -1; // the others by arrow keys
    if (button.dataset.id === id) button.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
  refresh();
}

// Outputs that were recorded belong to pictures of their own.
function showPictures(at = 0) {
  const own = panels[0]?.described().pictures;
  const shown = state.pictures.filter((one) => own ? own.includes(one.id) : !one.recorded).map((one) => one.id);
  for (const button of $("pictures").children) button.hidden = !shown.includes(button.dataset.id);
  if (picture && !shown.includes(picture)) choosePicture(shown[at] ?? shown.at(-1) ?? "");
}

function newState(fresh) {
  state = fresh;
  keepGood(state.pictures);
  const at = [...$("pictures").children].findIndex((button) => button.dataset.id === picture);
  for (const button of [...$("pictures").children]) {
    if (!state.pictures.some((one) => one.id === button.dataset.id)) button.remove();
  }
  const missing = state.pictures.filter((one) => !$("pictures").querySelector(`[data-id="${one.id}"]`));
  for (const one of missing) {
    const button = element("button", { type: "button", title: one.name, tabIndex: -1 },
      element("img", { src: one.thumbnail, alt: one.name }));
    button.dataset.id = one.id;
    button.setAttribute("role", "radio");
    button.setAttribute("aria-checked", "false");
    button.addEventListener("click", () => choosePicture(one.id));
    $("pictures").append(button);
  }
  for (const panel of panels) panel.showModels();
  showPictures(at);
}

async function drop(files) {
  // True boxes are those of pictures; labels come before the model that takes them.
  const rank = ({ name }) => (/\.(tflite|onnx)$/i.test(name) ? 2 : /\.(txt|json)$/i.test(name) ? 1 : 0);
  const sorted = [...files].sort((one, other) => rank(one) - rank(other));
  surveyed.clear();
  const models = sorted.filter((file) => /\.(tflite|onnx)$/i.test(file.name));
  const problems = [];
  let said = "";
  for (const file of sorted) {
    notice(`Reading ${file.name} ...`);
    let data;
    try {
      data = new Blob([await file.arrayBuffer()]);
    } catch {
      problems.push(`${file.name}: the browser cannot read it. Folders cannot be dropped: drop their files`);
      continue;
    }
    try {
      const shown = models.length ? "" : `?model=${panels[0].model}`; // labels alone are those of the model that is shown
      const taken = await ask(`files/${encodeURIComponent(file.name)}${shown}`, data);
      newState(taken.state);
      if (taken.labels === "" && !models.length) problems.push(`${file.name}: no model has this name yet`);
      const model = taken.model || taken.labels;
      if (model) {
        keep(`0 ${state.models.find((one) => one.id === model).name}`, {}); // options of its name may not fit the new file
        panels[0].choose(model);
      }
      if (taken.truth) {
        $("all").open = true;
        said = taken.truth;
      }
      if (taken.picture) choosePicture(taken.picture);
    } catch (error) {
      problems.push(error.message);
    }
  }
  notice(problems.join("; ") || said, problems.length > 0);
  surveyed.clear();
  refresh();
}

// ---- start ----

async function start() {
  newState(await ask("state"));
  $("size").append(...state.sizes.map((name) => element("option", { value: name, textContent: name })));
  const last = kept(`page of ${location.pathname}`);
  keepGood(state.pictures, last.good);
  $("size").value = state.sizes.includes(last.size) ? last.size : "VGA";
  $("exact").checked = last.exact === true;
  panels.push(new Panel(0));
  Object.assign(panels[0], last.panels?.[0]);
  $("panels").append(panels[0].root);
  panels[0].showModels();

  $("size").addEventListener("change", refresh);
  $("exact").addEventListener("change", refresh);
  $("add").addEventListener("click", () => $("files").click());
  $("files").addEventListener("change", () => { drop([...$("files").files]); $("files").value = ""; });
  $("compare").addEventListener("change", () => {
    const two = $("compare").checked;
    if (two) {
      const panel = new Panel(1, panels[0]);
      const { variants } = panels[0].described();
      const other = Object.values(variants).find((id) => id !== panels[0].model);
      if (!other) panel.options = {};
      panel.model = other ?? state.models.find((model) => model.id !== panels[0].model)?.id ?? panels[0].model;
      panels.push(panel);
      panel.showModels();
      $("panels").append(panel.root);
    } else {
      panels.pop().root.remove();
    }
    $("panels").classList.toggle("two", two);
    refresh();
  });
  $("pictures").addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const buttons = [...$("pictures").children];
    const next = buttons[(buttons.indexOf(document.activeElement) + step + buttons.length) % buttons.length];
    next.focus();
    choosePicture(next.dataset.id);
  });
  $("all").addEventListener("toggle", () => { showAll(); survey(); });
  addEventListener("settled", survey);
  for (const event of ["pointerdown", "pointermove"]) $("plot").addEventListener(event, dragged);
  $("remove").addEventListener("click", () => remove(picture));
  $("number").addEventListener("input", () => { showNumber(Number($("number").value)); refresh(); });
  $("play").addEventListener("click", () => { play(!playing); refresh(); });
  $("copy").addEventListener("click", copyScript);
  $("close").addEventListener("click", () => $("dialog").close());
  $("save").addEventListener("click", () => {
    const link = element("a", { href: URL.createObjectURL(new Blob([$("code").textContent])), download: "script.py" });
    link.click();
    URL.revokeObjectURL(link.href);
  });
  addEventListener("newstate", async () => { // what server.js has added by itself
    newState(await ask("state"));
    for (const panel of panels) panel.showTicks();
  });
  let depth = 0; // dragenter and dragleave come for each element below the pointer
  addEventListener("dragenter", (event) => { event.preventDefault(); depth += 1; $("dropping").hidden = false; });
  addEventListener("dragleave", () => { depth -= 1; $("dropping").hidden = depth <= 0; });
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    depth = 0;
    $("dropping").hidden = true;
    drop(event.dataTransfer.files);
  });
  if (last.panels?.length === 2) {
    $("compare").click();
    Object.assign(panels[1], last.panels[1]);
    panels[1].showModels();
  }
  const shown = state.pictures.find((one) => one.id === last.picture);
  if (state.pictures.length) choosePicture((shown ?? state.pictures[0]).id);
  if (shown && last.number < shown.count) showNumber(last.number);
  refresh();
}

start().catch((error) => notice(error.message, true));
