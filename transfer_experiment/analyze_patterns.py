"""`python -m transfer_experiment.analyze_patterns [BASE] [--json]`: the habits of each agent.

Habits of agents in the runs below a folder; `hyperspace analyze` has all of it.
"""

import sys

from transfer_experiment.outputs.entry import main
from transfer_experiment.outputs.lines import pattern_lines

if __name__ == "__main__":
    sys.exit(main(__doc__, sys.argv[1:], pattern_lines))
