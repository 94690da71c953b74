"""One module for each subcommand: `SUMMARY`, `add_arguments(parser)`, `run(args) -> exit code`."""
