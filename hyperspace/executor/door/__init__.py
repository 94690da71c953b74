"""The coordinator's door, which workers call while they play a job."""
