"""What a run is: its configuration, compared field by field when a folder is used again."""

from functools import cached_property
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from guards.content.modes import Mode, all_modes
from guards.parsing import decode_json
from guards.scope.edit_scope import EditScope
from guards.scope.regular_files import Unreadable, read_whole
from hyperspace.kernel.errors import ConfigMismatch, RecordUnreadable, RunUsageError
from hyperspace.kernel.files import pretty_json, write_atomically
from hyperspace.kernel.state.ownership import enter, is_own, sign
from hyperspace.kernel.state.rng import derive_seed
from hyperspace.kernel.state.run_not_found import RECORD, no_run
from hyperspace.kernel.state.steering.records import ForkAgent
from hyperspace.models.names import is_agent_name
from hyperspace.options.fleet import ArenaTerms, FleetTerms, Member
from hyperspace.options.launch import Fallback, KeepTraces, Kind
from hyperspace.options.solo import SoloTerms
from hyperspace.workspace.seed_agent import PUBLISHED
from hyperspace.workspace.visibility import Visibility

FORMAT = 1
LANES: Final = 8  # of a concurrent fleet that says nothing else
LANES_OPTION: Final = "lanes"
EXTENSION_HASHES: Final = "extension_sha256"
"""In a record: hash of each extension's file when the run began, by the name of the extension."""
RESERVED: Final = frozenset(
    {"abandoned", "start", "test_eval", "repo"}  # folders that are no agent's
    | {"all", "coordinator", "principal"}  # who else speaks, or is spoken to
)
_FILES: Final = (".json", ".jsonl", ".db", ".sig")


class Forked(msgspec.Struct, frozen=True):
    """An agent that the principal made of another one while the run went on.

    Attributes:
        agent: Its name.
        source: Whose code it began with.
        generation: Of which generation.
        joined: The round in which it played its generation 0.
        replaces: Who fell with that round, in an arena; not set (and absent from the record)
            elsewhere.
    """

    agent: str
    source: str
    generation: int
    joined: int
    replaces: str | UnsetType = UNSET


