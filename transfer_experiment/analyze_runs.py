"""`python -m transfer_experiment.analyze_runs [BASE] [--json]`: every event of every run.

Adoption, crashes, transfers, claims and habits; `hyperspace analyze` also
writes tables and a page.
"""

import sys

from transfer_experiment.outputs.entry import main
from transfer_experiment.outputs.lines import survey_lines

if __name__ == "__main__":
    sys.exit(main(__doc__, sys.argv[1:], survey_lines))
