"""One idea, from its model: the words, the diff, and the diff again where it was refused."""

from collections.abc import Mapping

import anyio.to_thread
import msgspec

from guards.scope.unified import unified_diff
from hyperspace.kernel.evaluation.outages import raise_outage
from hyperspace.messages import CallKey, ChatRequest, Message
from hyperspace.models.base import BadRequest, ContextOverflow, Model, ModelError
from hyperspace.models.names import asked_name
from hyperspace.research.environments.repository import Environment, texts_of, tree_sha256
from hyperspace.research.errors import DiffRefused
from hyperspace.research.jobs.candidate import apply_diff
from hyperspace.research.jobs.diffs import recounted
from hyperspace.research.loop.prompts import (
    ASK_DIFF,
    NO_BLOCK,
    SYSTEM,
    idea_prompt,
    read_diff,
    read_idea,
    read_words,
    repair_prompt,
)
from hyperspace.research.loop.records import ClosedIdea, DiffTry
from hyperspace.research.loop.schedule import Assignment
from hyperspace.tracing.traces import Recorder


class Proposal(msgspec.Struct, frozen=True):
    """An idea and what became of its diff.

    Attributes:
        text: The idea in words.
        tries: Every diff, with what its model was told.
        files: The repository that is to be trained, path to content; None where no diff passed.
        diff: From the environment's repository to that one.
        reason: Why there is none, in one sentence.
    """

    text: str
    tries: tuple[DiffTry, ...] = ()
    files: dict[str, bytes] | None = None
    diff: str = ""
    reason: str = ""


class IdeaDialogue:
    """The conversation about one idea; its calls are on record."""

    def __init__(self, model: Model, recorder: Recorder, number: int, seed: int) -> None:
        self._model = model
        self._recorder = recorder
        self._item = str(number)
        self._seed = seed
        self._messages = (Message("system", SYSTEM),)
        self._diffs = 0

    async def ask(self, purpose: str, text: str) -> str:
        """Ask, and return the text of the reply.

        Raises:
            BadRequest, ContextOverflow: The model refuses this request, and is right to.
            RunPaused: It does not answer.
            ReplayMismatch: This is a replay, and its record holds no answer.
        """
        self._messages += (Message("user", text),)
        request = ChatRequest(asked_name(self._model.name), self._messages, seed=self._seed)
        key = CallKey(purpose, self._item, self._diffs if purpose == "diff" else 0)
        try:
            reply = await self._recorder.answer(key, request, self._model.complete, "")
        except (BadRequest, ContextOverflow):
            raise
        except ModelError as error:
            raise_outage(error)
        self._diffs += purpose == "diff"
        self._messages += (Message("assistant", reply.text, thoughts=reply.thoughts),)
        return reply.text


async def have_idea(
    environment: Environment,
    assignment: Assignment,
    parent: Mapping[str, bytes],
    ideas: Mapping[int, ClosedIdea],
    conversation: IdeaDialogue,
    repairs: int,
) -> Proposal:
    """Let a model have an idea and write its diff, which goes back where it is refused.

    Args:
        environment: What is trained.
        assignment: Which idea.
        parent: The repository that it changes, path to content.
        ideas: Every idea of the epochs before, by number, and the baseline.
        conversation: With its model.
        repairs: How often a diff goes back.

    Raises:
        RunPaused: The model does not answer.
        ReplayMismatch: This is a replay, and its record holds no answer.
    """
    text, tries = "", list[DiffTry]()
    try:
        prompt = idea_prompt(environment, assignment, parent, ideas)
        text = read_idea(await conversation.ask("idea", prompt))
        ask = ASK_DIFF
        for _ in range(1 + repairs):
            reply = await conversation.ask("diff", ask)
            diff = read_diff(reply)
            if tries and tries[-1].gate == "duplicate":
                text = read_words(reply) or text
            try:
                # In threads: how long it takes is a model's choice. Who is cancelled does not wait.
                files = await anyio.to_thread.run_sync(
                    _applied, environment, diff, parent, abandon_on_cancel=True
                )
                _check_new(files, ideas)
            except DiffRefused as refused:
                tries.append(DiffTry(diff, refused.gate, str(refused)))
                ask = repair_prompt(str(refused))
                continue
            tries.append(DiffTry(diff))
            texts = environment.texts(), texts_of(files)
            whole = await anyio.to_thread.run_sync(unified_diff, *texts, abandon_on_cancel=True)
            return Proposal(text, tuple(tries), files, whole)
    except (BadRequest, ContextOverflow) as error:
        return Proposal(text, tuple(tries), reason=f"its model did not take the request: {error}")
    return Proposal(text, tuple(tries), reason=f"no diff passed; the last: {tries[-1].why}")


def _applied(environment: Environment, diff: str, parent: Mapping[str, bytes]) -> dict[str, bytes]:
    """Apply a diff as a model gave it.

    Raises:
        DiffRefused: It may not be applied, or leads back to the repository as it is.
    """
    if not diff:
        raise DiffRefused("apply", NO_BLOCK)
    files = apply_diff(environment, recounted(diff), parent)
    if files == environment.files:
        raise DiffRefused("apply", "the diff only takes back what was changed before")
    return files


def _check_new(files: Mapping[str, bytes], ideas: Mapping[int, ClosedIdea]) -> None:
    """Check that nobody has trained a repository in an epoch before.

    Raises:
        DiffRefused: Somebody has; says who, and what came of it.
    """
    tree = tree_sha256(files)
    for number, idea in sorted(ideas.items()):
        if idea.manifest.tree_sha256 == tree:
            state = idea.manifest.state
            came = f"score {idea.score}" if idea.score is not None else state.replace("_", " ")
            raise DiffRefused(
                "duplicate",
                f"idea {number} left this very repository ({came}); say in a sentence what you do "
                "instead",
            )