class RunConfig(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """Everything that decides a run's result, given equal model answers.

    Attributes:
        kind: What was launched: a pair, a fleet of any size, or a solo arm.
        domain: Domain as written on the command line, options included.
        data_sha256: Hash of the domain's inputs and labels.
        models: Model names as people wrote them, one for each agent.
        agents: Agent names (slugs), in turn order.
        eval_model: Model that task agents call; None means the agent's own.
        generations: Generations after generation 0.
        seed: The run seed.
        fallback: Where a parent comes from after a failure: the best generation, the latest
            valid one, or what failed itself.
        policies: Mode of each content policy.
        visible: Which results of evaluation agents see.
        initial_sha256: Hash of the code given with --initial; None for the standard seed.
        eval_samples: How many items of train and of validation are used, of each domain; None
            uses all.
        eval_repeats: How often each item is evaluated; not set (and absent from the record) means
            once.
        solo: What makes a solo run its arm; None for other kinds.
        fleet: How the agents live together; None for the terms of a plain pair.
        extended: Numbers of generations that it had before it was extended, ascending.
        options: Options of the run's identity that came after the fields above, by name, where
            they are not their defaults; not set (and absent from the record) if there are none.
        forked: Agents that joined while the run went on, the last ones of `agents`, in order; not
            set (and absent from the record) if there are none.
    """

    kind: Kind
    domain: str
    data_sha256: str
    models: tuple[str, ...]
    agents: tuple[str, ...]
    eval_model: str | None
    generations: int
    seed: int
    fallback: Fallback = "best"
    policies: dict[str, Mode] = msgspec.field(default_factory=all_modes)
    visible: Visibility = Visibility()
    initial_sha256: str | None = None
    eval_samples: int | None = None
    eval_repeats: int | UnsetType = UNSET
    solo: SoloTerms | None = None
    fleet: FleetTerms | None = None
    extended: tuple[int, ...] = ()
    options: dict[str, Any] | UnsetType = UNSET
    forked: tuple[Forked, ...] | UnsetType = UNSET

    def __post_init__(self) -> None:
        """Check what becomes a folder, or stands beside something else.

        Raises:
            ValueError: A record says what no run of ours has.
        """
        for name in self.agents:
            if not is_agent_name(name) or name in RESERVED or name.endswith(_FILES):
                raise ValueError(f"{name!r} is no name of an agent")
        members = self.agents if self.fleet is None else self.fleet.members
        if not len({*self.agents}) == len(self.agents) == len(self.models) == len(members) > 0:
            raise ValueError("its agents are not one for each model, each with a name of its own")

    @property
    def name(self) -> str:
        """Name of the run below its domain in the results tree."""
        if self.solo is None:
            return "_vs_".join(self.agents[: len(self.agents) - len(self.forks)])
        return f"{self.solo.experiment}/{self.solo.arm}"

    @property
    def repeats(self) -> int:
        """How often each item is evaluated."""
        return 1 if self.eval_repeats is UNSET else self.eval_repeats

    @property
    def judge(self) -> str | None:
        """Model that grades answers; None where the task needs none."""
        return None if self.options is UNSET else self.options.get("judge")

    @property
    def reviewer(self) -> str | None:
        """Model that reviews each try at level feedback; None means the agent's own."""
        return None if self.options is UNSET else self.options.get("reviewer")

    @property
    def seed_agent(self) -> str:
        """The meta agent that agents start with."""
        if self.solo is not None:
            return self.solo.seed_agent
        return PUBLISHED if self.options is UNSET else self.options.get("seed_agent", PUBLISHED)

    @property
    def rotate_val(self) -> int | None:
        """Generations after which validation items are drawn anew; None for never."""
        return None if self.options is UNSET else self.options.get("rotate_val")

    @property
    def needs(self) -> bool:
        """Whether agents may put questions to the principal."""
        return False if self.options is UNSET else bool(self.options.get("needs"))

    @property
    def extensions(self) -> tuple[str, ...]:
        """Extensions of a person's own, each as `FILE.py:NAME?option=value`."""
        return () if self.options is UNSET else tuple(self.options.get("extensions", ()))

    @property
    def lanes(self) -> int:
        """How many generations are under way at a time, where agents take no turns."""
        lanes = None if self.options is UNSET else self.options.get(LANES_OPTION)
        return lanes or (LANES if self.together.schedule == "concurrent" else 1)

    @property
    def side_by_side(self) -> bool:
        """Whether generations are made at the same time, so that timing decides what each sees."""
        return self.together.schedule == "concurrent" or self.lanes > 1

    @property
    def root_seed(self) -> int:
        """The root of all random numbers of the run: its seed, or another stream of it."""
        terms = self.solo or self.fleet
        if terms is None or not terms.stream:
            return self.seed
        return derive_seed(self.seed, "stream", terms.stream)

    @cached_property
    def together(self) -> FleetTerms:
        """How the agents live together, the defaults where nothing is on record."""
        alike = tuple(Member(self.generations - self.joined(name)) for name in self.agents)
        return self.fleet or FleetTerms(members=alike)

    @property
    def forks(self) -> tuple[Forked, ...]:
        """Agents that joined while the run went on, in order."""
        return () if self.forked is UNSET else self.forked

    def fork_of(self, agent: str) -> Forked | None:
        """Where an agent came from that joined while the run went on; None for the others."""
        return next((fork for fork in self.forks if fork.agent == agent), None)

    def joined(self, agent: str) -> int:
        """The round in which an agent plays its generation 0."""
        fork = self.fork_of(agent)
        return 0 if fork is None else fork.joined

    @property
    def keeps_shorter(self) -> bool:
        """Whether of two that score alike the shorter one is kept."""
        return self.arena is not None or (self.solo is not None and self.solo.has_worker)

    @property
    def arena(self) -> ArenaTerms | None:
        """What makes it an arena; None where it is none."""
        return None if self.fleet is None else self.fleet.arena or None

    def plays(self, agent: str, number: int) -> bool:
        """Whether an agent has joined by a round, and not fallen before it."""
        fell = (fork.joined for fork in self.forks if fork.replaces == agent)
        return self.joined(agent) <= number <= next(fell, self.generations)

    @cached_property
    def turns(self) -> dict[str, int]:
        """Each agent's place in a round, from 0, by name."""
        return {name: turn for turn, name in enumerate(self.agents)}

    def member(self, agent: str) -> Member:
        """An agent's own terms."""
        return self.together.members[self.turns[agent]]

    @property
    def final_name(self) -> str:
        """Name of the final evaluation; a run that was extended has another one."""
        return self._final_names[-1]

    @property
    def earlier_finals(self) -> tuple[str, ...]:
        """Names of the final evaluations from before the run was extended, if there were any."""
        return self._final_names[:-1]

    @cached_property
    def _final_names(self) -> tuple[str, ...]:
        names = ["test"]
        for plan in (*self.extended, self.generations)[1:]:
            name = f"test@{plan}"
            while name in names:  # it ended early, and went on with the plan that it had
                name += "+"
            names.append(name)
        return tuple(names)

    def iterations_left(self, agent: str, generation: int) -> int:
        """Generations that were still to come when one was made, as the plan was then."""
        member = self.member(agent)
        before = member.extended or () if self.fleet else self._plans_before(agent)
        plans = (*before, member.generations)
        return next((plan for plan in plans if plan >= generation), plans[-1]) - generation

    def fleet_lasting(self, generations: int) -> FleetTerms | None:
        """Return the terms of the fleet if the run has so many generations.

        Whoever plays to the end of the run does so then; the others have the budgets they had.
        """
        if self.fleet is None:
            return None
        members = (
            replace(member, generations=generations - self.joined(agent))
            if self.joined(agent) + member.generations == self.generations
            else member
            for agent, member in zip(self.agents, self.fleet.members, strict=True)
        )
        return replace(self.fleet, members=tuple(members))

    def _plans_before(self, agent: str) -> tuple[int, ...]:
        """Budgets of an agent before the run was extended, where all last as long as the run."""
        return tuple(plan - self.joined(agent) for plan in self.extended)

    def edit_scope(self, agent: str) -> EditScope:
        """Paths that an agent may change; alone, as the terms of its arm say."""
        return self.member(agent).edit_scope if self.solo is None else self.solo.edit_scope


def with_fork(
    config: RunConfig, fork: ForkAgent, joined: int, replaces: str | UnsetType = UNSET
) -> RunConfig:
    """Return the configuration of a run that an agent joins.

    Args:
        config: The run's until then.
        fork: What the principal asked, or came of an arena's tournament.
        joined: The round in which the new agent plays its generation 0.
        replaces: Who falls with that round, in an arena.
    """
    source = config.member(fork.agent)
    left = config.joined(fork.agent) + source.generations - joined
    fleet = config.fleet
    if fleet is not None:
        member = replace(source, generations=left)
        fleet = replace(fleet, members=(*fleet.members, member))
    forked = Forked(fork.name, fork.agent, fork.generation, joined, replaces)
    return replace(
        config,
        agents=(*config.agents, fork.name),
        models=(*config.models, fork.model),
        fleet=fleet,
        forked=(*config.forks, forked),
    )


class RunRecord(msgspec.Struct, frozen=True, kw_only=True):
    """run_config.json: the configuration and what a person needs to cite the run.

    Attributes:
        format: Version of the run folder's form.
        configuration: What decides the result.
        sandbox: Kind of sandbox in use.
        data: Absolute path of the data folder; None if the domain needs none.
        initial: Absolute path of the folder given with --initial; None for the seed.
        command: The command line that started it.
        started_utc: When it was first started (ISO 8601).
        versions: Versions of this program, its commit, Python and the packages it depends on.
        returned_models: Model names as asked to the ids that providers returned; empty until the
            run is finished.
        cache: Absolute path of the folder with other runs' replies; None if there is none.
        keep_traces: Which traces are kept when the run is finished: `all`, those of each agent's
            `best` generation, or `none`.
        domain_sha256: Hash of the file that the domain is code in, when the run began; None where
            there is none.
        run_place: Where it belongs below a results folder, `<domain>/<name>/seed<n>`; not set (and
            absent from the file) where an earlier version began it.
        call_seeds: Whether each model call has a sampling seed of its own; not set where an
            earlier version began the run, whose calls share one in each generation.
        options: The other options that are recorded, by name; in the file they stand among the
            fields above.
    """

    format: int
    configuration: RunConfig
    sandbox: str
    data: str | None
    initial: str | None
    command: tuple[str, ...]
    started_utc: str
    versions: dict[str, str]
    returned_models: dict[str, tuple[str, ...]] = {}
    cache: str | None = None
    keep_traces: KeepTraces = "all"
    domain_sha256: str | None = None
    run_place: str | UnsetType = UNSET
    call_seeds: bool | UnsetType = UNSET
    options: dict[str, Any] = {}


def with_options(record: RunRecord, values: dict[str, Any]) -> RunRecord:
    """Return a record with other values of options; what it has no field for goes to `options`."""
    fields = {name: values[name] for name in RunRecord.__struct_fields__ if name in values}
    others = {name: value for name, value in values.items() if name not in fields}
    return replace(record, **fields, options=others)


def read_record(path: Path) -> RunRecord:
    """Read run_config.json.

    Raises:
        RecordUnreadable: It is of another version or no run record at all.
    """
    try:
        values = decode_json(read_whole(path), dict[str, Any])
    except (Unreadable, msgspec.MsgspecError) as error:
        is_missing = isinstance(error, Unreadable) and error.is_missing
        what = "is missing" if is_missing else f"is damaged ({error})"
        raise RecordUnreadable(
            f"{path} {what}; restore it from a copy or an export of the run"
        ) from error
    return decode_record(values, str(path))


def decode_record(values: dict[str, Any], path: str) -> RunRecord:
    """Decode the content of run_config.json, which came from `path`.

    Raises:
        RecordUnreadable: It is of another version or no run record at all.
    """
    require_format(values.get("format"), path)
    # What stands beside the fields: options that later versions may add to.
    others = {k: v for k, v in values.items() if k not in RunRecord.__struct_fields__}
    try:
        record = with_options(msgspec.convert(values, RunRecord), others)
        if (record.configuration.kind == "solo") != (record.configuration.solo is not None):
            raise msgspec.ValidationError("kind and arm contradict each other")
        return record
    except msgspec.MsgspecError as error:
        raise RecordUnreadable(
            f"{path} is no run record that this version can read ({error}); "
            "restore it from a copy or an export of the run"
        ) from error


def read_record_of(run: Path) -> RunRecord:
    """Open the run in a folder: the one door to runs, whoever made them.

    Raises:
        RunUsageError: There is no run in this folder, or it holds what a run does not.
    """
    path = run / RECORD
    if not path.is_file():
        raise RunUsageError(no_run(run))
    enter(run)
    return read_record(path)


def record_fields(record: RunRecord) -> dict[str, Any]:
    """Return what run_config.json holds of a record; other options stand among its fields."""
    fields: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(record))
    return fields.pop("options") | fields


