// Track: the switch of a panel, and the lines, zones and plane that are drawn on the frame for its tracker. They belong to
// the picture, so two panels share them.

import { element, keep, kept, svg } from "./elements.js";

const NEAR = 12; // pixels of the screen: so near to a zone's first corner, a click closes it
const BEYOND = 20; // pixels of the frame: so far may a point lie outside of it
const EMPTY = { lines: [], zones: [], plane: [], meters: [6, 20] };
const HINTS = {
  line: "Drag from one end of the line to the other. Left of this direction is in; an arrow shows it.",
  zone: "Click corner after corner. A click on the first one or a double click closes the zone, Esc cancels it.",
  plane: "Click the four corners of a rectangle on the ground. Then type its width and length.",
  "": "Drag points to move them.",
};

let name = "";
let scene = EMPTY;
let valid = null; // the last scene that a frame was shown with

export function openScene(picture) {
  name = `scene of ${picture}`;
  scene = { ...EMPTY, ...kept(name) };
  valid = null;
}

// Corners in an order that goes around, from the far left one.
function around(points) {
  const [cx, cy] = [0, 1].map((at) => points.reduce((sum, one) => sum + one[at], 0) / points.length);
  const sorted = [...points].sort((a, b) => Math.atan2(a[1] - cy, a[0] - cx) - Math.atan2(b[1] - cy, b[0] - cx));
  const height = (k) => sorted[k][1] + sorted[(k + 1) % 4][1]; // of the edge that begins here
  const first = [0, 1, 2, 3].reduce((best, k) => (height(k) < height(best) ? k : best));
  return sorted.map((_, k) => sorted[(first + k) % 4]);
}

export class OverTime {
  constructor(panel, on, changed) {
    Object.assign(this, { changed, root: panel, says: [], tool: "", draft: [], held: null, size: [1, 1] });
    const one = (selector) => panel.querySelector(selector);
    [this.box, this.tools, this.drawn, this.layer] = [".time", ".tools", ".drawn", ".draw"].map(one);
    [this.hint, this.progress] = [".hint", ".progress"].map(one);
    this.set(on);
    one(".track").addEventListener("change", (event) => { this.set(event.target.checked); changed(); });
    for (const button of panel.querySelectorAll("[data-tool]")) {
      button.addEventListener("click", () => this.take(this.tool === button.dataset.tool ? "" : button.dataset.tool));
    }
    one(".clear").addEventListener("click", () => { this.take(""); this.edit({ ...EMPTY, meters: scene.meters }); });
    for (const event of ["pointerdown", "pointermove", "pointerup", "pointercancel"]) {
      this.layer.addEventListener(event, (it) => this[event](it));
    }
    // A finger on a point does not scroll: Chromium takes no touch-action from parts of an SVG.
    this.layer.addEventListener("touchstart", (event) => event.preventDefault(), { passive: false });
    addEventListener("keydown", (event) => { if (event.key === "Escape") this.take(""); });
    new ResizeObserver(() => this.paint()).observe(this.layer);
  }

  set(on) {
    this.on = this.root.querySelector(".track").checked = on === true;
    this.take("");
  }

  request() { return this.on ? scene : null; }

  // `newest`: nothing has been changed since it was asked for
  show(found, newest) {
    if (this.name !== name) this.take(""); // another picture
    this.name = name;
    this.box.hidden = !found.trackable;
    this.size = [found.width, found.height];
    this.root.querySelector(".speed").hidden = !found.scene?.plane.length;
    this.says = found.says ?? [];
    if (found.scene && newest) {
      if (String(found.scene.size) !== String(scene.size)) keep(name, scene = found.scene); // in a frame of another size
      valid = scene;
    }
    this.wait();
    this.list();
    this.paint();
  }

  // An error of what was drawn last takes it away. Returns whether there was something to take away.
  undo(message) {
    if (!valid || valid === scene) return false;
    keep(name, scene = valid);
    this.problem = message;
    return true;
  }

  // A look that goes on: how far it is.
  wait(found = null) {
    this.progress.hidden = !found;
    if (found) this.progress.textContent = `${found.doing ?? "Tracking"}: frame ${found.tracked} of ${found.frames}`;
  }

  clear() {
    this.box.hidden = !this.on; // it may be what was drawn that fails
    this.wait();
    this.list();
    this.take("");
    this.layer.replaceChildren();
  }

  edit(changes) {
    scene = { ...scene, ...changes, size: this.size };
    keep(name, scene);
    [this.says, this.problem] = [[], ""];
    this.list();
    this.paint();
    this.changed();
  }

  take(tool) {
    [this.tool, this.draft, this.held, this.problem] = [tool, [], null, ""];
    for (const button of this.root.querySelectorAll("[data-tool]")) button.ariaPressed = String(button.dataset.tool === tool);
    this.paint();
  }

  // ---- what was drawn, as a list ----

