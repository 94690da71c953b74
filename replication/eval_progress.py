"""Score curves with the best so far, of any runs of ours, of published ones, or of a table.

`python -m replication.eval_progress [BASE] [--json] [--html FILE] [--png FILE|DIR]`
"""

import sys

from hyperspace.reporting.eval_progress import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], "replication.eval_progress"))
