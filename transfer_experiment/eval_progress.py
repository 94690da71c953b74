"""Score curves of paired runs: `python -m transfer_experiment.eval_progress [BASE]`.

The same as `python -m replication.eval_progress`, which reads runs of every kind.
"""

import sys

from hyperspace.reporting.eval_progress import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], "transfer_experiment.eval_progress"))