def write_record(path: Path, record: RunRecord, *, sign_new: bool = True) -> None:
    """Write run_config.json atomically, and sign it if it is new or was ours.

    Args:
        path: The file.
        record: Its content.
        sign_new: Whether a new one is signed; not where it is thrown away.

    Raises:
        RunUsageError: It cannot be signed.
    """
    data = pretty_json(record_fields(record))
    if is_own(path.parent) if path.exists() else sign_new:
        sign(path.parent, data)
    write_atomically(path, data)


def going_on(earlier: RunConfig, requested: RunConfig) -> RunConfig:
    """Return the requested configuration, extended by agents that joined the run since it began.

    A run is extended where it gets more generations. As many lanes are the same lanes, whether
    they are named or left to the default.
    """
    if requested.lanes == earlier.lanes:
        requested = _with_lanes_of(earlier, requested)
    if earlier.forks and not requested.forks:
        requested = _with_forks(earlier, requested)
    if requested.extended or requested.generations < earlier.generations:
        return requested
    before = earlier.extended
    if requested.generations > earlier.generations:
        before = (*before, earlier.generations)
    return replace(requested, extended=before, fleet=_fleet_going_on(earlier, requested))


def _fleet_going_on(earlier: RunConfig, requested: RunConfig) -> FleetTerms | None:
    """Return the requested terms of a fleet, with the budgets that its members had before."""
    have, want = earlier.together, requested.together
    if earlier.fleet is requested.fleet is None or len(have.members) != len(want.members):
        return requested.fleet
    return replace(want, members=tuple(map(_member_going_on, have.members, want.members)))


