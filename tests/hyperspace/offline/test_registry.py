import pytest

from hyperspace.models.base import UnknownModel
from hyperspace.offline.registry import get, names


def test_every_policy_can_be_made_and_has_a_line_about_it() -> None:
    assert {"tinker", "magpie", "grader"} <= names().keys()
    assert all(get(name, {}) for name in names())
    assert all(names().values())


def test_options_are_taken_as_numbers() -> None:
    get("tinker", {"trials": "3", "spread": "0.5", "share": "1"})


def test_an_unknown_policy_is_told_what_is_like_it() -> None:
    with pytest.raises(UnknownModel, match=r"'magpy'; the nearest are magpie,"):
        get("magpy", {})


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"speed": "1"}, "no option 'speed'; options: trials, spread, share"),
        ({"trials": "many"}, "trials is 'many'; it must be a number of type int from 0 to 1000"),
        ({"trials": "1.5"}, "must be a number of type int"),
        ({"share": "2"}, "from 0 to 1"),
        ({"spread": "nan"}, "must be a number of type float"),
    ],
)
def test_a_bad_option_is_told_what_fits(options: dict[str, str], says: str) -> None:
    with pytest.raises(UnknownModel, match=says):
        get("tinker", options)


def test_words_are_options_too() -> None:
    get("crasher", {"recover": "peer", "how": "empty"})
    with pytest.raises(UnknownModel, match="recover is 'luck'; it must be one of own, peer, never"):
        get("crasher", {"recover": "luck"})


@pytest.mark.parametrize(
    ("policy", "options", "says"),
    [
        ("neglecter", {"stop_after": "-1"}, "from 0 to 1000000"),
        ("bloater", {"factor": "9"}, "from 1 to 3"),
        ("adopter", {"share": "0"}, "from 0.05 to 1"),
        ("stuck", {"views": "40"}, "from 1 to 39"),
        ("quitter", {"at": "3"}, "no option 'at'; options: after"),
    ],
)
def test_a_value_out_of_range_is_told_the_range(
    policy: str, options: dict[str, str], says: str
) -> None:
    with pytest.raises(UnknownModel, match=says):
        get(policy, options)
