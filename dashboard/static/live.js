// @ts-check
// What is live on a run's page: texts, marks and curves change as the server tells. A hidden page
// listens to nothing, because a browser opens few connections to one host.

import { legible } from "./legible.js";
import { plots } from "./plots.js";

const [MOST_MARKS, COME_BACK_MS] = [30, 3000];
const figure = document.getElementById("plots");
const address = figure?.dataset.events;
/** @type {?EventSource} */
let source = null;
let id = "";

/** @param {string} key @param {[string, string]} cell */
function put(key, [text, link]) {
  const textContent = legible(text);
  const place = document.getElementById(key);
  if (!place || (place.textContent === textContent && (place.getAttribute("href") ?? "") === link)) return;
  const made = document.createElement(link ? "a" : "span");
  if (link) made.setAttribute("href", link);
  place.replaceWith(Object.assign(made, { id: key, className: "fresh", textContent }));
}

/** @param {[number, string]} mark */
function show([value, text]) {
  const list = document.getElementById("marks");
  if (!list || value <= Number(list.firstElementChild?.getAttribute("value"))) return;
  list.prepend(Object.assign(document.createElement("li"), { textContent: legible(text), className: "fresh", value }));
  while (list.children.length > MOST_MARKS) list.lastElementChild?.remove();
}

/** @param {MessageEvent} event */
function take(event) {
  const message = JSON.parse(event.data);
  id = event.lastEventId;
  // Where the page was opened before the run could be read, it has no places for what is told now.
  if (message.cells?.best && !document.getElementById("state")) return location.reload();
  for (const [key, cell] of Object.entries(message.cells ?? {})) put(key, cell);
  message.marks?.forEach(show);
  plots?.take(message);
}

function listen() {
  if (document.hidden || !address || source) return;
  source = new EventSource(`${address}?after=${encodeURIComponent(id)}`);
  source.onmessage = take;
  source.onopen = () => figure?.classList.remove("away");
  source.onerror = () => {
    figure?.classList.add("away");
    if (source?.readyState !== EventSource.CLOSED) return; // the browser tries again by itself
    stop();
    setTimeout(comeBack, COME_BACK_MS);
  };
}

/** Listens again, unless the run is gone: an EventSource does not tell why it was refused. */
async function comeBack() {
  const answer = await fetch(address ?? "").catch(() => null);
  if (answer?.status === 404) return put("state", [await answer.text(), ""]);
  await answer?.body?.cancel();
  listen();
}

function stop() {
  source?.close();
  source = null;
}

document.addEventListener("visibilitychange", () => (document.hidden ? stop() : listen()));
addEventListener("pagehide", stop);
addEventListener("pageshow", listen);
listen();
