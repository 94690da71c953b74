// @ts-check
// Posts wishes about a run, each after it was asked once more; then the page shows what is on record.
import { legible } from "./legible.js";
import { post } from "./post.js";

for (const form of document.querySelectorAll("form.change")) {
  if (!(form instanceof HTMLFormElement)) continue;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const output = /** @type {HTMLElement} */ (form.querySelector("output"));
    const button = form.querySelector("button")?.textContent ?? "";
    /** @type {Record<string, string | number>} */
    const fields = {};
    for (const input of form.querySelectorAll("input, select, textarea")) {
      const { name, value } = /** @type {HTMLInputElement} */ (input);
      if (value !== "") fields[name] = input.getAttribute("type") === "number" ? Number(value) : value;
    }
    const words = Object.entries(fields).map(([name, value]) => `${name}: ${value}`).join("\n");
    if (!window.confirm(`${button}?\n${words}`)) return;
    const told = await post(form.action, { verb: form.dataset.verb, fields }).catch((error) => ({ error: error.message }));
    output.textContent = legible(told.error ?? `On record: ${told.text}`);
    if (!told.error) window.location.reload();
  });
}
