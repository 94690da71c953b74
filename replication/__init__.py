# hyperspace: this line tells that the package is ours (hyperspace/start.py)
"""Solo arms of the DGM-H loop, their ablations and their report."""
