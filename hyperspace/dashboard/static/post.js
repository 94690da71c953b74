// @ts-check
// Posts a change: with the token of this session, and a key under which it is done once.

/** @param {string} address @param {unknown} what @param {string} [key] @returns {Promise<any>} */
export async function post(address, what, key = crypto.randomUUID()) {
  const token = document.querySelector('meta[name="change-token"]')?.getAttribute("content") ?? "";
  const headers = { "Content-Type": "application/json", "Hyperspace-Change": token, "Idempotency-Key": key };
  const reply = await fetch(address, { method: "POST", headers, body: JSON.stringify(what) });
  return reply.json();
}

/** What a person filled in; empty fields are left out.
 *  @param {HTMLFormElement} form */
export function filled(form) {
  /** @type {Record<string, any>} */
  const fields = {};
  for (const element of form.querySelectorAll("input, select, textarea")) {
    const { name, value, type, checked } = /** @type {HTMLInputElement} */ (element);
    if (value === "" || (type === "checkbox" && !checked)) continue;
    const [outer, inner] = name.split(".");
    const words = element.hasAttribute("data-list") ? value.split(/\s+/).filter(Boolean) : value;
    const content = type === "checkbox" ? true : type === "number" ? Number(value) : words;
    if (inner) (fields[outer] ??= {})[inner] = content;
    else fields[outer] = content;
  }
  return fields;
}
