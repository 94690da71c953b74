"""From the name of a model to a model, whoever answers."""
