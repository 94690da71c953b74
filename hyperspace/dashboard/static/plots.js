// @ts-check
// The plots of a run: scores with adoptions as arrows, and strips under the same axis. Numbers come
// from the run's metrics, no more of them than the screen can show; zooming in asks for more.

import { legible } from "./legible.js";

/** @typedef {{id: string, agent: string, generation: number, peer: string, peer_generation: number,
 *   told: string, valid: boolean}} Arrow */
/** @typedef {{name: string, last: number, series: Object<string, (number|null)[]>}} Agent */
/** @typedef {{first: number, last: number, is_exact: boolean, xs: number[], agents: Agent[],
 *   arrows: Arrow[]}} Metrics */

/** @type {any} */
const uPlot = Reflect.get(window, "uPlot");
const home = document.getElementById("plots");
/** @type {HTMLElement[]} */
const strips = [...(home?.querySelectorAll(".strip") ?? [])].flatMap((box) => (box instanceof HTMLElement ? box : []));
const [COLOURS, MOST_POINTS, REFETCH_MS, BEND, MOST_BENT_PX] = [8, 600, 3000, 0.18, 56];

/** @param {string} name */
const ink = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** @param {number} at */
function colour(at) {
  const sample = document.querySelector(`.series-${at % COLOURS}`);
  return sample ? getComputedStyle(sample).color : ink("--ink");
}

/** @param {string} name @param {Object<string, any>} attributes @param {Node[]} inside */
function shape(name, attributes, ...inside) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.append(...inside);
  return made;
}

/** A place to point at: its title shows on hover, and a click follows it.
 *  @param {string} href @param {string} label @param {Object<string, any>} look @param {Node[]} shapes */
function target(href, label, look, ...shapes) {
  const title = shape("title", {});
  title.textContent = legible(label);
  return shape("a", { href, draggable: false, ...look }, ...shapes, title);
}

/** The range of an axis of scores, as `scale_of` on the server has it.
 *  @param {any} _ @param {?number} low @param {?number} high */
function scoreRange(_, low, high) {
  if (low === null || high === null) return [0, 1];
  const [isWithin, areEqual] = [low >= 0 && high <= 1, high - low < 1e-9];
  const around = areEqual ? (isWithin ? 0.05 : 0.5) : 0.06 * (high - low);
  return isWithin ? [Math.max(0, low - around), Math.min(1, high + around)] : [low - around, high + around];
}

/** @param {any} u @param {?number} low @param {?number} high */
const generationRange = (u, low, high) => (u.data[0].length > 1 ? [low, high] : [u.data[0][0] ?? 0, (u.data[0][0] ?? 0) + 1]);
/** @param {any} _ @param {number[]} values */
const tickTexts = (_, values) => values.map((value) => value.toLocaleString("en", { maximumSignificantDigits: 6 }));

class RunPlots {
  /** @param {HTMLElement} figure */
  constructor(figure) {
    this.figure = figure;
    /** @type {?Metrics} */
    this.metrics = null;
    /** @type {any[]} */
    this.plots = [];
    /** @type {number[]} */
    this.zoom = [];
    this.waiting = 0;
    new ResizeObserver(() => {
      for (const plot of this.plots) plot.setSize({ width: this.width, height: plot.height });
    }).observe(figure);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  get width() {
    return Math.max(300, this.figure.clientWidth);
  }

  async load() {
    const series = ["val", "best", ...strips.map((strip) => strip.dataset.series)].join();
    const query = new URLSearchParams({ series, columns: `${Math.min(2000, this.width)}` });
    this.zoom.forEach((end, at) => query.set(["from", "to"][at], `${Math.max(0, Math.round(end))}`));
    const answer = await fetch(`${this.figure.dataset.metrics}?${query}`).catch(() => null);
    if (!answer?.ok) return;
    this.metrics = await answer.json();
    this.draw();
  }

  /** Load again soon, however often this is called. */
  reload() {
    this.waiting ||= window.setTimeout(() => {
      this.waiting = 0;
      this.load();
    }, REFETCH_MS);
  }

  draw() {
    const scores = this.figure.querySelector("#scores");
    if (!this.metrics || !scores) return;
    for (const plot of this.plots) plot.destroy();
    scores.querySelector("svg")?.classList.add("replaced");
    this.plots = [this.plot(scores, ["val", "best"], this.figure.dataset.unit === "idea" ? "score" : "validation score")];
    for (const strip of strips) {
      const name = strip.dataset.series ?? "";
      strip.hidden = !this.metrics.agents.some((agent) => agent.series[name]?.some(Boolean));
      if (!strip.hidden) this.plots.push(this.plot(strip, [name], strip.dataset.label ?? name));
    }
  }

  /** @param {string[]} names */
  data(names) {
    const { xs, agents } = /** @type {Metrics} */ (this.metrics);
    return [xs, ...names.flatMap((name) => agents.map((agent) => agent.series[name]))];
  }

  /** @param {Element} box @param {string[]} names @param {string} label */
  plot(box, names, label) {
    const agents = this.metrics?.agents ?? [];
    // Where there are many points, the best so far stands out, and no longer every score.
    const isCrowded = (this.metrics?.xs.length ?? 0) * agents.length > MOST_POINTS;
    const [isScores, font] = [names[0] === "val", "12px system-ui, sans-serif"];
    const grid = { stroke: ink("--line"), width: 1 };
    const axis = { stroke: ink("--faint"), font, labelFont: font, grid, ticks: { show: false } };
    const lines = names.flatMap((name) => agents.map((_, at) => ({
      stroke: colour(at),
      dash: at < COLOURS ? [] : [8, 3 + Math.floor(at / COLOURS)],
      spanGaps: name !== "val",
      ...(name === "best"
        ? { width: isCrowded ? 2 : 1, alpha: isCrowded ? 1 : 0.5, points: { show: false }, paths: uPlot.paths.stepped({ align: 1 }) }
        : { width: isScores && isCrowded ? 1 : 2, alpha: isScores && isCrowded ? 0.35 : 1, points: { size: isScores ? 7 : 4, fill: colour(at) } }),
    })));
    const plot = new uPlot({
      width: this.width,
      height: isScores ? 352 : 84,
      padding: [isScores ? 30 : 8, 16, isScores ? 0 : 8, 0], // arrows between the best bend above them
      legend: { show: false },
      cursor: { sync: { key: "run" }, drag: { x: true, y: false }, y: false },
      scales: { x: { time: false, range: generationRange }, y: isScores ? { range: scoreRange } : {} },
      series: [{}, ...lines],
      axes: [
        { ...axis, show: isScores, label: this.figure.dataset.unit ?? "generation", size: 24, labelSize: 18, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000] },
        { ...axis, label, size: 60, labelSize: 18, space: isScores ? 40 : 24, values: tickTexts },
      ],
      hooks: {
        setSelect: [(/** @type {any} */ u) => {
          const { left, width } = u.select;
          if (width > 3) this.zoomTo([left, left + width].map((px) => u.posToVal(px, "x")));
        }],
        draw: isScores ? [(/** @type {any} */ u) => this.targets(u)] : [],
      },
    }, this.data(names), box);
    plot.over.addEventListener("dblclick", () => this.zoomTo([]));
    return plot;
  }

