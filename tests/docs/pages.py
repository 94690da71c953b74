"""The pages that people read: at the root of the project, and below docs/."""

from tests.support.paths import ROOT

DOCS = sorted((ROOT / "docs").rglob("*.md"))
PAGES = [*sorted(ROOT.glob("*.md")), *DOCS]
