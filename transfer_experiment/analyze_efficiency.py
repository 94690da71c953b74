"""`python -m transfer_experiment.analyze_efficiency [BASE] [--json]`: efficiency.

How soon each agent got how far, in the runs below a folder; `hyperspace analyze` has all of it.
"""

import sys

from transfer_experiment.outputs.entry import main
from transfer_experiment.outputs.lines import efficiency_lines

if __name__ == "__main__":
    sys.exit(main(__doc__, sys.argv[1:], efficiency_lines))
