"""The data of the published experiments, made from its public source."""
