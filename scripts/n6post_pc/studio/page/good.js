// Learn: the good frames of the page, and their scores beside the threshold. All panels learn the same ones.

import { svg } from "./elements.js";

let good = []; // [picture, number] of each

export function keepGood(pictures, frames = good) { // those that are still on the page
  good = frames.filter(([picture]) => pictures.some(({ id }) => id === picture));
}

export class Good {
  // `now`: returns the frame that is shown. `stills`: returns the pictures that are no videos
  constructor(panel, now, stills, changed) {
    this.root = panel.querySelector(".good");
    const set = (frames) => { good = frames; changed(); };
    const is = ([picture, number]) => ([id, other]) => id === picture && other === number;
    this.at = () => good.findIndex(is(now()));
    const on = (selector, action) => this.root.querySelector(selector).addEventListener("click", action);
    on(".learn", () => set(this.at() < 0 ? [...good, now()] : good.filter((_, k) => k !== this.at())));
    on(".every", () => set([...good, ...stills().map(({ id }) => [id, 0]).filter((one) => !good.some(is(one)))]));
    on(".forget", () => set([]));
  }

  request() { return good; }

  show({ learned }, live) {
    this.root.hidden = !learned;
    if (!learned) return;
    const one = (selector) => this.root.querySelector(selector);
    one(".learn").ariaPressed = String(this.at() >= 0);
    one(".learn").disabled = live; // a camera's frames are not kept
    one(".forget").disabled = !good.length;
    const { scores, threshold, score, number, known, missing } = learned;
    const said = number < 0 ? "" : ` This one was learned: before that, its score was ${scores[number].toFixed(1)}.`;
    one(".hint").textContent = (missing ? `${missing}.` : `${scores.length} learned; ${(100 * known).toFixed(1)} % of the last ones was known before.`) + said;
    // The scores of the first frames are higher than all later ones, and count for little.
    const most = 1.1 * Math.max(1, threshold ?? 0, score, ...scores.slice(scores.length >> 1));
    const x = (value) => 10 + 320 * Math.min(value / most, 1);
    const mark = (value, name, text, y) => value === null ? [] : [svg("line", { x1: x(value), x2: x(value), y1: 14, y2: 44, class: name }),
      svg("text", { x: x(value), y, "text-anchor": x(value) < 170 ? "start" : "end", class: name }, `${text} ${value.toFixed(1)}`)];
    one(".scores").replaceChildren(svg("line", { x1: 10, x2: 330, y1: 44, y2: 44 }),
      ...scores.map((value, k) => svg("circle", { cx: x(value), cy: 40 - (k % 5) * 5, r: 2.5 })),
      ...mark(threshold, "limit", "threshold", 10), ...mark(number < 0 ? score : null, "now", "this one", 57));
  }
}
