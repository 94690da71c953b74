"""The colours of series: the same in figures and pages, apart for every eye, seen on every paper.

Deficient colour vision is simulated with the matrices of Machado, Oliveira and Fernandes (2009) for
severity 1.0, in linear RGB; distances are those of OKLab (Ottosson, 2020).
"""

import re
from importlib import resources
from itertools import combinations

import pytest

from hyperspace.reporting.figures import COLOURS
from hyperspace.reporting.rendering import style

Matrix = tuple[tuple[float, float, float], ...]
LEAST_APART = 0.08  # of OKLab, where black and white are 1 apart
LEAST_CONTRAST = 3.0  # WCAG 2.2, success criterion 1.4.11
LEAST_OF_TEXT = 4.5  # success criterion 1.4.3
TEXTS = ("ink", "faint", "good", "bad", "warn", "link")
GROUNDS = ("paper", "raised")
PAPERS = ("#ffffff", "#0d1117")
EYES: dict[str, Matrix] = {
    "normal": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "protan": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deutan": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritan": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
CONES: Matrix = (
    (0.4122214708, 0.5363325363, 0.0514459929),
    (0.2119034982, 0.6806995451, 0.1073969566),
    (0.0883024619, 0.2817188376, 0.6299787005),
)
OKLAB: Matrix = (
    (0.2104542553, 0.7936177850, -0.0040720468),
    (1.9779984951, -2.4285922050, 0.4505937099),
    (0.0259040371, 0.7827717662, -0.8086757660),
)


@pytest.mark.parametrize("eye", EYES)
def test_any_two_colours_are_told_apart_by_every_eye(eye: str) -> None:
    seen = {colour: oklab(colour, EYES[eye]) for colour in COLOURS}
    for one, other in combinations(COLOURS, 2):
        pairs = zip(seen[one], seen[other], strict=True)
        apart = sum((a - b) ** 2 for a, b in pairs) ** 0.5
        assert apart >= LEAST_APART, (one, other)


@pytest.mark.parametrize("paper", PAPERS)
def test_every_colour_stands_out_from_light_and_dark_paper(paper: str) -> None:
    for colour in COLOURS:
        assert contrast(colour, paper) >= LEAST_CONTRAST, colour


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_every_text_of_a_page_can_be_read_on_every_ground(scheme: int) -> None:
    colours = schemes()[scheme]
    for ground in GROUNDS:
        for text in TEXTS:
            assert contrast(colours[text], colours[ground]) >= LEAST_OF_TEXT, (text, ground)
        assert contrast(colours["edge"], colours[ground]) >= LEAST_CONTRAST, ground


def test_both_schemes_name_the_same_colours_and_no_page_has_another_one() -> None:
    light, dark = schemes()
    assert light.keys() == dark.keys()
    own = (
        resources.files("hyperspace.dashboard.static").joinpath("dashboard.css").read_text("utf-8")
    )
    assert not re.findall(r"#[0-9a-f]{3,8}\b|rgba?\(", own.replace("#choose", ""))


def test_pages_have_the_colours_of_the_figures() -> None:
    for number, colour in enumerate(COLOURS):
        assert f".series-{number} {{ color: {colour}; }}" in style()
    for paper in PAPERS:
        assert f"--paper: {paper}" in style()


def schemes() -> list[dict[str, str]]:
    """The colours of the light scheme and of the dark one, by their names."""
    blocks = re.findall(r":root \{(.*?)\}", style(), re.DOTALL)
    return [dict(re.findall(r"--([a-z]+): (#[0-9a-f]{6});", block)) for block in blocks]


def contrast(colour: str, ground: str) -> float:
    dark, light = sorted((luminance(colour), luminance(ground)))
    return (light + 0.05) / (dark + 0.05)


def oklab(colour: str, eye: Matrix) -> list[float]:
    shown = [min(1.0, max(0.0, part)) for part in times(eye, linear(colour))]
    return times(OKLAB, [max(0.0, part) ** (1 / 3) for part in times(CONES, shown)])


def luminance(colour: str) -> float:
    return times(((0.2126, 0.7152, 0.0722),), linear(colour))[0]


def linear(colour: str) -> list[float]:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]


def times(matrix: Matrix, vector: list[float]) -> list[float]:
    return [sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix]
