"""The parsers of the product that read what models, peers, workers or strangers wrote.

`tests/house/test_parsers.py` holds the list complete, and feeds each with what nobody would write.
"""

import msgspec

from agents.broker.wire import BadChatFrame
from agents.models.anthropic.reply import MessageAssembly
from agents.models.anthropic.reply import reply_from as messages_reply
from agents.models.base import AuthFailed, ModelError, UnknownModel
from agents.models.chat.reply import CompletionAssembly
from agents.models.chat.reply import reply_from as chat_reply
from agents.models.error_body import read_error
from agents.models.normalize import object_or_text
from agents.models.providers import read_env_file
from agents.models.responses.assembly import ResponseAssembly
from agents.models.responses.reply import reply_from as responses_reply
from agents.models.text_frames import parse
from agents.offline.changes.sites import parsed
from agents.offline.ground_truth import read_ground_truth
from agents.offline.policies.code_places import marks_of, places_of
from agents.offline.policies.heeding import advice_in
from agents.offline.policies.reviewer import tries_in
from agents.offline.policies.scripted import ScriptedPolicy
from agents.offline.scenario import read_scenario
from agents.serve.errors import BadFaults, RequestRefused
from agents.serve.faults import read_fault_file
from agents.serve.wires.anthropic import Messages
from agents.serve.wires.openai import OpenAIWire
from agents.serve.wires.responses import Responses
from agents.spending.prices import PriceTableError, read_prices
from agents.tracing.traces import read_trace
from domains.babaisai.given import read_given
from domains.base import DomainDataError
from domains.email_validation.domain import make
from domains.go2.expression import parse as parse_expression
from domains.shapes.outcome import decode_outcome
from domains.strict_json import parse_strictly
from domains.three_files.folder import read_folder
from evolution.errors import RunDamaged, RunUsageError
from evolution.generation.arena.newborn import is_meta_agent
from evolution.generation.levels.reviewing import read_advice
from evolution.generation.observing.accesses import read_accesses
from evolution.launch.forecast import prompt_characters, shown_characters
from evolution.launch.patches import PatchRefused, apply_patch
from evolution.state.arena.judging import judge_cases
from evolution.state.folder import ACCESSES
from guards.sandboxes.frames import FrameError
from hyperspace.commands.rubric.prompts import DraftRefused, read_draft
from hyperspace.defaults import read_defaults
from markspace.errors import StoreCorrupt
from research.environments.constants import with_constants
from research.environments.description import read_description
from research.errors import EnvironmentUnusable
from research.loop.prompts import read_diff, read_idea, read_words
from runs.exports.archives import ArchiveRefused
from runs.exports.importing import packed_contents
from runs.items import read_splits
from runs.stored_call import object_in
from runs.table import read_table
from runs.weights import numbers_in
from tests.support.parsers.calls import (
    STORED,
    archive,
    artefact,
    broker_request,
    content_policies,
    door_frame,
    exercise,
    normalised,
    plain_reply,
    posted_change,
    records,
    redacted,
    sandbox_reply,
    seen_text,
    streamed_reply,
    trace,
    verified,
    worker_artefact,
)
from tests.support.parsers.parser import Parser, of_code, of_file, of_text
from tests.support.parsers.samples import (
    BASH,
    CHAT,
    CHAT_FRAME,
    CHUNK,
    CODE,
    DIFF,
    ENVIRONMENT,
    FLEET,
    HELLO,
    JSONL,
    KINDS,
    MESSAGE,
    NEED_FRAME,
    PRICES,
    RESPONSE,
    SAFETENSORS,
    TABLE,
    TASK,
    TESTS,
    VERIFIED,
    packed,
)
from transfer_experiment.fleet_file import read_fleet
from transfer_experiment.turns.notes import code_lines
from transfer_experiment.turns.steps import framed_calls

