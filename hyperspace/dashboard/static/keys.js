// @ts-check
// Keys that work on every page: j and k move along rows, Enter opens one, / goes to the search, ?
// says so.

const HELP = "j, k: next and previous row\nEnter: open it\n/: search or filter\n?: this help\nEsc: leave";
let at = -1;

const rows = () => [...document.querySelectorAll("tbody tr")].filter((row) => row instanceof HTMLElement && row.offsetParent);

/** @param {number} step */
function move(step) {
  const all = rows();
  all[at]?.classList.remove("current");
  at = Math.max(0, Math.min(all.length - 1, at + step));
  all[at]?.classList.add("current");
  all[at]?.scrollIntoView({ block: "nearest" });
}

function help() {
  const dialog = document.querySelector("dialog.keys") ?? document.body.appendChild(Object.assign(document.createElement("dialog"), { className: "keys" }));
  dialog.replaceChildren(Object.assign(document.createElement("pre"), { textContent: HELP }));
  if (dialog instanceof HTMLDialogElement) dialog.open ? dialog.close() : dialog.showModal();
}

document.addEventListener("keydown", (event) => {
  const field = event.target instanceof HTMLElement && event.target.matches("input, textarea, select") ? event.target : null;
  if (field && event.key === "Escape") field.blur();
  if (field || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "j") move(1);
  else if (event.key === "k") move(-1);
  else if (event.key === "?") help();
  else if (event.key === "Enter" && event.target === document.body) rows()[at]?.querySelector("a")?.click();
  else if (event.key === "/") {
    event.preventDefault();
    const search = document.querySelector("input[type=search]");
    if (search instanceof HTMLElement) search.focus();
    else document.querySelector('nav a[href$="/search"]')?.dispatchEvent(new MouseEvent("click"));
  }
});
