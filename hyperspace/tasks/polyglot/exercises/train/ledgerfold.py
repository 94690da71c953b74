"""Exercise ledgerfold: balances of accounts after entries of which some are refused."""

from random import Random

STATEMENT = """\
The input is an object with the key "entries": a list of [id, kind, account, amount, ref], which are
taken in this order. id, kind, account and ref are strings; amount is an integer of at least 1, or 0
where the kind has none. What a kind does not use is "" or 0.

- "pay": amount is added to the balance of account.
- "hold": amount is kept for account; its balance does not change yet.
- "clear": ref is the id of a hold; what was kept is added to the balance of the hold's account.
- "void": ref is the id of a hold, which is given up; it can be neither cleared nor voided again.
- "refund": ref is the id of a pay or of a cleared hold; amount is taken from the balance of the
  account of that entry. Balances may become negative.

An entry is refused, and changes nothing, if
- its id is the id of any earlier entry, refused or not; or
- it is a clear or void and ref is not the id of an accepted hold that was neither cleared nor
  voided before; or
- it is a refund and ref is not the id of an accepted pay or of a cleared hold, or amount and the
  accepted refunds of that entry before together are more than the amount of that entry.

The answer is a list of two lists: [account, balance] of every account that an accepted pay or hold
names, sorted by account; and the ids of refused entries in the order in which they came (an id that
is refused twice stands there twice). Account names are made of lower-case letters a to z.
"""
KINDS = ("pay", "hold", "clear", "void", "refund")


def draw_case(rng: Random) -> dict[str, list[list[object]]]:
    """Entries that mostly refer to what is there, and sometimes use an id again."""
    entries: list[list[object]] = []
    for number in range(rng.randint(0, 16)):
        id_ = f"t{number}" if rng.random() < 0.93 else f"t{rng.randint(0, number)}"
        kind = rng.choices(KINDS, (4, 4, 4, 2, 4))[0]
        account, amount, ref = "", 0, ""
        if kind in ("pay", "hold"):
            account, amount = rng.choice(["ann", "bo", "cy"]), rng.randint(1, 9)
        else:
            ref = f"t{rng.randint(0, max(number, 1))}"
            amount = rng.randint(1, 6) if kind == "refund" else 0
        entries.append([id_, kind, account, amount, ref])
    return {"entries": entries}


def solve(case: dict[str, list[list[object]]]) -> list[list[object]]:
    """Keep, of each accepted pay or hold, its state and what can still be refunded."""
    balances: dict[str, int] = {}
    state: dict[str, str] = {}
    accounts: dict[str, str] = {}
    amounts: dict[str, int] = {}
    refunded: dict[str, int] = {}
    refused: list[object] = []
    ids: set[str] = set()
    for id_, kind, account, amount, ref in case["entries"]:
        id_, account, amount, ref = str(id_), str(account), int(str(amount)), str(ref)
        is_new = id_ not in ids
        ids.add(id_)
        if is_new and kind in ("pay", "hold"):
            accounts[id_], amounts[id_], refunded[id_] = account, amount, 0
            state[id_] = "settled" if kind == "pay" else "kept"
            balances[account] = balances.get(account, 0) + (amount if kind == "pay" else 0)
        elif is_new and kind in ("clear", "void") and state.get(ref) == "kept":
            state[ref] = "settled" if kind == "clear" else "void"
            balances[accounts[ref]] += amounts[ref] if kind == "clear" else 0
        elif (
            is_new
            and kind == "refund"
            and state.get(ref) == "settled"
            and refunded[ref] + amount <= amounts[ref]
        ):
            refunded[ref] += amount
            balances[accounts[ref]] -= amount
        else:
            refused.append(id_)
    return [[[name, balances[name]] for name in sorted(balances)], refused]
