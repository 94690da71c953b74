"""What those who follow a run from outside see of replies that are still being written."""

from pathlib import Path

from hyperspace.kernel.events import ModelCalled, Notice, ReplyGrowing
from hyperspace.kernel.state.folder import REPLIES
from hyperspace.launch.growing_replies import GrowingReplies, growing_replies

GROWING = ReplyGrowing("a", 3, "modify", 5100)
CALLED = ModelCalled("a", 3, "modify", served=False, cost_usd=None)


def test_a_reply_is_seen_while_it_grows_and_gone_once_it_is_there(tmp_path: Path) -> None:
    kept: list[object] = []
    observer = GrowingReplies(tmp_path, lambda: 100.0).observing(kept.append)
    observer(Notice("x"))
    assert growing_replies(tmp_path, 100.0) == () and not (tmp_path / REPLIES).exists()
    observer(GROWING)
    observer(ReplyGrowing("b", 3, "train", 40))
    assert [reply.text for reply in growing_replies(tmp_path, 105.0)] == [
        "a gen 3 modify: still writing, 5,100 tokens so far",
        "b gen 3 train: still writing, 40 tokens so far",
    ]
    observer(CALLED)
    assert [reply.agent for reply in growing_replies(tmp_path, 105.0)] == ["b"]
    observer(ModelCalled("b", 3, "train", served=False, cost_usd=None))
    assert list(tmp_path.iterdir()) == []
    assert len(kept) == 5


def test_what_a_killed_coordinator_left_is_too_old_to_be_told(tmp_path: Path) -> None:
    GrowingReplies(tmp_path, lambda: 100.0).take(GROWING)
    assert growing_replies(tmp_path, 130.0) == ()


def test_a_file_that_makes_no_sense_is_none(tmp_path: Path) -> None:
    for content in (b"", b"[" * 100_000, b'[{"agent": 5}]', b"\xff"):
        (tmp_path / REPLIES).write_bytes(content)
        assert growing_replies(tmp_path) == ()


def test_a_folder_that_is_gone_stops_no_run(tmp_path: Path) -> None:
    GrowingReplies(tmp_path / "gone").take(GROWING)
