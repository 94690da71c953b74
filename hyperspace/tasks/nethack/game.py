"""One game as an episode; lives in the child process."""

import importlib
from typing import Any

from hyperspace.tasks.nethack.actions import Key, presses
from hyperspace.tasks.nethack.almanac import forget_the_start, stay_in_daytime
from hyperspace.tasks.nethack.items import BOXOBAN, WHOLE_GAME
from hyperspace.tasks.nethack.progress import progression
from hyperspace.tasks.shapes.outcome import Outcome

SMALL_STEPS = 100
WHOLE_STEPS = 2_000
_WITHOUT_TIME = 150  # steps in which the game's clock stands still, after which it is over
_MORE = b"--More--"
_RETURN = 13
_MOST_PAGES = 20
_DEPTH, _LEVEL = 12, 18  # places in the status line
_KEYS = ("glyphs", "blstats", "tty_chars", "tty_colors", "tty_cursor", "inv_letters", "inv_strs")
_GOAL = "reach the stairs down; in the quests cross the lava and kill the monsters on the way"
_BOXOBAN_GOAL = "push every boulder onto a fountain; a boulder cannot be pulled"
_WHOLE_GOAL = "get as deep into the dungeon, and as experienced, as you can"

_gym: Any = importlib.import_module("gym")
_language: Any = importlib.import_module("nle.nle_language_obsv")


class NetHackGame:
    """An `Episode` of NetHack or of a level of MiniHack."""

    def __init__(self, inputs: dict[str, Any]) -> None:
        self._whole = inputs["task"] == WHOLE_GAME
        self._task = inputs["task"]
        self._env = _make_whole() if self._whole else _make_small(**inputs)
        self._env.seed(inputs["seed"], inputs["seed"], False)
        self._goal = _WHOLE_GOAL if self._whole else _GOAL
        if self._task in BOXOBAN:
            self._goal = _BOXOBAN_GOAL
        self._text = _language.NLELanguageObsv()
        keys = [Key(action.name, int(action)) for action in self._env.unwrapped.actions]
        self._actions = presses(keys, typed=self._whole)
        self._default = "esc" if self._whole else "north"
        self._more = next((i for i, key in enumerate(keys) if key.code == _RETURN), None)
        self._most_steps = WHOLE_STEPS if self._whole else SMALL_STEPS
        self._steps = self._illegal = 0
        self._previous = self._notice = ""
        self._reward = self._reached = 0.0
        self._depth = self._level = 1
        self._over = False
        self._messages: list[str] = []
        stay_in_daytime()
        self._seen: dict[str, Any] = self._env.reset()
        forget_the_start(self._env.unwrapped.nethack.dlpath)
        self._turn_pages()

    def observe(self) -> dict[str, Any] | None:
        """Tell the screen as text; see `Episode`."""
        if self._over:
            return None
        seen = self._seen
        column, row = int(seen["tty_cursor"][1]), int(seen["tty_cursor"][0])
        glyphs, stats = seen["glyphs"], seen["blstats"]
        return {
            "instruction": self._goal,
            "message": "\n".join(message for message in self._messages if message),
            "observation": _decoded(self._text.text_glyphs(glyphs, stats)),
            "cursor": _decoded(self._text.text_cursor(glyphs, stats, seen["tty_cursor"])),
            "x": column,
            "y": row - 1,
            "map": self._screen()[1:],
            "inventory": _decoded(self._text.text_inventory(seen["inv_strs"], seen["inv_letters"])),
            "actions": list(self._actions)[:100],
            "prev_action": self._previous,
            "notice": self._notice,
            "steps_left": self._most_steps - self._steps,
        }

    def act(self, action: str) -> None:
        """Press the keys of an action; see `Episode`."""
        word = action if action in self._actions else action.strip().lower()
        self._notice = ""
        if word not in self._actions:
            self._illegal += 1
            self._notice = f"this was no action; {self._default} was taken"
            word = self._default
        self._steps += 1
        self._previous = word
        self._messages = []
        for key in self._actions[word]:
            self._press(key)
        self._turn_pages()
        self._over = self._over or self._steps >= self._most_steps

    def outcome(self) -> Outcome:
        """Return success or progression as the score; see `Episode`."""
        score = self._reached if self._whole else float(self._reward >= 1)
        return Outcome(
            score,
            f"{self._task}: depth {self._depth}, experience level {self._level} "
            f"after {self._steps} steps",
            details={
                "steps": self._steps,
                "depth": self._depth,
                "level": self._level,
                "illegal": self._illegal,
            },
        )

    def draw(self) -> str:
        """Return the screen."""
        return "\n".join(self._screen())

    def close(self) -> None:
        """End the game."""
        self._env.close()

    def _press(self, key: int) -> None:
        if self._over:
            return
        self._seen, self._reward, self._over, _ = self._env.step(key)
        stats = self._seen["blstats"]
        if int(stats[_LEVEL]) > 0:  # the status line is empty once the game is over
            self._depth = max(self._depth, int(stats[_DEPTH]))
            self._level = max(self._level, int(stats[_LEVEL]))
        self._reached = max(self._reached, progression(self._depth, self._level))

    def _turn_pages(self) -> None:
        """Press "--More--" away and join what the pages say."""
        self._messages.append(_decoded(self._text.text_message(self._seen["tty_chars"])))
        for _ in range(_MOST_PAGES):
            if self._over or self._more is None or _MORE not in self._seen["tty_chars"].tobytes():
                return
            self._press(self._more)
            self._messages.append(_decoded(self._text.text_message(self._seen["tty_chars"])))

    def _screen(self) -> list[str]:
        return [_decoded(bytes(row)).rstrip() for row in self._seen["tty_chars"]]


def _make_small(task: str, seed: int) -> Any:
    importlib.import_module("minihack")
    options: dict[str, Any] = {
        "max_episode_steps": SMALL_STEPS,
        "penalty_step": -0.01,
        "penalty_time": 0.0,
        "penalty_mode": "constant",
        "autopickup": False,
        "character": "@",
        "savedir": None,
        "observation_keys": _KEYS,
    }
    if task in BOXOBAN:
        boxoban = importlib.import_module("hyperspace.tasks.nethack.boxoban")  # it imports minihack
        return boxoban.make_boxoban(task, seed, options)
    return _gym.make(f"MiniHack-{task}-v0", **options)


def _make_whole() -> Any:
    importlib.import_module("nle")
    return _gym.make(
        "NetHackChallenge-v0",
        character="@",
        savedir=None,
        no_progress_timeout=_WITHOUT_TIME,
        observation_keys=_KEYS,
    )


def _decoded(text: bytes) -> str:
    return text.decode("latin-1")


def make(inputs: dict[str, Any]) -> NetHackGame:
    """Make the episode of an item; called in the child."""
    return NetHackGame(inputs)
