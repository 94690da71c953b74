// @ts-check
// What is live on a run's page: texts, marks and curves change as the server tells. A hidden page
// listens to nothing, because a browser opens few connections to one host.

import { legible } from "./legible.js";
import { plots } from "./plots.js";

const [MOST_MARKS, COME_BACK_MS] = [30, 3000];
const figure = document.getElementById("plots");
const address = document.querySelector("[data-events]")?.getAttribute("data-events");
/** @type {?EventSource} */
let source = null;
let id = "";
let wasRefused = false;

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
  if (!document.getElementById("state")) return openAgain();
  for (const [key, cell] of Object.entries(message.cells ?? {})) put(key, cell);
  message.marks?.forEach(show);
  plots?.take(message);
}

/** Opens a page again that was opened before its run could be read: it has no place for news.
 *  Where that was tried, and the run could be read all the time, it is left as it is. */
function openAgain() {
  stop();
  const [opening] = performance.getEntriesByType("navigation");
  if (wasRefused || Reflect.get(opening, "type") !== "reload") location.reload();
}

function listen() {
  if (document.hidden || !address || source) return;
  source = new EventSource(`${address}?after=${encodeURIComponent(id)}`);
  source.onmessage = take;
  source.onopen = () => figure?.classList.remove("away");
  source.onerror = () => {
    figure?.classList.toggle("away", id !== ""); // else it was never there
    if (source?.readyState !== EventSource.CLOSED) return; // the browser tries again by itself
    stop();
    wasRefused = true;
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