  list() {
    this.tools.hidden = !this.on;
    const row = (title, said, remove, ...below) => {
      const button = element("button", { type: "button", textContent: "Remove", ariaLabel: `Remove ${title}` });
      button.addEventListener("click", () => this.edit(remove));
      return element("li", {}, element("span", { textContent: said ?? title }), button, ...below);
    };
    const rows = ["lines", "zones"].flatMap((kind) => scene[kind].map((_, k) => {
      const title = kind.slice(0, -1) + (scene[kind].length > 1 ? ` ${k + 1}` : "");
      return row(title, this.says[k + (kind === "zones" ? scene.lines.length : 0)],
        { [kind]: scene[kind].filter((_, other) => other !== k) });
    }));
    if (scene.plane.length) {
      const fields = ["Width", "Length"].map((text, k) => {
        const field = element("input", { type: "number", min: 0.1, step: "any", value: scene.meters[k] });
        field.addEventListener("change", () => {
          const typed = Number(field.value);
          if (typed >= 0.1 && typed <= 10000) this.edit({ meters: scene.meters.map((one, at) => (at === k ? typed : one)) });
          else field.value = scene.meters[k];
        });
        return element("label", {}, `${text} `, field, " m");
      });
      rows.push(row("plane", null, { plane: [] }, element("p", {}, ...fields)));
    }
    if (!this.drawn.contains(document.activeElement) || !document.activeElement.matches("input")) this.drawn.replaceChildren(...rows);
    this.root.querySelector(".clear").disabled = !rows.length;
  }

  // ---- the mouse, or a finger ----

  get scale() { return 1 / (this.layer.getScreenCTM()?.a || 1); } // pixels of the frame for one of the screen

  at(event) {
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.layer.getScreenCTM().inverse());
    return [x, y].map((one, k) => Math.round(Math.min(Math.max(one, -BEYOND), this.size[k] + BEYOND)));
  }

  near(a, b) { return Math.hypot(a[0] - b[0], a[1] - b[1]) < NEAR * this.scale; }

  pointerdown(event) {
    if (event.button) return;
    event.preventDefault();
    const at = this.at(event);
    const { kind, shape, corner } = event.target.dataset;
    const again = this.draft.length > 0 && this.near(at, this.draft.at(-1)); // the second click of a double click
    if (!this.tool && kind) {
      const points = [...shapesOf(kind)[shape]];
      this.held = { kind, shape: Number(shape), corner: Number(corner), points, dot: event.target.parentNode };
    } else if (this.tool === "line") this.draft = [at, at];
    else if (this.tool === "zone" && this.draft.length > 2 && (this.near(at, this.draft[0]) || again)) return this.finish();
    else if (this.tool && !again) this.draft.push(at);
    if (this.held || this.tool === "line") this.layer.setPointerCapture(event.pointerId);
    if (this.tool === "plane" && this.draft.length === 4) this.finish();
    this.paint();
  }

  pointermove(event) {
    this.pointer = this.at(event);
    if (this.held) this.held.points[this.held.corner] = this.pointer;
    else if (this.tool === "line" && this.draft.length) this.draft[1] = this.pointer;
    else if (!this.draft.length) return;
    this.paint();
  }

  pointerup() {
    if (this.held) {
      const { kind, shape, points } = this.held;
      this.held = null;
      this.edit({ [kind]: kind === "plane" ? around(points) : scene[kind].map((one, k) => (k === shape ? points : one)) });
    } else if (this.tool === "line" && this.draft.length) {
      if (this.near(...this.draft)) this.draft = []; // a click is no line
      else this.finish();
    }
  }

  pointercancel() { this.take(""); }

  finish() {
    const { tool, draft } = this;
    this.take("");
    this.edit(tool === "plane" ? { plane: around(draft) } : { [`${tool}s`]: [...scene[`${tool}s`], draft] });
  }

  // ---- marks over the frame: n6post has drawn what is finished ----

  paint() {
    this.layer.classList.toggle("active", this.tool !== "");
    this.hint.textContent = this.problem || HINTS[this.tool];
    this.hint.classList.toggle("bad", this.problem !== "");
    this.hint.hidden = !this.tool && !this.problem && this.drawn.childElementCount === 0;
    this.layer.setAttribute("viewBox", `0 0 ${this.size.join(" ")}`);
    if (!this.on || this.box.hidden) return this.layer.replaceChildren();
    const line = (points, closed) => ["edge", "line"].map((className) =>
      svg(closed ? "polygon" : "polyline", { class: className, points: points.join(" ") }));
    const dot = ([cx, cy], data = {}) => {
      const made = svg("g", {}, svg("circle", { cx, cy, r: 14 * this.scale }), svg("circle", { class: "dot", cx, cy, r: 5 * this.scale }));
      for (const circle of made.children) Object.assign(circle.dataset, data);
      return made;
    };
    const { held, draft } = this;
    if (held) { // a finger's next events come only while its element stays
      const [cx, cy] = held.points[held.corner];
      for (const circle of held.dot.children) for (const [key, value] of Object.entries({ cx, cy })) circle.setAttribute(key, value);
      for (const old of this.layer.querySelectorAll(".edge, .line")) old.remove();
      return this.layer.prepend(...line(held.points, held.kind !== "lines"));
    }
    const marks = ["lines", "zones", "plane"].flatMap((kind) => shapesOf(kind).flatMap((points, shape) =>
      points.map((point, corner) => dot(point, { kind, shape, corner }))));
    if (draft.length) marks.push(...line(this.tool === "line" || !this.pointer ? draft : [...draft, this.pointer]), ...draft.map((one) => dot(one)));
    this.layer.replaceChildren(...marks);
  }
}

const shapesOf = (kind) => (kind === "plane" ? [scene.plane].filter((one) => one.length) : scene[kind]);
