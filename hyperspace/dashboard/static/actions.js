// @ts-check
// Posts forms that start a run or move it, each after it was asked once more; then opens what came of it.
import { filled, post } from "./post.js";

/** @param {any} forecast */
function cost({ rests_on: assumed, spread, ...levels }) {
  return [...Object.keys(assumed).map((name) => [name, levels[name]]).map(([name, { calls, prompt_tokens, completion_tokens, usd, seconds }]) =>
    `${name}: ${calls} model calls, ${prompt_tokens + completion_tokens} tokens, ${usd === null ? "an unknown price" : `$${usd.toFixed(2)}`}, ${Math.ceil(seconds / 60)} min (${assumed[name]})`), spread].join("\n");
}

/** Posts, and tells what came of it; the same press of a button is done once.
 *  @param {string} address @param {unknown} what @param {Element | null} output */
async function act(address, what, output, key = crypto.randomUUID()) {
  const told = await post(address, what, key).catch((error) => ({ error: error.message }));
  if (output && told.error) output.textContent = told.error;
  return told;
}

for (const form of document.querySelectorAll("form.act")) {
  if (!(form instanceof HTMLFormElement)) continue;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const [button, output] = [form.querySelector("button"), form.querySelector("output")];
    if (!button || button.disabled) return;
    button.disabled = true;
    if (output) output.textContent = "It is at work.";
    const [what, forecast] = [filled(form), form.dataset.forecast];
    const ahead = forecast ? await act(forecast, what, output) : {};
    const words = [`${button.textContent}?`, form.dataset.about, ahead.expected ? cost(ahead) : ""];
    const goes = !ahead.error && window.confirm(words.filter(Boolean).join("\n"));
    if (goes) {
      const told = await act(form.action, what, output);
      if (!told.error) window.location.assign(told.address);
    } else if (output && !ahead.error) output.textContent = "";
    button.disabled = false;
  });
}

document.querySelector("button#away")?.addEventListener("click", async () => {
  const [boxes, output] = [[...document.querySelectorAll("input[name=runs]:checked")], document.querySelector("output#moved")];
  const names = boxes.map((box) => box.closest("tr")?.querySelector("a")?.textContent ?? "");
  if (!boxes.length || !window.confirm(`Move to the trash folder?\n${names.join("\n")}`)) return;
  for (const box of boxes) {
    const told = await act(`/api/runs/${box.getAttribute("value")}/trash`, {}, output);
    if (told.error) return;
  }
  window.location.assign("/trash");
});
