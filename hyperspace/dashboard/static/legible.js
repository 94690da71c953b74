// @ts-check
// Texts that others wrote, as `hyperspace/reporting/legible.py` shows them: what is hidden, by its code.

const HIDDEN = /[\0-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\xad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2028\u2029\u2060-\u2065\u206a-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;
const MOST_CHARACTERS = 200_000;

/** @param {string} letter */
function code(letter) {
  if (letter === "\r") return "\\r";
  const digits = (letter.codePointAt(0) ?? 0).toString(16);
  const [sign, size] = digits.length < 3 ? ["x", 2] : digits.length < 5 ? ["u", 4] : ["U", 8];
  return `\\${sign}${digits.padStart(size, "0")}`;
}

/** @param {string} text */
export function legible(text) {
  const leftOut = text.length - MOST_CHARACTERS;
  const shown = text.slice(0, MOST_CHARACTERS).replace(HIDDEN, code);
  return leftOut > 0 ? `${shown}… (${leftOut.toLocaleString("en")} characters more)` : shown;
}
