"""How networks are asked: retries, shared limits and outages, with one owner, `Retrying`."""