def _member_going_on(earlier: Member, requested: Member) -> Member:
    before = earlier.extended or ()
    if requested.generations > earlier.generations:
        before = (*before, earlier.generations)
    return replace(requested, extended=before or UNSET)


def _with_lanes_of(earlier: RunConfig, requested: RunConfig) -> RunConfig:
    have, want = (each.options or {} for each in (earlier, requested))
    others = {name: value for name, value in want.items() if name != LANES_OPTION}
    named = {name: value for name, value in have.items() if name == LANES_OPTION}
    return replace(requested, options=others | named or UNSET)


def _with_forks(earlier: RunConfig, requested: RunConfig) -> RunConfig:
    if requested.agents == earlier.agents:  # read from the run's own record
        return replace(requested, forked=earlier.forked)
    begun = len(earlier.agents) - len(earlier.forks)
    fleet, before = requested.fleet, earlier.fleet
    if fleet is not None and before is not None:
        members = [*fleet.members]
        for fork, member in zip(earlier.forks, before.members[begun:], strict=True):
            source = earlier.turns[fork.source]
            longer = members[source].generations - before.members[source].generations
            members.append(replace(member, generations=member.generations + longer))
        fleet = replace(fleet, members=tuple(members))
    return replace(
        requested,
        agents=(*requested.agents, *earlier.agents[begun:]),
        models=(*requested.models, *earlier.models[begun:]),
        fleet=fleet,
        forked=earlier.forked,
    )


