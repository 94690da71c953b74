"""offline/ideator on an environment that it was not written for."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from hyperspace.lookup.resolve import resolve
from hyperspace.messages import ChatRequest, Message
from hyperspace.offline.registry import named
from hyperspace.research.environments.repository import Environment
from hyperspace.research.jobs.candidate import apply_diff
from hyperspace.research.loop.prompts import ASK_DIFF, idea_prompt, read_diff, read_idea
from hyperspace.research.loop.records import BASELINE, ClosedIdea, IdeaManifest
from hyperspace.research.loop.schedule import Assignment
from tests.hyperspace.research.environments import CONFIG, small
from tests.hyperspace.research.runs import IDEATOR, config_for, play
from tests.support.sandboxes import needs_bubblewrap

PERCEPTRON = '''\
"""Learns a boundary by a perceptron, in the manner of a class with a configuration."""

import json
import random
from dataclasses import dataclass

import rules


@dataclass
class Settings:
    step: float = 0.01
    rounds: int = 2
    shuffle: bool = False
    margin: float = 0.0


class Perceptron:
    def __init__(self, settings):
        self.settings = settings
        self.weights = [1.0, -1.0, 0.0]

    def output(self, point):
        return sum(w * x for w, x in zip(self.weights, (*point, 1.0)))

    def learn(self, points):
        draw = random.Random(1)
        for _ in range(self.settings.rounds):
            if self.settings.shuffle:
                draw.shuffle(points)
            for point, label in points:
                if label * self.output(point) <= self.settings.margin:
                    for place, x in enumerate((*point, 1.0)):
                        self.weights[place] += self.settings.step * label * x


if __name__ == "__main__":
    model = Perceptron(Settings())
    model.learn(rules.points())
    json.dump({"weights": model.weights}, open("out.json", "w"))
'''
RULES = """\
import random


def points():
    draw = random.Random(4)
    pairs = [(draw.random(), draw.random()) for _ in range(60)]
    return [((x, y), 1 if x + 2 * y > 1.4 else -1) for x, y in pairs]
"""
JUDGE = """\
import json
import random

a, b, c = json.load(open("artefacts/out.json"))["weights"]
draw = random.Random(99)
pairs = [(draw.random(), draw.random()) for _ in range(200)]
right = sum((a * x + b * y + c > 0) == (x + 2 * y > 1.4) for x, y in pairs)
print(json.dumps({"score": right / len(pairs)}))
"""


def perceptron(folder: Path) -> Environment:
    files = {"repo/main.py": PERCEPTRON, "repo/rules.py": RULES, "sealed/judge.py": JUDGE}
    return small(folder, files | {"env.toml": CONFIG})


def baseline() -> ClosedIdea:
    manifest = IdeaManifest(
        number=BASELINE, epoch=0, author="", kind="baseline", parent=0, shown=(), gates=(),
        tree_sha256="", state="done", score=0.5, calls=(),
    )  # fmt: skip
    return ClosedIdea(
        manifest=manifest, text="", diff="", tries=(), reason="", artefacts={}, log="", cpu_s=0.0
    )


def replies(environment: Environment, seeds: range) -> Iterator[tuple[str, str]]:
    """Ideas and diffs that the policy has for the environment, one pair for each seed."""
    policy = named(IDEATOR)
    ideas = {BASELINE: baseline()}
    prompt = idea_prompt(environment, Assignment(1, 0, "explore"), environment.files, ideas)
    for seed in seeds:
        asked = (Message("user", prompt),)
        idea = policy.reply(ChatRequest("ideator", asked, seed=seed)).text
        asked += (Message("assistant", idea), Message("user", ASK_DIFF))
        yield idea, policy.reply(ChatRequest("ideator", asked, seed=seed)).text


def test_its_diffs_apply_and_do_what_its_ideas_say(tmp_path: Path) -> None:
    environment = perceptron(tmp_path)
    trees = set[bytes]()
    for idea, reply in replies(environment, range(40)):
        files = apply_diff(environment, read_diff(reply))
        assert "In main.py" in read_idea(idea)
        assert files["rules.py"] == RULES.encode(), "what is frozen stays"
        trees.add(files["main.py"])
    assert len(trees) >= 10
    changed = b"".join(trees)
    assert b"shuffle: bool = True" in changed
    assert b"step: float = 0.04" in changed


def test_it_is_pure_and_at_a_loss_without_code(tmp_path: Path) -> None:
    environment = perceptron(tmp_path)
    assert [*replies(environment, range(3))] == [*replies(environment, range(3))]
    policy = named(IDEATOR)
    for text in ("", "hello", '<file path="a.py">\nprint(1)\n</file>'):
        request = ChatRequest("ideator", (Message("user", text),))
        assert "change" in policy.reply(request).text
    assert policy.reply(ChatRequest("ideator", ())).text


@pytest.mark.long
@needs_bubblewrap
def test_it_improves_an_environment_that_it_was_not_written_for(tmp_path: Path) -> None:
    environment = perceptron(tmp_path)
    config = config_for(environment, epochs=2, ideas=6)
    closed = play(environment, config, resolve(IDEATOR), tmp_path / "run")
    scores = [idea.score for idea in closed.values() if idea.score is not None]
    assert len(scores) >= 7
    assert max(scores) > scores[0]
    assert min(scores) < max(scores), "bad ideas are on record, too"
    texts = json.dumps([idea.text for idea in closed.values()])
    assert "main.py" in texts
