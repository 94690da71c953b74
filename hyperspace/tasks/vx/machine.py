"""The machine: reads a program, refuses what is none, and counts its cycles on a memory.

Standard library and `domains.strict_json` alone: agents get this text as part of `score.py`.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from hyperspace.tasks.strict_json import parse_strictly

REGISTERS = 1024
LANES = 8
SLOTS = {"s": 8, "v": 4, "l": 2, "w": 2, "c": 1}
MOST_BUNDLES = 60_000
MOST_CYCLES = 200_000
WORD = 0xFFFFFFFF
ALU: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: (a + b) & WORD,
    "sub": lambda a, b: (a - b) & WORD,
    "mul": lambda a, b: (a * b) & WORD,
    "xor": lambda a, b: a ^ b,
    "and": lambda a, b: a & b,
    "shl": lambda a, b: (a << (b & 31)) & WORD,
    "shr": lambda a, b: a >> (b & 31),
    "lt": lambda a, b: int(a < b),
}
SCALAR, VECTOR, BROADCAST, CONSTANT, LOAD, LOAD_8, STORE, STORE_8, BRANCH = range(9)
# Of each operation: what it does, how many registers its first operand spans and whether it writes
# them, and of each further operand how many registers it reads; 0 is a number.
_FORMS: dict[tuple[str, str], tuple[int, int, bool, tuple[int, ...]]] = {
    **{("s", name): (SCALAR, 1, True, (1, 1)) for name in ALU},
    **{("v", name): (VECTOR, LANES, True, (LANES, LANES)) for name in ALU},
    ("v", "bc"): (BROADCAST, LANES, True, (1,)),
    ("l", "li"): (CONSTANT, 1, True, (0,)),
    ("l", "ld"): (LOAD, 1, True, (1,)),
    ("l", "vld"): (LOAD_8, LANES, True, (1,)),
    ("w", "st"): (STORE, 1, False, (1,)),
    ("w", "vst"): (STORE_8, 1, False, (LANES,)),
    ("c", "bnz"): (BRANCH, 1, False, (0,)),
}


class InvalidProgram(ValueError):
    """The text is no program, or the program did what it must not; says where."""


class Operation(NamedTuple):
    """One operation, checked: what it does, its function, its operands, and where it stands."""

    kind: int
    function: Callable[[int, int], int]
    a: int
    b: int
    c: int
    engine: str
    position: int


class Bundle(NamedTuple):
    """What is done in one cycle; loads stand before stores.

    Attributes:
        is_entangled: Whether one of its operations may write what another one reads.
        operations: See `Operation`.
    """

    is_entangled: bool
    operations: tuple[Operation, ...]


def read_program(text: str) -> list[Bundle]:
    """Read and check the text of a program.

    Raises:
        InvalidProgram: It is none.
    """
    try:
        answer: Any = parse_strictly(text)
    except ValueError as error:
        raise InvalidProgram(f"the answer is not JSON as asked for: {error}") from None
    if not _is(answer, dict) or list(answer) != ["program"]:
        raise InvalidProgram('the answer is no object with the one key "program"')
    bundles: list[Any] = answer["program"]
    if not _is(bundles, list) or len(bundles) > MOST_BUNDLES:
        raise InvalidProgram(f'"program" is no list of at most {MOST_BUNDLES} bundles')
    return [_bundle(index, bundle, len(bundles)) for index, bundle in enumerate(bundles)]


def run_program(bundles: list[Bundle], memory: list[int]) -> int:
    """Run a program, which changes the memory, and return its cycles.

    Raises:
        InvalidProgram: An address lies outside the memory, two operations of a bundle store to one
            word, or there are too many cycles.
    """
    registers = [0] * REGISTERS
    size, end = len(memory), len(bundles)
    at = cycles = 0
    stored = range(0)
    while at < end:
        if cycles == MOST_CYCLES:
            raise InvalidProgram(f"the program takes more than {MOST_CYCLES} cycles")
        cycles += 1
        index = at
        is_entangled, operations = bundles[at]
        at += 1
        old = registers[:] if is_entangled else registers
        for kind, function, a, b, c, engine, position in operations:
            if kind == SCALAR:
                registers[a] = function(old[b], old[c])
            elif kind == VECTOR:
                registers[a : a + 8] = map(function, old[b : b + 8], old[c : c + 8])
            elif kind == LOAD:
                address = old[b]
                if address >= size:
                    raise _outside(index, engine, position, address, size)
                registers[a] = memory[address]
            elif kind == BRANCH:
                at = b if old[a] else at
            elif kind == CONSTANT:
                registers[a] = b
            elif kind == BROADCAST:
                registers[a : a + 8] = [old[b]] * 8
            elif kind == LOAD_8:
                address = old[b]
                if address + 8 > size:
                    raise _outside(index, engine, position, address, size)
                registers[a : a + 8] = memory[address : address + 8]
            else:
                width = 8 if kind == STORE_8 else 1
                words = range(old[a], old[a] + width)
                if words.stop > size:
                    raise _outside(index, engine, position, words.start, size)
                if position and words.start < stored.stop and stored.start < words.stop:
                    where = _where(index, engine, position)
                    raise InvalidProgram(f"{where}: the other store writes to the same word")
                stored = words
                memory[words.start : words.stop] = old[b : b + width]
    return cycles


def _bundle(index: int, bundle: Any, end: int) -> Bundle:
    if not _is(bundle, dict):
        raise InvalidProgram(f"bundle {index} is no object")
    engines: dict[str, Any] = bundle
    operations: list[Operation] = []
    written: set[int] = set()
    read: set[int] = set()
    if unknown := [engine for engine in engines if engine not in SLOTS]:
        raise InvalidProgram(f"bundle {index} has the unknown engine {unknown[0][:20]!r}")
    for engine, slots in SLOTS.items():
        listed: list[Any] = engines.get(engine, [])
        if not _is(listed, list) or len(listed) > slots:
            raise InvalidProgram(f"bundle {index}, {engine}: no list of at most {slots} operations")
        for position, parts in enumerate(listed):
            operation = _operation(_where(index, engine, position), engine, position, parts, end)
            operations.append(operation)
            form = _FORMS[engine, parts[0]]
            first = range(operation.a, operation.a + form[1])
            if form[2] and not written.isdisjoint(first):
                where = _where(index, engine, position)
                raise InvalidProgram(f"{where}: a register is written twice in one bundle")
            (written if form[2] else read).update(first)
            for start, width in zip(operation[3:5], form[3], strict=False):
                read.update(range(start, start + width))
    is_entangled = len(operations) > 1 and not written.isdisjoint(read)
    return Bundle(is_entangled, tuple(operations))


def _operation(where: str, engine: str, position: int, parts: Any, end: int) -> Operation:
    if not _is(parts, list) or not parts or not _is(parts[0], str):
        raise InvalidProgram(f"{where} is no list of a name and operands")
    name: str = parts[0]
    operands: list[int] = parts[1:]
    form = _FORMS.get((engine, name))
    if form is None:
        raise InvalidProgram(f"{where}: the engine {engine} has no {name[:20]!r}")
    kind, span, _, further = form
    if len(operands) != 1 + len(further) or any(type(operand) is not int for operand in operands):
        raise InvalidProgram(f"{where}: {name} takes {1 + len(further)} whole numbers")
    for operand, width in zip(operands, (span, *further), strict=True):
        if width and not 0 <= operand <= REGISTERS - width:
            missing = operand if operand < 0 else operand + width - 1
            raise InvalidProgram(f"{where}: there is no register {missing}")
    most = end if kind == BRANCH else WORD
    if further == (0,) and not 0 <= operands[1] <= most:
        raise InvalidProgram(f"{where}: {operands[1]} does not lie in 0 to {most}")
    a, b, c = (*operands, 0)[:3]
    return Operation(kind, ALU.get(name, ALU["add"]), a, b, c, engine, position)


def _is(value: Any, form: type) -> bool:
    return isinstance(value, form)


def _where(index: int, engine: str, position: int) -> str:
    return f"bundle {index}, {engine} operation {position}"


def _outside(index: int, engine: str, position: int, address: int, size: int) -> InvalidProgram:
    where = _where(index, engine, position)
    return InvalidProgram(f"{where}: the address {address} lies outside the {size} words of memory")
