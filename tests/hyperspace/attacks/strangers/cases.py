"""The corpus: run folders as a stranger may send them. One function a case."""

import os
from collections.abc import Callable

import msgspec

from tests.hyperspace.attacks.strangers.crafting import DEEP, ESCAPE, Craft, Mark

Case = Callable[[Craft], object]
CASES: dict[str, Case] = {}
BAD_LEDGER = (
    '{"kind":"settled","id":"x","agent":"tinker","generation":0,"purpose":"modify","call_id":"c",'
    '"model":"m","prompt_tokens":%s,"completion_tokens":0,"cached_tokens":0,"cache_write_tokens":0,'
    '"reasoning_tokens":0,"cost_usd":%s,"ended_utc":""}\n'
)


def _add(name: str, case: Case) -> None:
    assert name not in CASES
    CASES[name] = case


def _record(name: str, **fields: object) -> None:
    _add(name, lambda craft: craft.record(**fields))


def _link(path: str, target: str) -> None:
    _add(
        f"{path} is a link to {target}", lambda craft: craft.link(path, craft.outside.home / target)
    )


def _pipe(path: str) -> None:
    _add(f"{path} is a pipe", lambda craft: craft.pipe(path))


def _text(name: str, path: str, data: bytes | str) -> None:
    _add(name, lambda craft: craft.write(path, data))


# -- names and records

for bad in ("../..", "/etc", "..", "space.db", "test_eval", "a/b", "-x", "tinker\n", "a" * 300):
    _record(f"an agent is called {bad[:12]!r}", agents=[bad, "magpie"])
_record("two agents have one name", agents=["tinker", "tinker"])
_record("there are no agents", agents=[], models=[])
_record("there are more models than agents", models=["offline/tinker"] * 3)
_record("there are more members than agents", fleet={"members": []})
_record("generations are a text", generations="many")
_record("generations are below zero", generations=-5)
_record("a record of another form", format=ESCAPE)
_record("escapes in the record", domain=f"repo{ESCAPE}", sandbox=ESCAPE, models=[ESCAPE, ESCAPE])
_record("an address with escapes", models=[f"m@http://{ESCAPE}", "offline/magpie"])
_text("the record is nested deeply", "run_config.json", b'{"format": 1, "x": ' + DEEP + b"}")
_text("the record is large", "run_config.json", b'{"x": "' + b"x" * 20_000_000 + b'"}')
_link("run_config.json", ".ssh/id")
_pipe("run_config.json")
_add("the record is gone", lambda craft: (craft.run / "run_config.json").unlink())

# -- what would be executed, spent, sent


def _domain(craft: Craft) -> None:
    marker = craft.outside.home / "executed"
    craft.write("evil.py", f"open({str(marker)!r}, 'w').write('x')\n")
    craft.record(domain=f"{craft.run}/evil.py:domain")


def _address(craft: Craft) -> None:
    craft.record(models=[f"gpt-4@{craft.outside.url}", "offline/magpie"])


def _cache(craft: Craft) -> None:
    craft.record(cache=str(craft.outside.home / "documents"), cache_max_gb=1e-9)


def _endless_prices(craft: Craft) -> None:
    craft.write("limits.json", '{"limits": {"usd": 1}, "prices": "/dev/zero"}')


_add("the domain is code in the folder", _domain)
_add("a model lies at the stranger's address", _address)
_add("replies are kept in the home folder", _cache)
_record("the sandbox confines nothing", sandbox="process")
_record("a model is a recording elsewhere", models=["replay:../..#..", "offline/magpie"])
_add("prices without end", _endless_prices)
_text("the limits are nested deeply", "limits.json", b'{"limits": ' + DEEP + b"}")

# -- links

for place, target in (
    ("tinker", ""),
    ("tinker/gen_1", "documents"),
    ("tinker/gen_1/repo", ""),
    ("tinker/gen_1/llm_calls.jsonl", ".ssh/id"),
    ("tinker/archive.jsonl", ".bashrc"),
    ("tinker/summary.json", ".bashrc"),
    ("ledger.jsonl", ".bashrc"),
    ("audit.jsonl", ".bashrc"),
    ("summary.json", ".bashrc"),
    ("limits.json", ".bashrc"),
    ("space.db", ".bashrc"),
    ("space.db-wal", ".bashrc"),
    ("abandoned", "documents"),
    ("start", "documents"),
    ("test_eval", "documents"),
    ("truth.jsonl", ".bashrc"),
):
    _link(place, target)
_add(
    "ledger.jsonl is a second name of a file",
    lambda craft: craft.replace("ledger.jsonl", lambda at: os.link(craft.outside.secret, at)),
)

# -- pipes

