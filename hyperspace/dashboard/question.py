"""What a view or an answer is asked for, whether over HTTP or by the bundle."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from hyperspace.dashboard.errors import BadQuery, NotThere
from hyperspace.dashboard.links import Links
from hyperspace.dashboard.results.arrows import UNNAMED
from hyperspace.dashboard.results.cache import HeldRuns
from hyperspace.dashboard.results.followed import FollowedRun, FollowedRuns
from hyperspace.dashboard.results.followed_research import FollowedResearch
from hyperspace.dashboard.results.links import require_no_links
from hyperspace.dashboard.results.place import RunPlace
from hyperspace.dashboard.results.trace_cache import HeldTraces
from hyperspace.dashboard.results.tree import ResultsTree
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.runs.following.overview import is_alone, is_ours
from hyperspace.runs.records import Generation, Run, RunAgent
from hyperspace.runs.research.kind import is_research

MOST_DIGITS = 12
OF_AGENTS = (
    "this is a research run, and this address is about agents that change their own code; its "
    "first page shows its ideas"
)
NOT_OURS = (
    "this run was not played by hyperspace: it has no mark space, no guard stood over it, and "
    "nothing is on record of what it spent or how it was steered"
)
RunKind = Literal["agents", "peers", "ours", "research", "any"]
"""What a page or an answer is about: agents that change their own code, what they take from each
other, what hyperspace alone keeps of them, ideas of a research run, or any of it."""


class Sources(NamedTuple):
    """What everything that is shown is read from.

    Attributes:
        tree: The runs by their ids.
        held: Runs that were read.
        traces: Indexes of traces.
        cache: Where the index for searching goes.
        followed: Runs that are read on while they are played.
    """

    tree: ResultsTree
    held: HeldRuns
    traces: HeldTraces
    cache: Path
    followed: FollowedRuns


def number_in(text: str) -> int:
    """Return the number that a part of an address is; -1 for none, and for one written otherwise.

    One thing has one address: `00` names nothing.
    """
    is_whole = text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS
    return int(text) if is_whole and str(int(text)) == text else -1


def why_nothing(run: Path, kind: RunKind) -> str:
    """Return why nothing of a kind can ever be told of a run, as a sentence; empty if it can."""
    if kind == "any":
        return ""
    if is_research(run):
        return "" if kind == "research" else OF_AGENTS
    folder = RunFolder(run)
    if kind == "research":
        return "this is no research run, so it has no ideas"
    if kind == "ours" and not is_ours(folder):
        return NOT_OURS
    if kind == "peers" and is_alone(folder):
        return "one agent is alone in this run, so it has no peer from which it could adopt"
    return ""


class Question(NamedTuple):
    """One question.

    Attributes:
        sources: What the answer is read from.
        path: Values of the address's parameters, such as `run`.
        query: Values behind the question mark.
        links: Writes addresses into the answer.
        change_token: Header value of requests that change something; empty where nothing can be.
    """

    sources: Sources
    path: Mapping[str, str]
    query: Mapping[str, str]
    links: Links
    change_token: str = ""

    @property
    def can_steer(self) -> bool:
        """Whether there are routes that change runs."""
        return bool(self.change_token)

    @property
    def with_texts(self) -> bool:
        """Whether an answer is to have texts, too, which agents may have written.

        Raises:
            BadQuery: What is said of it is neither 0 nor 1.
        """
        return bool(self.whole("content", 0, 1))

    @property
    def place(self) -> RunPlace:
        """Where the run of the address lies.

        Raises:
            NotThere: It is not there.
            RunDamaged: It holds a link.
        """
        place = self.sources.tree.place(self.path["run"])
        require_no_links(place.folder)
        return place

    def run(self) -> Run:
        """Read the run of the address; see `HeldRuns.read`."""
        return self.sources.held.read(self.place)

    def followed(self) -> FollowedRun:
        """Return the run of the address to be read on while it is played; it is one of ours."""
        return self.sources.followed.run(self.place)

    def is_research(self) -> bool:
        """Return whether the run of the address is a research run."""
        return is_research(self.place.folder)

    def require(self, kind: RunKind) -> None:
        """Check that the run of the address, if it names one, is of a kind.

        Raises:
            NotThere: It is of another one.
        """
        if "run" not in self.path or kind == "any":
            return
        if why := why_nothing(self.place.folder, kind):
            raise NotThere(why)

    def research(self) -> FollowedResearch:
        """Return the research run of the address."""
        return self.sources.followed.research(self.place)

    def agent(self) -> RunAgent:
        """Read the agent of the address, by its name in the run's record.

        Raises:
            NotThere: The run has none of this name.
        """
        run, name = self.run(), self.path["agent"]
        for agent in run.agents:
            if agent.name == name or (name == UNNAMED and not agent.name):
                return agent
        names = ", ".join(agent.name or "(unnamed)" for agent in run.agents) or "none"
        raise NotThere(f"this run has no agent {name[:80]!r}; it has {names}")

    def generation(self) -> Generation:
        """Read the generation of the address.

        Raises:
            NotThere: The agent has none of this number.
        """
        agent, text = self.agent(), self.path["generation"]
        turn = agent.turn(number_in(text))
        if turn is None:
            last = agent.generations[-1].generation if agent.generations else None
            upto = "it has none" if last is None else f"its last is {last}"
            raise NotThere(f"{agent.name} has no generation {text[:20]!r}; {upto}")
        return turn

    def whole(self, name: str, default: int, most: int = 10**9) -> int:
        """Return a whole number behind the question mark.

        Raises:
            BadQuery: It is no whole number from 0 to `most`.
        """
        text = self.query.get(name, "")
        if not text:
            return default
        if not (text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS):
            raise BadQuery(f"{name}={text[:20]!r} is no whole number from 0 to {most}")
        if int(text) > most:
            raise BadQuery(f"{name}={text} is above {most}")
        return int(text)

    def text(self, name: str, default: str = "", most: int = 200) -> str:
        """Return a text behind the question mark.

        Raises:
            BadQuery: It is longer than `most` characters.
        """
        text = self.query.get(name, default)
        if len(text) > most:
            raise BadQuery(f"{name} has {len(text)} characters, and at most {most} are read")
        return text
