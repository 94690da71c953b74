"""The pages that people read: at the root of the project, and below docs/."""

from tests.support.paths import ROOT

# What lies in the folders of examples is data.
DOCS = sorted(p for p in (ROOT / "docs").rglob("*.md") if "examples" not in p.parts)
PAGES = [*sorted(ROOT.glob("*.md")), *DOCS]
