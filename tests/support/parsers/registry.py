"""The parsers of the product that read what models, peers, workers or strangers wrote.

`tests/house/test_parsers.py` holds the list complete, and feeds each with what nobody would write.
"""

from guards.sandboxes.frames import FrameError
from hyperspace.broker.wire import BadChatFrame
from hyperspace.cli.commands.rubric.prompts import DraftRefused, read_draft
from hyperspace.cli.defaults import read_defaults
from hyperspace.extensions.arena.judging import judge_cases
from hyperspace.extensions.arena.newborn import is_meta_agent
from hyperspace.extensions.levels.reviewing import read_advice
from hyperspace.kernel.errors import RunDamaged, RunUsageError
from hyperspace.kernel.generation.observing.accesses import read_accesses
from hyperspace.kernel.state.folder import ACCESSES
from hyperspace.launch.forecast import prompt_characters, shown_characters
from hyperspace.launch.patches import PatchRefused, apply_patch
from hyperspace.models.anthropic.reply import MessageAssembly
from hyperspace.models.anthropic.reply import reply_from as messages_reply
from hyperspace.models.base import AuthFailed, ModelError, UnknownModel
from hyperspace.models.chat.reply import CompletionAssembly
from hyperspace.models.chat.reply import reply_from as chat_reply
from hyperspace.models.error_body import read_error
from hyperspace.models.normalize import object_or_text
from hyperspace.models.providers import read_env_file
from hyperspace.models.responses.assembly import ResponseAssembly
from hyperspace.models.responses.reply import reply_from as responses_reply
from hyperspace.models.text_frames import parse
from hyperspace.offline.changes.sites import parsed
from hyperspace.offline.policies.code_places import marks_of, places_of
from hyperspace.offline.policies.heeding import advice_in
from hyperspace.offline.policies.reviewer import tries_in
from hyperspace.offline.policies.scripted import ScriptedPolicy
from hyperspace.research.environments.constants import with_constants
from hyperspace.research.environments.description import read_description
from hyperspace.research.errors import EnvironmentUnusable
from hyperspace.research.loop.prompts import read_diff, read_idea, read_words
from hyperspace.runs.exports.archives import ArchiveRefused
from hyperspace.runs.exports.importing import packed_contents
from hyperspace.runs.items import read_splits
from hyperspace.runs.stored_call import object_in
from hyperspace.runs.table import read_table
from hyperspace.runs.weights import numbers_in
from hyperspace.serve.errors import BadFaults, RequestRefused
from hyperspace.serve.faults import read_fault_file
from hyperspace.serve.wires.anthropic import Messages
from hyperspace.serve.wires.openai import OpenAIWire
from hyperspace.serve.wires.responses import Responses
from hyperspace.spending.prices import PriceTableError, read_prices
from hyperspace.tasks.babaisai.given import read_given
from hyperspace.tasks.base import DomainDataError
from hyperspace.tasks.email_validation.domain import make
from hyperspace.tasks.go2.expression import parse as parse_expression
from hyperspace.tasks.shapes.outcome import decode_outcome
from hyperspace.tasks.strict_json import parse_strictly
from hyperspace.tasks.three_files.folder import read_folder
from hyperspace.tracing.traces import read_trace
from markspace.errors import StoreCorrupt
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
    Parser("hyperspace/models/normalize.py", plain_reply, (ModelError,)),
    Parser("hyperspace/models/normalize.py", of_text(lambda text: object_or_text(text, "a"))),
    Parser("hyperspace/models/error_body.py", read_error),
    Parser(
        "hyperspace/models/text_frames.py",
        of_text(lambda text: parse(text, "m", (BASH,))),
        samples=(b"@@call m bash\n@@text m command 2\nls\n@@text m n 1\n1\n@@end m\n",),
    ),
    Parser(
        "hyperspace/models/chat/reply.py",
        streamed_reply(CompletionAssembly, chat_reply),
        (ModelError,),
        (CHUNK,),
    ),
    Parser(
        "hyperspace/models/responses/assembly.py",
        streamed_reply(ResponseAssembly, responses_reply),
        (ModelError,),
        (RESPONSE,),
    ),
    Parser(
        "hyperspace/models/anthropic/reply.py",
        streamed_reply(MessageAssembly, messages_reply),
        (ModelError,),
        (MESSAGE,),
    ),
    Parser(
        "hyperspace/models/streaming.py",
        streamed_reply(CompletionAssembly, chat_reply),
        (ModelError,),
        (b'{"choices": [{"message": {"content": "a"}, "finish_reason": "stop"}]}',),
    ),
    Parser("hyperspace/extensions/levels/reviewing.py", of_text(read_advice), (ValueError,)),
    Parser(
        "hyperspace/cli/commands/rubric/prompts.py",
        of_text(lambda text: read_draft(text, "the text", "why?")),
        (DraftRefused,),
        (b'[{"fact": "a", "weight": 1, "quote": "the text"}]',),
    ),
    Parser(
        "hyperspace/research/loop/prompts.py", of_text(lambda t: (read_idea(t), read_words(t))), ()
    ),
    Parser(
        "hyperspace/research/loop/prompts.py",
        of_text(read_diff),
        (),
        (b"```diff\n" + DIFF + b"```",),
    ),
    Parser(
        "hyperspace/launch/patches.py",
        of_text(lambda text: apply_patch({"x": "a\nb\n"}, text, lambda _path: "")),
        (PatchRefused,),
        (DIFF,),
    ),
    Parser(
        "hyperspace/extensions/arena/judging.py",
        of_text(lambda text: judge_cases(ORACLE, text, set(), "c")),
        (),
        (b'{"inputs": {"address": "a@b.de"}, "label": "valid"}\n',),
    ),
    Parser("hyperspace/offline/policies/heeding.py", of_text(lambda text: list(advice_in(text)))),
    Parser("hyperspace/offline/policies/reviewer.py", of_text(lambda text: list(tries_in(text)))),
    # What evolved code says and leaves, and its own text, which is not executed here.
    Parser("guards/sandboxes/frames.py", sandbox_reply, (FrameError,), (b'{"id": 1}',)),
    Parser("hyperspace/broker/wire.py", broker_request, (BadChatFrame,), (CHAT_FRAME, NEED_FRAME)),
    Parser(
        "hyperspace/tasks/strict_json.py",
        of_text(parse_strictly),
        (ValueError,),
        (b'{"a": [1e9]}',),
    ),
    Parser("hyperspace/tasks/shapes/outcome.py", of_text(decode_outcome), (), (b'{"score": 1}',)),
    Parser(
        "hyperspace/tasks/go2/expression.py",
        of_text(lambda t: parse_expression(t, NAMES)),
        (ValueError,),
        (b"a*-2",),
    ),
    *(Parser(f"hyperspace/tasks/{name}/score.py", verified(name)) for name in VERIFIED),
    Parser(
        "hyperspace/research/environments/artefacts.py", artefact, (), (SAFETENSORS, b'{"a": 1}')
    ),
    Parser(
        "hyperspace/research/environments/constants.py",
        of_text(lambda text: with_constants(text, {"X": 2})),
        (ValueError,),
        (b"X = 1\n",),
    ),
    of_code("guards/content/notes.py", content_policies, CODE),
    of_code("hyperspace/extensions/arena/newborn.py", is_meta_agent, CODE),
    of_code("hyperspace/launch/forecast.py", prompt_characters, CODE),
    of_code("hyperspace/launch/forecast.py", shown_characters, CODE),
    of_code("hyperspace/offline/changes/sites.py", parsed, CODE),
    of_code("hyperspace/offline/policies/code_places.py", marks_of, CODE),
    of_code("hyperspace/offline/policies/code_places.py", lambda t: places_of(t, "X"), CODE),
    of_code("hyperspace/runs/weights.py", numbers_in, CODE),
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
    Parser("hyperspace/executor/door/wire.py", door_frame, (ValueError,), (HELLO,)),
    Parser(
        "hyperspace/executor/jobs.py",
        worker_artefact,
        (),
        (b"\x80",),
    ),
    Parser("hyperspace/runs/exports/importing.py", packed_contents, (RunDamaged,)),
    *(
        Parser(
            "hyperspace/runs/exports/archives.py", archive(kind), (ArchiveRefused,), (packed(kind),)
        )
        for kind in KINDS
    ),
    *(
        Parser("hyperspace/serve/wires/base.py", wire.read, (RequestRefused,), (CHAT,))
        for wire in (OpenAIWire(), Responses(), Messages())
    ),
    Parser("hyperspace/dashboard/safety/changes.py", posted_change, (RequestRefused,)),
    # Runs and spaces of strangers.
    Parser("markspace/keeping/codec.py", STORED.decode, (StoreCorrupt,)),
    Parser("hyperspace/runs/table.py", of_file("t.csv", read_table), (RunUsageError,), (TABLE,)),
    Parser(
        "hyperspace/runs/items.py",
        of_file("eval_train/predictions.csv", read_splits, {"eval_train/report.json": "{}"}),
        (),
        (b"id,prediction,label\r\na,b,c\r\n",),
    ),
    Parser("hyperspace/runs/stored_call.py", of_text(object_in), (), (JSONL,)),
    Parser("hyperspace/runs/trace.py", of_file("calls.jsonl", trace), (), (JSONL,)),
    Parser("hyperspace/tracing/traces.py", of_file("calls.jsonl", read_trace), (), (JSONL,)),
    Parser(
        "hyperspace/kernel/generation/observing/accesses.py",
        of_file(ACCESSES, read_accesses, {}),
    ),
    *(
        Parser("hyperspace/export/redaction.py", redacted(path), (), (JSONL,))
        for path in ("summary.json", "a/gen_1/calls.jsonl", "accesses.jsonl", "a.csv", "a.py")
    ),
    # Files that a person was given.
    Parser(
        "hyperspace/tasks/csv_rows.py",
        of_file("d.csv", records),
        (DomainDataError,),
        (b"id,text\r\n1,a\r\n",),
    ),
    Parser(
        "hyperspace/tasks/babaisai/given.py",
        of_file("levels.json", read_given, {}),
        (DomainDataError,),
    ),
    Parser(
        "hyperspace/tasks/polyglot/folder.py",
        of_file(
            ".meta/config.json",
            exercise,
            {"x.py": "", "x_test.py": TESTS, ".docs/instructions.md": "a"},
        ),
        (DomainDataError,),
        (b'{"files": {"solution": ["x.py"], "test": ["x_test.py"]}}',),
    ),
    Parser(
        "hyperspace/tasks/three_files/folder.py",
        of_file("config.toml", read_folder, {"initial_solution.py": "", "benchmark.py": ""}),
        (DomainDataError,),
        (TASK.encode(),),
    ),
    Parser(
        "hyperspace/tasks/three_files/folder.py",
        of_file("initial_solution.py", read_folder, {"config.toml": TASK, "benchmark.py": ""}),
        (DomainDataError,),
        (b"def solve():\n    return 1\n",),
    ),
    Parser(
        "hyperspace/research/environments/description.py",
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
        "hyperspace/spending/prices.py",
        of_file("prices.toml", read_prices),
        (PriceTableError,),
        (PRICES,),
    ),
    Parser(
        "hyperspace/serve/faults.py",
        of_file("faults.toml", read_fault_file),
        (BadFaults,),
        (b"rates = {429 = 0.1}\n",),
    ),
    Parser(
        "hyperspace/offline/policies/scripted.py",
        of_file("s.json", ScriptedPolicy.from_file),
        (UnknownModel,),
        (b'[{"text": "hi"}]',),
    ),
    Parser(
        "hyperspace/cli/defaults.py",
        of_file("hyperspace.toml", read_defaults),
        (RunUsageError,),
        (b"max-usd = 3\n",),
    ),
    Parser(
        "hyperspace/models/providers.py",
        of_file("keys.env", read_env_file),
        (AuthFailed,),
        (b"OPENAI_API_KEY='a b'\n",),
    ),
)