ORACLE = make(None, {})
NAMES = ("a",)
PARSERS: tuple[Parser, ...] = (
    # What models say.
    Parser("agents/models/normalize.py", plain_reply, (ModelError,)),
    Parser("agents/models/normalize.py", of_text(lambda text: object_or_text(text, "a"))),
    Parser("agents/models/error_body.py", read_error),
    Parser(
        "agents/models/text_frames.py",
        of_text(lambda text: parse(text, "m", (BASH,))),
        samples=(b"@@call m bash\n@@text m command 2\nls\n@@text m n 1\n1\n@@end m\n",),
    ),
    Parser(
        "agents/models/chat/reply.py",
        streamed_reply(CompletionAssembly, chat_reply),
        (ModelError,),
        (CHUNK,),
    ),
    Parser(
        "agents/models/responses/assembly.py",
        streamed_reply(ResponseAssembly, responses_reply),
        (ModelError,),
        (RESPONSE,),
    ),
    Parser(
        "agents/models/anthropic/reply.py",
        streamed_reply(MessageAssembly, messages_reply),
        (ModelError,),
        (MESSAGE,),
    ),
    Parser(
        "agents/models/streaming.py",
        streamed_reply(CompletionAssembly, chat_reply),
        (ModelError,),
        (b'{"choices": [{"message": {"content": "a"}, "finish_reason": "stop"}]}',),
    ),
    Parser("evolution/generation/levels/reviewing.py", of_text(read_advice), (ValueError,)),
    Parser(
        "hyperspace/commands/rubric/prompts.py",
        of_text(lambda text: read_draft(text, "the text", "why?")),
        (DraftRefused,),
        (b'[{"fact": "a", "weight": 1, "quote": "the text"}]',),
    ),
    Parser("research/loop/prompts.py", of_text(lambda t: (read_idea(t), read_words(t))), ()),
    Parser("research/loop/prompts.py", of_text(read_diff), (), (b"```diff\n" + DIFF + b"```",)),
    Parser(
        "evolution/launch/patches.py",
        of_text(lambda text: apply_patch({"x": "a\nb\n"}, text, lambda _path: "")),
        (PatchRefused,),
        (DIFF,),
    ),
    Parser(
        "evolution/state/arena/judging.py",
        of_text(lambda text: judge_cases(ORACLE, text, set(), "c")),
        (),
        (b'{"inputs": {"address": "a@b.de"}, "label": "valid"}\n',),
    ),
    Parser("agents/offline/policies/heeding.py", of_text(lambda text: list(advice_in(text)))),
    Parser("agents/offline/policies/reviewer.py", of_text(lambda text: list(tries_in(text)))),
    # What evolved code says and leaves, and its own text, which is not executed here.
    Parser("guards/sandboxes/frames.py", sandbox_reply, (FrameError,), (b'{"id": 1}',)),
    Parser("agents/broker/wire.py", broker_request, (BadChatFrame,), (CHAT_FRAME, NEED_FRAME)),
    Parser("domains/strict_json.py", of_text(parse_strictly), (ValueError,), (b'{"a": [1e9]}',)),
    Parser("domains/shapes/outcome.py", of_text(decode_outcome), (), (b'{"score": 1}',)),
    Parser(
        "domains/go2/expression.py",
        of_text(lambda t: parse_expression(t, NAMES)),
        (ValueError,),
        (b"a*-2",),
    ),
    *(Parser(f"domains/{name}/score.py", verified(name)) for name in VERIFIED),
    Parser("research/environments/artefacts.py", artefact, (), (SAFETENSORS, b'{"a": 1}')),
    Parser(
        "research/environments/constants.py",
        of_text(lambda text: with_constants(text, {"X": 2})),
        (ValueError,),
        (b"X = 1\n",),
    ),
    of_code("guards/content/notes.py", content_policies, CODE),
    of_code("evolution/generation/arena/newborn.py", is_meta_agent, CODE),
    of_code("evolution/launch/forecast.py", prompt_characters, CODE),
    of_code("evolution/launch/forecast.py", shown_characters, CODE),
    of_code("agents/offline/changes/sites.py", parsed, CODE),
    of_code("agents/offline/policies/code_places.py", marks_of, CODE),
    of_code("agents/offline/policies/code_places.py", lambda t: places_of(t, "X"), CODE),
    of_code("runs/weights.py", numbers_in, CODE),
    of_code("transfer_experiment/paths/normal_form.py", normalised, CODE),
    of_code("transfer_experiment/turns/notes.py", code_lines, CODE),
    Parser(
        "transfer_experiment/turns/texts.py",
        of_text(seen_text),
        (),
        (b"cHJpbnQoMSkKcHJpbnQoMik=",),
    ),
    Parser("transfer_experiment/turns/steps.py", of_text(framed_calls)),
    # What workers and clients send.
    Parser("executor/door/wire.py", door_frame, (ValueError,), (HELLO,)),
    Parser(
        "executor/jobs.py",
        worker_artefact,
        (),
        (b"\x80",),
    ),
    Parser("runs/exports/importing.py", packed_contents, (RunDamaged,)),
    *(
        Parser("runs/exports/archives.py", archive(kind), (ArchiveRefused,), (packed(kind),))
        for kind in KINDS
    ),
    *(
        Parser("agents/serve/wires/base.py", wire.read, (RequestRefused,), (CHAT,))
        for wire in (OpenAIWire(), Responses(), Messages())
    ),
    Parser("dashboard/safety/changes.py", posted_change, (RequestRefused,)),
    # Runs and spaces of strangers.
    Parser("markspace/keeping/codec.py", STORED.decode, (StoreCorrupt,)),
    Parser("runs/table.py", of_file("t.csv", read_table), (RunUsageError,), (TABLE,)),
    Parser(
        "runs/items.py",
        of_file("eval_train/predictions.csv", read_splits, {"eval_train/report.json": "{}"}),
        (),
        (b"id,prediction,label\r\na,b,c\r\n",),
    ),
    Parser("runs/stored_call.py", of_text(object_in), (), (JSONL,)),
    Parser("runs/trace.py", of_file("calls.jsonl", trace), (), (JSONL,)),
    Parser("agents/tracing/traces.py", of_file("calls.jsonl", read_trace), (), (JSONL,)),
    Parser(
        "agents/offline/ground_truth.py",
        of_file("truth.jsonl", read_ground_truth),
        (msgspec.ValidationError,),
    ),
    Parser(
        "evolution/generation/observing/accesses.py",
        of_file(ACCESSES, read_accesses, {}),
    ),
    *(
        Parser("evolution/export/redaction.py", redacted(path), (), (JSONL,))
        for path in ("summary.json", "a/gen_1/calls.jsonl", "accesses.jsonl", "a.csv", "a.py")
    ),
    # Files that a person was given.
    Parser(
        "domains/csv_rows.py",
        of_file("d.csv", records),
        (DomainDataError,),
        (b"id,text\r\n1,a\r\n",),
    ),
    Parser(
        "domains/babaisai/given.py",
        of_file("levels.json", read_given, {}),
        (DomainDataError,),
    ),
    Parser(
        "domains/polyglot/folder.py",
        of_file(
            ".meta/config.json",
            exercise,
            {"x.py": "", "x_test.py": TESTS, ".docs/instructions.md": "a"},
        ),
        (DomainDataError,),
        (b'{"files": {"solution": ["x.py"], "test": ["x_test.py"]}}',),
    ),
    Parser(
        "domains/three_files/folder.py",
        of_file("config.toml", read_folder, {"initial_solution.py": "", "benchmark.py": ""}),
        (DomainDataError,),
        (TASK.encode(),),
    ),
    Parser(
        "domains/three_files/folder.py",
        of_file("initial_solution.py", read_folder, {"config.toml": TASK, "benchmark.py": ""}),
        (DomainDataError,),
        (b"def solve():\n    return 1\n",),
    ),
    Parser(
        "research/environments/description.py",
        of_file("env.toml", read_description, {"x/y": ""}),
        (EnvironmentUnusable,),
        (ENVIRONMENT,),
    ),
    Parser(
        "transfer_experiment/fleet_file.py",
        of_file("fleet.toml", read_fleet),
        (RunUsageError,),
        (FLEET,),
    ),
    Parser(
        "agents/spending/prices.py",
        of_file("prices.toml", read_prices),
        (PriceTableError,),
        (PRICES,),
    ),
    Parser(
        "agents/serve/faults.py",
        of_file("faults.toml", read_fault_file),
        (BadFaults,),
        (b"rates = {429 = 0.1}\n",),
    ),
    Parser("agents/offline/scenario.py", of_file("s.toml", read_scenario), (UnknownModel,)),
    Parser("agents/offline/scenario.py", of_file("s.json", read_scenario), (UnknownModel,)),
    Parser(
        "agents/offline/policies/scripted.py",
        of_file("s.json", ScriptedPolicy.from_file),
        (UnknownModel,),
        (b'[{"text": "hi"}]',),
    ),
    Parser(
        "hyperspace/defaults.py",
        of_file("hyperspace.toml", read_defaults),
        (RunUsageError,),
        (b"max-usd = 3\n",),
    ),
    Parser(
        "agents/models/providers.py",
        of_file("keys.env", read_env_file),
        (AuthFailed,),
        (b"OPENAI_API_KEY='a b'\n",),
    ),
)
