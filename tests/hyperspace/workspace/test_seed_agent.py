import pytest

from hyperspace.workspace.seed_agent import SeedAgent, read_seed_agent, seed_agent_text
from hyperspace.workspace.seed_code import seed_files


@pytest.mark.parametrize(
    ("text", "recorded"),
    [
        ("published", "published"),
        ("informed", "informed"),
        ("shown", "shown"),
        ("shown?form=auto&tries=3", "shown"),
        ("shown?tries=5&form=block", "shown?form=block&tries=5"),
    ],
)
def test_equal_seed_agents_have_one_text(text: str, recorded: str) -> None:
    assert seed_agent_text(text) == recorded
    assert read_seed_agent(recorded) == read_seed_agent(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("hidden", "no seed agent is called 'hidden'; there are published, informed, shown"),
        ("published?tries=2", "published has no options"),
        ("shown?temperature=1", "no option 'temperature'; it has form and tries"),
        ("shown?form=xml", "form=xml: it is one of auto, tools, block"),
        ("shown?tries=0", "a number from 1 to 20"),
        ("shown?tries=21", "a number from 1 to 20"),
        ("shown?tries=\u0663", "a number from 1 to 20"),
        ('shown?form="', "it is one of"),
    ],
)
def test_what_is_no_seed_agent_is_refused(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read_seed_agent(text)


def test_options_stand_in_the_code_of_the_seed() -> None:
    files = seed_files("shown?form=block&tries=5", learns=False)
    names: dict[str, object] = {}
    for line in files["meta_agent.py"].decode().splitlines():
        if line.startswith(("FORM", "TRIES", "LEARNS")):
            exec(line, names)  # noqa: S102 - our own file
    assert (names["FORM"], names["TRIES"], names["LEARNS"]) == ("block", 5, False)


def test_the_seed_that_shows_is_at_most_200_lines_of_the_workspace() -> None:
    assert len(seed_files("shown")["meta_agent.py"].decode().splitlines()) <= 200
    assert (
        seed_files("shown")["meta_agent.py"] == seed_files(str(SeedAgent("shown")))["meta_agent.py"]
    )


def test_a_folder_can_be_named_after_a_seed_agent() -> None:
    assert read_seed_agent("shown?form=block&tries=5").slug == "shown-form-block-tries-5"