def reopened(config: RunConfig) -> RunConfig:
    """Return the configuration of a run that ended early, and goes on with the plan it had."""
    return replace(config, extended=(*config.extended, config.generations))


def is_extension(earlier: RunConfig, requested: RunConfig) -> bool:
    """Return whether a run goes on with more generations, and may; it may differ otherwise."""
    if requested == reopened(earlier):
        return True
    if requested.generations <= earlier.generations or _no_extension(earlier, requested):
        return False
    fleet = requested.fleet
    if fleet is not None:
        members = tuple(replace(member, extended=UNSET) for member in fleet.members)
        fleet = replace(fleet, members=members)
    plain = replace(requested, extended=(), fleet=fleet)
    return requested == going_on(earlier, plain)


def _no_extension(earlier: RunConfig, requested: RunConfig) -> str:
    """Return why a run gets no more generations; empty if it may.

    Where agents take turns, what they saw of each other would else not be what they see in a run
    that was as long from the beginning.
    """
    if earlier.arena is not None:
        return (
            "the rounds of an arena are fixed: who falls and who joins hangs on how many are to "
            "come; play a longer one in another --results folder"
        )
    have, want = earlier.together, requested.together
    if len(have.members) != len(want.members) or have.schedule == "concurrent":
        return ""
    for agent, before, after in zip(earlier.agents, have.members, want.members, strict=True):
        end = earlier.joined(agent) + before.generations
        if after.generations > before.generations and end < earlier.generations:
            return (
                f"{agent} has sat out since round {end} of {earlier.generations}, and the others "
                f"played on without it; leave its budget at {before.generations}"
            )
    return ""


def require_equal(where: Path | str, earlier: RunConfig, requested: RunConfig) -> None:
    """Check that the run in a folder, or in a space on a server, is the one asked for.

    It may be that one extended.

    Raises:
        ConfigMismatch: They differ; names the first field.
        RunUsageError: It is that one, and gets no more generations.
    """
    if is_extension(earlier, requested):
        earlier = replace(
            earlier,
            generations=requested.generations,
            extended=requested.extended,
            fleet=_with_budgets_of(earlier, requested),
        )
    elif requested.generations > earlier.generations and (why := _no_extension(earlier, requested)):
        raise RunUsageError(f"{where} holds a run of {earlier.generations} generations; {why}")
    _require_equal(where, "", earlier, requested)


def _with_budgets_of(earlier: RunConfig, requested: RunConfig) -> FleetTerms | None:
    """Return the terms of a fleet with the budgets that are requested, where none is smaller."""
    have, want = earlier.together, requested.fleet
    if want is None or len(have.members) != len(want.members):
        return earlier.fleet
    members = (
        replace(before, generations=after.generations, extended=after.extended)
        if after.generations >= before.generations
        else before
        for before, after in zip(have.members, want.members, strict=True)
    )
    return replace(have, members=tuple(members))


def _require_equal(
    where: Path | str, prefix: str, earlier: msgspec.Struct, requested: msgspec.Struct
) -> None:
    for field in earlier.__struct_fields__:
        have: Any = getattr(earlier, field)
        want: Any = getattr(requested, field)
        if field == "options":
            have, want = have or {}, want or {}
            for name in {**have, **want}:
                if have.get(name) != want.get(name):
                    values = (
                        options.get(name, getattr(config, name, "default"))
                        for options, config in ((have, earlier), (want, requested))
                    )
                    raise ConfigMismatch(where, name, *values)
        elif isinstance(have, msgspec.Struct) and type(have) is type(want):
            _require_equal(where, f"{prefix}{field}.", have, want)
        elif have != want:
            # A number of repeats that is not set is one.
            values = (1 if value is UNSET else value for value in (have, want))
            raise ConfigMismatch(where, f"{prefix}{field}", *values)


def require_format(version: object, path: Path | str) -> None:
    """Check the format that a run_config.json names.

    Raises:
        RecordUnreadable: It is another one.
    """
    if version != FORMAT:
        raise RecordUnreadable(
            f"{path} has run format {version!r} and this version reads {FORMAT}; "
            "use the version that wrote it"
        )