  /** @param {number[]} range */
  zoomTo(range) {
    this.zoom = range;
    this.load();
  }

  /** Lay arrows, and points that can be chosen, over the curves.
   *  @param {any} u */
  targets(u) {
    const { xs, agents, arrows, first, last, is_exact } = /** @type {Metrics} */ (this.metrics);
    const run = this.figure.dataset.run;
    /** @param {string} name @param {number} generation @returns {number[]} */
    const spot = (name, generation) => {
      const agent = generation < first || generation > last ? null : agents.find((each) => each.name === name);
      const value = agent?.series.val[xs.filter((x) => x <= generation).length - 1] ?? NaN;
      return [u.valToPos(generation, "x"), u.valToPos(value, "y")];
    };
    /** @type {Node[]} */
    const all = [];
    if (is_exact && xs.length * agents.length <= MOST_POINTS) {
      for (const { name, series } of agents) {
        xs.forEach((generation, at) => {
          const [[cx, cy], score] = [spot(name, generation), series.val[at]?.toFixed(3)];
          if (score === undefined) return;
          const [label, below] = this.figure.dataset.unit === "idea" ? [`idea ${generation}: ${score}`, `ideas/${generation}`]
            : [`${name} gen ${generation}: val ${score}`, `agents/${encodeURIComponent(name)}/generations/${generation}`];
          all.push(target(`${run}/${below}`, label, { class: "point" }, shape("circle", { cx, cy, r: 8 })));
        });
      }
    }
    for (const arrow of arrows) {
      const [[x1, y1], [x2, y2]] = [spot(arrow.peer, arrow.peer_generation), spot(arrow.agent, arrow.generation)];
      if (Number.isNaN(y1 + y2)) continue;
      const bend = Math.min(BEND, MOST_BENT_PX / Math.hypot(x2 - x1, y2 - y1));
      const [cx, cy] = [(x1 + x2) / 2 + (y2 - y1) * bend, (y1 + y2) / 2 - (x2 - x1) * bend];
      const turn = (Math.atan2(y2 - cy, x2 - cx) * 180) / Math.PI;
      const line = { d: `M${x1} ${y1}Q${cx} ${cy} ${x2} ${y2}` };
      const head = { d: "M0 0L-9 4L-9 -4Z", transform: `translate(${x2} ${y2}) rotate(${turn})` };
      const look = { class: arrow.valid ? "arrow" : "arrow weak" };
      all.push(target(`${run}/adoptions#${encodeURIComponent(arrow.id)}`, arrow.told, look,
        shape("path", { ...line, class: "reach" }), shape("path", line), shape("path", { ...head, class: "head" })));
    }
    const layer = u.over.querySelector("svg") ?? u.over.appendChild(shape("svg", { class: "targets" }));
    layer.replaceChildren(...all);
  }

  /** Take in what happened: closed generations, and adoptions that became known.
   *  @param {{last?: number[], points?: any[], arrows?: Arrow[]}} news */
  take({ last = [], points = [], arrows = [] }) {
    const metrics = this.metrics;
    if (!metrics) return;
    const known = new Set(metrics.arrows.map((arrow) => arrow.id));
    const fresh = arrows.filter((arrow) => !known.has(arrow.id));
    metrics.arrows.push(...fresh);
    for (const [at, generation, val, best] of this.zoom.length || !metrics.is_exact ? [] : points) {
      const agent = metrics.agents[at];
      if (generation !== agent.last + 1) continue;
      agent.last = metrics.xs[generation] = generation;
      const all = metrics.agents.flatMap((each) => Object.values(each.series));
      for (const values of all) values[generation] ??= null;
      [agent.series.val[generation], agent.series.best[generation]] = [val, best];
      metrics.last = Math.max(metrics.last, generation);
    }
    if (points.length || fresh.length) this.plots[0]?.setData(this.data(["val", "best"]));
    if (points.length || last.some((end, at) => end > metrics.agents[at]?.last)) this.reload();
  }
}

export const plots = home && uPlot ? new RunPlots(home) : null;
plots?.load();
