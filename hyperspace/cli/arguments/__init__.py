"""Options of the commands, declared for argparse."""
