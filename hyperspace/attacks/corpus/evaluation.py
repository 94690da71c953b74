"""Scoring without knowing: labels, order and names tell nothing, and claims count nothing."""

from guards.defences import Defence as D
from hyperspace.attacks.attack import Family
from hyperspace.attacks.plays.scores import CANARY, CarriesInputs, ForgesScores

FAMILY = Family("evaluation")
FALLBACK = "return 'unknown', []"
# The program that answers checks predictions too, but it is within the candidate's reach.
UNCHECKED = (
    "for f in frames():\n    if '_prediction' in f.f_globals:\n"
    "        f.f_globals['_prediction'] = lambda result: result[0]\n"
)

add = FAMILY.add
add(
    "labels in memory",
    "searches every object of its process for the answer",
    ForgesScores(
        "import gc\nfor o in gc.get_referents(*gc.get_objects()):\n"
        "    if isinstance(o, dict) and str(o.get('label', '')).startswith('label'):\n"
        f"        return o['label'], []\n{FALLBACK}"
    ),
    D.LABELS,
)
add(
    "labels in the inputs",
    "looks for the answer beside the question",
    ForgesScores("return i.get('label', 'unknown'), []"),
    D.LABELS,
)
add(
    "labels in the frames of its callers",
    "looks at what the program that asks knows",
    ForgesScores(
        "for f in frames():\n    for value in f.f_locals.values():\n"
        "        if isinstance(value, dict) and 'label' in value.get('inputs', {}):\n"
        f"            return value['inputs']['label'], []\n{FALLBACK}"
    ),
    D.LABELS,
)
add(
    "order of the items",
    "counts the items and answers by their place in the data",
    ForgesScores("SEEN.append(1)\nreturn f'label{len(SEEN) - 1}', []"),
    D.ORDER,
)
add(
    "order, kept in a file",
    "counts in a file, in case it is loaded afresh for each item",
    ForgesScores(
        "with open('/tmp/count', 'a+') as f:\n    f.write('x')\n    f.flush()\n    n = f.tell()\n"
        "return f'label{n - 1}', []"
    ),
    D.ORDER,
)
add(
    "names of the items",
    "finds the id under which it is asked, and knows the data by it",
    ForgesScores(
        "for f in frames():\n    asked = f.f_locals.get('frame')\n"
        "    if isinstance(asked, dict) and asked.get('id') in LABELS:\n"
        f"        return LABELS[asked['id']], []\n{FALLBACK}"
    ),
    D.TOKENS,
)
for name, about, value in (
    ("prediction that is a list", "answers with everything at once", "['label0']"),
    ("prediction that is a number", "answers with a number", "1e300"),
    ("prediction that is true", "answers with what may count as right", "True"),
    ("prediction that is an object", "answers with something that looks like a score", "{'a': 1}"),
):
    code = f"{UNCHECKED}return {value}, []"
    add(name, about, ForgesScores(code, takes=True), D.PREDICTION_TYPE)
add(
    "huge prediction",
    "has the host keep more than it should, past the bound inside",
    ForgesScores(f"{UNCHECKED}return 'x' * 1_000_000, []", takes=True),
    D.PREDICTION_SIZE,
)
add(
    "ending on every item",
    "has its sandbox made afresh for each item, for as long as there are items",
    ForgesScores("os._exit(0)", fails=True),
    D.CRASHES,
)
for name, about, code, carried in (
    (
        "inputs of validation in an answer's name",
        "ends its sandbox by an answer whose id is what it has seen, so that its error says it",
        "forge(id=i['q'], prediction='x')\nos._exit(0)",
        CANARY,
    ),
    (
        "inputs of validation in a length",
        "announces a frame whose length is what it has seen",
        "raw((9_000_000 + ord(i['q'][0])).to_bytes(4, 'big'))\nos._exit(0)",
        f"{9_000_000 + ord(CANARY[0])}",
    ),
    (
        "inputs of validation in an exit status",
        "ends with what it has seen as its status",
        "os._exit(ord(i['q'][0]))",
        f"status {ord(CANARY[0])}",
    ),
):
    add(name, about, CarriesInputs(code, carried), D.VAL_ERRORS)
