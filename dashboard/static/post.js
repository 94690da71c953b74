// @ts-check
// Posts a change: with the token of this session, and a key under which it is done once.

/** @param {string} address @param {unknown} what @returns {Promise<any>} */
export async function post(address, what) {
  const token = document.querySelector('meta[name="change-token"]')?.getAttribute("content") ?? "";
  const headers = { "Content-Type": "application/json", "Hyperspace-Change": token, "Idempotency-Key": crypto.randomUUID() };
  const reply = await fetch(address, { method: "POST", headers, body: JSON.stringify(what) });
  return reply.json();
}