for place in (
    "summary.json",
    "ledger.jsonl",
    "audit.jsonl",
    "limits.json",
    "space.db",
    "export.json",
    "tinker/summary.json",
    "tinker/archive.jsonl",
    "tinker/stamps.jsonl",
    "tinker/gen_1/llm_calls.jsonl",
    "tinker/gen_1/metadata.json",
    "tinker/gen_1/repo/task_agent.py",
):
    _pipe(place)

# -- sizes and depths


def _sparse(craft: Craft) -> None:
    os.truncate(craft.run / "ledger.jsonl", 1 << 40)


def _nested(craft: Craft) -> None:
    deep = craft.run / "tinker" / "/".join("d" * 200)
    deep.mkdir(parents=True)


_add("the ledger is a terabyte", _sparse)
_add("folders without end", _nested)
for place in (
    "summary.json",
    "audit.jsonl",
    "export.json",
    "truth.jsonl",
    "tinker/summary.json",
    "tinker/archive.jsonl",
    "tinker/stamps.jsonl",
    "tinker/gen_1/metadata.json",
    "tinker/gen_1/llm_calls.jsonl",
    "tinker/gen_1/accesses.jsonl",
    "tinker/gen_1/eval_val/report.json",
):
    _text(f"{place} is nested deeply", place, b'{"kind": "x", "agents": ' + DEEP + b"}\n")

# -- ledgers

_text("the ledger gives tokens back", "ledger.jsonl", BAD_LEDGER % (-(10**12), 0))
_text("the ledger gives money back", "ledger.jsonl", BAD_LEDGER % (0, -1e9))
_text(
    "the ledger gives time back",
    "ledger.jsonl",
    '{"kind":"worked","seconds":-1e9,"until_utc":""}\n',
)

# -- spaces


def _closing_elsewhere(craft: Craft) -> None:
    craft.closings(lambda closing: closing["files"].update({"repo/../../../../home/x": "0" * 64}))


def _code_elsewhere(craft: Craft) -> None:
    craft.code({"../../../../home/planted": "x"})
    craft.closings(
        lambda closing: closing["files"].update({"repo/../../../../home/planted": "0" * 64})
    )


def _other_agent(craft: Craft) -> None:
    craft.closings(lambda closing: closing["manifest"].update({"agent": "../../home"}))


def _escapes_in_a_closing(craft: Craft) -> None:
    craft.closings(
        lambda closing: closing["manifest"].update({"valid": False, "error": ESCAPE * 3})
    )


def _strategy_elsewhere(craft: Craft) -> None:
    def changed(mark: Mark) -> Mark | None:
        if not mark["scope"].startswith("strategies/"):
            return None
        return {"content": {**mark["content"], "agent": "../../../home"}}

    craft.marks(changed)


def _deep_mark(craft: Craft) -> None:
    body = b"\x91" * 100_000 + b"\x00"
    craft.sql(f"UPDATE marks SET body = X'{body.hex()}'")  # noqa: S608  ours


_add("a closing names a file elsewhere", _closing_elsewhere)
_add("code lies elsewhere", _code_elsewhere)
_add("a closing is another agent's", _other_agent)
_add("a strategy lies elsewhere", _strategy_elsewhere)
_add("escapes in a closing", _escapes_in_a_closing)
_add("marks are nested deeply", _deep_mark)
_add(
    "closings are something else",
    lambda craft: craft.marks(
        lambda mark: {"result": {"x": 1}} if "result" in mark else {"content": {"x": 1}}
    ),
)
_add(
    "a table is a view without end",
    lambda craft: craft.sql(
        "ALTER TABLE marks RENAME TO kept",
        "CREATE VIEW marks AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n) "
        "SELECT kept.* FROM kept, n",
    ),
)
_add(
    "a trigger writes along",
    lambda craft: craft.sql("CREATE TRIGGER t AFTER INSERT ON marks BEGIN DELETE FROM audit; END"),
)
_add("the space is empty", lambda craft: craft.write("space.db", b""))
_add("marks are gone", lambda craft: craft.sql("DELETE FROM marks WHERE sequence > 3"))
_add(
    "a lease says anything",
    lambda craft: craft.sql(
        "DELETE FROM leases",
        "INSERT INTO leases VALUES ('coordinator', 1, 'x', '[1]', 1e9, 4e9)",
    ),
)


def _archives(craft: Craft) -> None:
    entry: list[object] = [1, "archive", 1, 0, [], [], "", "1-999999999999"]
    body = msgspec.msgpack.encode(entry)
    craft.sql(f"UPDATE audit SET body = X'{body.hex()}' WHERE number = 1")  # noqa: S608  ours
    craft.marks(lambda mark: {})


_add("an entry archives without end", _archives)

# -- names of files

for bad in ("..\\..\\x", "a\nb", "c\x1b[2J", "d "):
    _text(f"a file is called {bad!r}", bad, "x")
