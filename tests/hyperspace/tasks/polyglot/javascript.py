"""Answers in JavaScript, written from the statements alone: they hold the references to them."""

JAVASCRIPT = {
    "tidemerge": """
function solve({segments}) {
  const borders = [...new Set(segments.flatMap(s => [s[0], s[1]]))].sort((a, b) => a - b);
  const steps = [];
  for (let i = 0; i + 1 < borders.length; i++) {
    const over = segments.filter(s => s[0] <= borders[i] && borders[i] < s[1]).map(s => s[2]);
    if (!over.length) continue;
    const level = Math.max(...over), last = steps[steps.length - 1];
    if (last && last[1] === borders[i] && last[2] === level) last[1] = borders[i + 1];
    else steps.push([borders[i], borders[i + 1], level]);
  }
  return steps;
}
""",
    "vowelshift": """
function solve({mode, text}) {
  let vowels = 0, done = '';
  for (const c of text) {
    let moved = c;
    if (/[a-z]/i.test(c)) {
      const first = c >= 'a' ? 97 : 65, by = mode === 'encode' ? vowels : -vowels;
      moved = String.fromCharCode(first + (((c.charCodeAt(0) - first + by) % 26) + 26) % 26);
    }
    if (/[aeiou]/i.test(mode === 'encode' ? c : moved)) vowels++;
    done += moved;
  }
  return done;
}
""",
    "weavecount": """
function solve({top, bottom, p}) {
  const next = {}, ends = [];
  for (const c of top) { next[c] = bottom.indexOf(c, next[c] ?? 0); ends.push(next[c]++); }
  let n = 0, w = 0;
  const value = i => top.charCodeAt(i) - 96;
  for (let i = 0; i < top.length; i++) for (let j = 0; j < i; j++)
    if (ends[j] > ends[i]) { n++; w += value(i) * value(j); }
  return [n, w % p];
}
""",
    "ledgerfold": r"""
function solve({entries}) {
  const ids = new Set(), made = new Map(), balance = {}, refused = [];
  for (const [id, kind, account, amount, ref] of entries) {
    let ok = !ids.has(id);
    ids.add(id);
    const of = made.get(ref);
    if (ok && (kind === 'pay' || kind === 'hold')) {
      made.set(id, {account, amount, left: amount, open: kind === 'hold', done: kind === 'pay'});
      balance[account] = (balance[account] ?? 0) + (kind === 'pay' ? amount : 0);
    } else if (ok && kind === 'clear' && of && of.open) {
      of.open = false; of.done = true; balance[of.account] += of.amount;
    } else if (ok && kind === 'void' && of && of.open) {
      of.open = false;
    } else if (ok && kind === 'refund' && of && of.done && of.left >= amount) {
      of.left -= amount; balance[of.account] -= amount;
    } else refused.push(id);
  }
  return [Object.entries(balance).sort((a, b) => a[0] < b[0] ? -1 : 1), refused];
}
""",
    "cachewalk": r"""
function solve({policy, capacity, ttl, requests}) {
  let cache = [], hits = 0, expired = 0;  // least recently used first
  const evicted = [];
  for (const [time, key] of requests) {
    const young = cache.filter(e => e.at + ttl > time);
    expired += cache.length - young.length;
    cache = young;
    let entry = cache.find(e => e.key === key);
    if (entry) { hits++; entry.uses++; cache = cache.filter(e => e !== entry); }
    else {
      entry = {key, at: time, uses: 1};
      if (cache.length === capacity) {
        const least = policy === 'lru' ? 0 : Math.min(...cache.map(e => e.uses));
        const victim = policy === 'lru' ? cache[0] : cache.find(e => e.uses === least);
        cache = cache.filter(e => e !== victim);
        evicted.push(victim.key);
      }
    }
    cache.push(entry);
  }
  return [hits, expired, evicted];
}
""",
    "queuepark": r"""
function solve({lanes, size, events}) {
  const lane = new Map(), order = [];  // car to lane; cars of all lanes, last in last
  const free = n => size - order.filter(c => lane.get(c) === n).length;
  const enter = (car, not) => {
    let best = -1;
    for (let n = 0; n < lanes; n++)
      if (n !== not && free(n) > 0 && (best < 0 || free(n) > free(best))) best = n;
    if (best >= 0) { lane.set(car, best); order.push(car); }
    return best;
  };
  const leave = car => { lane.delete(car); order.splice(order.indexOf(car), 1); };
  return events.map(([kind, car]) => {
    if (kind === 'in') return lane.has(car) ? -1 : enter(car, -1);
    if (!lane.has(car)) return -1;
    const home = lane.get(car);
    const behind = order.slice(order.indexOf(car) + 1).filter(c => lane.get(c) === home).reverse();
    let room = 0;
    for (let n = 0; n < lanes; n++) if (n !== home) room += free(n);
    if (room < behind.length) return -1;
    for (const other of behind) { leave(other); enter(other, home); }
    leave(car);
    return behind.length;
  });
}
""",
    "loom8": r"""
function solve({program, cap}) {
  const reg = {a: 0, b: 0, c: 0, d: 0}, out = [];
  let pc = 0, n = 0;
  for (; n < cap && program[pc]; n++) {
    const [op, x, y] = program[pc];
    let next = pc + 1;
    switch (op) {
      case 'set': reg[x] = ((y % 65536) + 65536) % 65536; break;
      case 'copy': reg[x] = reg[y]; break;
      case 'add': reg[x] = (reg[x] + reg[y]) & 65535; break;
      case 'sub': reg[x] = (reg[x] - reg[y]) & 65535; break;
      case 'half': reg[x] >>= 1; break;
      case 'out': out.push(reg[x]); break;
      case 'jump': next = pc + x; break;
      case 'skip': if (reg[x] < reg[y]) next = pc + 2;
    }
    pc = next;
  }
  return [out, n, program[pc] ? 'cap' : 'end'];
}
""",
    "outline": r"""
function solve({lines}) {
  const root = [], path = [];
  for (let i = 0; i < lines.length; i++) {
    const [, spaces, title] = lines[i].match(/^( *)(.*?) *$/);
    if (title === '') continue;
    const level = spaces.length / 2;
    if (!Number.isInteger(level) || level > path.length) return i + 1;
    path.length = level;
    const node = [title, []];
    (level ? path[level - 1][1] : root).push(node);
    path.push(node);
  }
  return root;
}
""",
    "tagrange": r"""
const read = text => {
  const [, a, b, c, word, number] = text.match(/^(\d+)\.(\d+)\.(\d+)(?:-([a-z]+)(\d*))?$/);
  return {three: [+a, +b, +c], word, number: +(number || 0)};
};
const compare = (s, t) => {
  const x = read(s), y = read(t);
  for (let i = 0; i < 3; i++) if (x.three[i] !== y.three[i]) return x.three[i] - y.three[i];
  if (!x.word || !y.word) return (x.word ? 0 : 1) - (y.word ? 0 : 1);
  return x.word === y.word ? x.number - y.number : x.word < y.word ? -1 : 1;
};
const holds = {'>=': d => d >= 0, '<=': d => d <= 0, '>': d => d > 0, '<': d => d < 0,
               '!=': d => d !== 0, '=': d => d === 0};
function solve({versions, ranges}) {
  const list = ranges.split(',').map(r => r.match(/^([<>=!]+)(.*)$/).slice(1));
  const same = (v, w) => read(v).three.join() === read(w).three.join();
  const near = v => list.some(([, w]) => read(w).word && same(v, w));
  const fits = v => list.every(([sign, w]) => holds[sign](compare(v, w)));
  return [...new Set(versions)].filter(v => fits(v) && (!read(v).word || near(v))).sort(compare);
}
""",
    "shiftcheck": r"""
function solve({rest, hours, skills, shifts}) {
  const order = shifts.map((s, i) => ({s, i})).sort((a, b) => a.s[1] - b.s[1] || a.i - b.i);
  for (const [k, {s: [worker, start, end, skill], i}] of order.entries()) {
    const before = order.slice(0, k).map(x => x.s).filter(s => s[0] === worker);
    if (!(worker in skills)) return [i, 'worker'];
    if (!skills[worker].includes(skill)) return [i, 'skill'];
    if (before.some(s => s[2] > start - rest)) return [i, 'rest'];
    const week = Math.floor(start / 168);
    const same = before.filter(s => Math.floor(s[1] / 168) === week);
    if (same.reduce((sum, s) => sum + s[2] - s[1], end - start) > hours) return [i, 'hours'];
  }
  return null;
}
""",
    "moonleap": r"""
const leap = y => y % 4 === 0 && y % 128 !== 0;
const size = (y, m) => 28 + (m === 13 ? 1 : 0) + (m === 7 && leap(y) ? 1 : 0);
const yearSize = y => 365 + (leap(y) ? 1 : 0);
const CYCLE = 128 * 365 + 31;
function solve({date: [y, m, d], days}) {
  if (y < 1 || m < 1 || m > 13 || d < 1 || d > size(y, m)) return null;
  let n = days + d - 1, base = Math.floor((y - 1) / 128);
  for (let i = 1; i < m; i++) n += size(y, i);
  for (let i = base * 128 + 1; i < y; i++) n += yearSize(i);
  n += base * CYCLE;
  if (n < 0) return null;
  const weekday = n % 7;
  y = 1 + 128 * Math.floor(n / CYCLE); n %= CYCLE; m = 1;
  while (n >= yearSize(y)) n -= yearSize(y++);
  while (n >= size(y, m)) n -= size(y, m++);
  return [y, m, n + 1, weekday];
}
""",
}
