// @ts-check
// Posts an input to an agent of the run, and shows what it answers.
import { legible } from "./legible.js";
import { post } from "./post.js";

const form = document.getElementById("review");

/** @param {HTMLFormElement} form @returns {Promise<string>} */
async function ask(form) {
  const inputs = JSON.parse(String(new FormData(form).get("inputs")));
  const { agent, generation } = form.dataset;
  const what = { agent, inputs, generation: generation ? Number(generation) : null, ask_model: new FormData(form).has("ask_model") };
  const told = await post(form.action, what);
  const paid = told.calls ? `\n\n${told.calls} model calls, $${told.cost_usd.toFixed(4)}` : "";
  return legible(told.answer ?? told.error) + paid;
}

if (form instanceof HTMLFormElement) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const answer = /** @type {HTMLElement} */ (form.querySelector("output"));
    answer.textContent = "It is at work.";
    answer.textContent = await ask(form).catch((error) => `Nothing was asked: ${error.message}`);
  });
}
