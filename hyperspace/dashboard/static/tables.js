// @ts-check
// Tables that sort by a click on a heading, filter, and copy as CSV; figures that are saved as SVG,
// and their numbers as CSV; commands to copy.

const FILTERED = 8; // rows from which on a table has a box to filter by

/** @param {Element} cell */
const text = (cell) => (cell.textContent ?? "").trim();
/** A cell of CSV; what a spreadsheet would take for a formula is made a text.
 *  @param {string} value */
function quoted(value) {
  const plain = /^[=+\-@\t\r]./.test(value) && Number.isNaN(Number(value)) ? `'${value}` : value;
  return /[",\n\r]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
/** @param {string[][]} rows */
const csv = (rows) => rows.map((row) => row.map(quoted).join()).join("\n");
/** @param {unknown[]} row */
const texts = (row) => row.map((value) => `${value ?? ""}`);
/** @param {string} value */
const number = (value) => parseFloat(value.replace(/[,$]/g, ""));

/** @param {string} textContent @param {() => any} act */
function button(textContent, act) {
  const made = Object.assign(document.createElement("button"), { type: "button", textContent, className: "small" });
  made.addEventListener("click", act);
  return made;
}

/** @param {string} download @param {string} content @param {string} type */
function save(download, content, type) {
  const href = URL.createObjectURL(new Blob([content], { type }));
  Object.assign(document.createElement("a"), { href, download }).click();
}

/** @param {HTMLTableElement} table */
function enhance(table) {
  const body = table.tBodies[0];
  for (const head of table.tHead?.rows[0]?.cells ?? []) {
    /** @param {HTMLTableRowElement} row */
    const value = (row) => text(row.cells[head.cellIndex]);
    const sort = button(text(head), () => {
      const sign = head.ariaSort === "ascending" ? -1 : 1;
      for (const other of head.parentElement?.children ?? []) other.ariaSort = null;
      head.ariaSort = sign > 0 ? "ascending" : "descending";
      body.append(...[...body.rows].sort((a, b) => {
        const apart = number(value(a)) - number(value(b));
        return sign * (Number.isNaN(apart) ? value(a).localeCompare(value(b)) : apart);
      }));
    });
    if (text(head)) head.replaceChildren(sort);
  }
  const tools = Object.assign(document.createElement("span"), { className: "tools" });
  if (body.rows.length >= FILTERED) {
    const filter = Object.assign(document.createElement("input"), { type: "search", placeholder: "filter", ariaLabel: "filter rows" });
    filter.addEventListener("input", () => {
      for (const row of body.rows) row.hidden = !text(row).toLowerCase().includes(filter.value.toLowerCase());
    });
    tools.append(filter);
  }
  const shown = () => [...table.rows].filter((row) => !row.hidden).map((row) => [...row.cells].map(text));
  tools.append(button("copy CSV", () => navigator.clipboard.writeText(csv(shown()))));
  table.caption?.append(" ", tools);
}

/** An SVG with its styles written into it, so that it looks the same alone.
 *  @param {SVGElement} svg */
function standalone(svg) {
  const copy = /** @type {SVGElement} */ (svg.cloneNode(true));
  const originals = svg.querySelectorAll("*");
  copy.classList.remove("replaced");
  copy.removeAttribute("data-rows");
  copy.querySelectorAll("*").forEach((element, at) => {
    const style = getComputedStyle(originals[at]);
    for (const name of ["fill", "stroke", "stroke-width", "opacity"]) element.setAttribute(name, style.getPropertyValue(name));
  });
  return new XMLSerializer().serializeToString(copy);
}

/** @param {string} address */
async function numbers(address) {
  const { xs, agents } = await (await fetch(`${address}?series=val,best,train,size,cost,tokens,refused&columns=2000`)).json();
  const names = Object.keys(agents[0]?.series ?? {});
  const rows = agents.flatMap((/** @type {any} */ { name, series }) => xs.map((/** @type {number} */ x, /** @type {number} */ at) => [name, `${x}`, ...names.map((each) => `${series[each][at] ?? ""}`)]));
  save("scores.csv", csv([["agent", "generation", ...names], ...rows]), "text/csv");
}

for (const table of document.querySelectorAll("table")) if (table.tBodies[0]) enhance(table);
for (const figure of document.querySelectorAll("figure")) {
  const [svg, caption] = [figure.querySelector("svg"), figure.querySelector("figcaption")];
  if (svg) caption?.append(" ", button("save SVG", () => save("figure.svg", standalone(svg), "image/svg+xml")));
  const rows = svg?.dataset.rows;
  if (rows) caption?.append(" ", button("save CSV", () => save("figure.csv", csv(JSON.parse(rows).map(texts)), "text/csv")));
  if (figure.dataset.metrics) caption?.append(" ", button("save CSV", () => numbers(figure.dataset.metrics ?? "")));
}

for (const command of document.querySelectorAll("code.command")) {
  command.after(" ", button("copy", () => navigator.clipboard.writeText(text(command))));
}

document.querySelector("form#choose")?.addEventListener("submit", (event) => {
  event.preventDefault();
  const chosen = [...document.querySelectorAll("input[name=runs]:checked")].map((box) => box.getAttribute("value"));
  if (chosen.length) location.assign(`${/** @type {HTMLFormElement} */ (event.target).action}?runs=${chosen.join()}`);
});
