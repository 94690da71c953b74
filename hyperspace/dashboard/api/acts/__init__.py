"""What is done with whole runs: starting them, putting them away, bringing them back."""
