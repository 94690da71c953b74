// @ts-check
// Posts wishes about a run, each after it was asked once more; then the page shows what is on record.
import { legible } from "./legible.js";
import { filled, post } from "./post.js";

for (const form of document.querySelectorAll("form.change")) {
  if (!(form instanceof HTMLFormElement)) continue;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const output = /** @type {HTMLElement} */ (form.querySelector("output"));
    const button = form.querySelector("button")?.textContent ?? "";
    const fields = filled(form);
    const words = Object.entries(fields).map(([name, value]) => `${name}: ${value}`).join("\n");
    if (!window.confirm(`${button}?\n${words}`)) return;
    const told = await post(form.action, { verb: form.dataset.verb, fields }).catch((error) => ({ error: error.message }));
    output.textContent = legible(told.error ?? `On record: ${told.text}`);
    if (!told.error) window.location.reload();
  });
}
