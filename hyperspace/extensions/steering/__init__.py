"""What a person asks of a run that goes on."""
