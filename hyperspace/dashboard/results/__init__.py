"""The folder of results that is shown: its runs by their ids, and runs read and kept."""
