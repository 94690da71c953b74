"""What was asked of a run and what its agents ask; posting asks more, with `--steer` alone."""

import msgspec

from hyperspace.dashboard.api.change import AskedChange, ChangeEndpoint
from hyperspace.dashboard.api.endpoint import ApiEndpoint
from hyperspace.dashboard.errors import BadQuery, NotThere
from hyperspace.dashboard.question import Question
from hyperspace.dashboard.starting.models import require_allowed
from hyperspace.extensions.steering.requests import Verb, WishFields, ask_for, wish_of
from hyperspace.kernel.errors import RunUsageError
from hyperspace.kernel.files import canonical_json, sha256_hex
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.steering.records import told
from hyperspace.kernel.state.terms import read_terms
from hyperspace.models.base import ModelError
from hyperspace.runs.steering import RunSteering, read_steering


class SteeringWish(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is asked of a run.

    Attributes:
        verb: As on the command line, `hyperspace steer`.
        fields: What the verb takes.
    """

    verb: Verb
    fields: WishFields = WishFields()


class SteeringOnRecord(msgspec.Struct, frozen=True):
    """What was written.

    Attributes:
        text: It, in the words of the command line.
    """

    text: str


def steering(question: Question) -> RunSteering:
    """Read the steering of a run of ours.

    Raises:
        NotThere: Nobody could steer this run.
    """
    try:
        return read_steering(question.place.folder)
    except RunUsageError as error:
        raise NotThere(f"nothing is known of steering here: {error}") from error


def change(change: AskedChange) -> SteeringOnRecord:
    """Write a wish into the run's space.

    Raises:
        BadQuery: It does not fit; nothing was written.
        NotDone: A page may not let a run ask that model.
    """
    wish: SteeringWish = change.body
    run = change.question.place.folder
    if wish.fields.model is not None:
        limits = read_terms(RunFolder(run).terms).limits
        require_allowed(wish.fields.model, is_limited=limits.usd is not None)
    request = sha256_hex(canonical_json([change.key, wish]))  # known after a restart, too
    try:
        return SteeringOnRecord(told(ask_for(run, wish_of(wish.verb, wish.fields), request)))
    except (RunUsageError, ModelError) as error:
        raise BadQuery(str(error)) from error


ENDPOINT = ApiEndpoint(
    "steering",
    "/api/runs/{run}/steering",
    steering,
    RunSteering,
    "What was asked of a run and whether it took effect; what its agents ask.",
    of="ours",
)
CHANGE = ChangeEndpoint(
    "steer",
    "/api/runs/{run}/steer",
    change,
    SteeringWish,
    SteeringOnRecord,
    "Ask something of a run; each wish is a mark of the principal.",
)
