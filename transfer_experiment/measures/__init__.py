"""What the analysis computes of a run, one measure a file; the definitions are in their heads.

All of it is pure: from a run that was read (`transfer_experiment.reading`) to records.
"""
