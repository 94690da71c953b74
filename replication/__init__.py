"""Solo arms of the DGM-H loop, their ablations and their report."""
