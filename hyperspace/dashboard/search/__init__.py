"""Words found in the traces and the code of runs, by an index that lies beside the runs."""
