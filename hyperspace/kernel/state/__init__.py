"""The state of a run: marks in its space, manifests, configuration, folder, ids, lease."""
