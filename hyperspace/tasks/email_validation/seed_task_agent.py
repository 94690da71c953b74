"""Tells valid from invalid addresses: measures each one and holds it against bounds."""

from typing import Any

# Least and most of each thing that a valid address has; the bounds are generous.
BOUNDS = {
    "characters": (1, 400),
    "odd characters": (0, 2),
    "at signs": (1, 2),
    "dots": (1, 99),
    "local characters": (0, 140),
    "odd local characters": (0, 2),
    "local dots at an end": (0, 1),
    "local double dots": (0, 1),
    "bare quotes": (0, 1),
    "domain characters": (0, 400),
    "labels": (1, 99),
    "empty labels": (0, 2),
    "longest label": (0, 130),
    "odd domain characters": (0, 2),
    "hyphens at an end": (0, 1),
    "top characters": (0, 130),
    "top letters": (0, 130),
    "octets": (3, 5),
    "largest octet": (0, 999),
    "padded octets": (0, 1),
}
DOMAIN_CHARACTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-"
LOCAL_CHARACTERS = DOMAIN_CHARACTERS + "!#$%&'*+/=?^_`{|}~"
LOWEST_CODE = 0
HIGHEST_CODE = 255


def measure(address: str) -> dict[str, int]:
    """Count what the bounds are about; nothing is measured of what an address does not have."""
    local, _, domain = address.rpartition("@")
    sizes = {
        "characters": len(address),
        "odd characters": sum(not LOWEST_CODE <= ord(c) <= HIGHEST_CODE for c in address),
        "at signs": address.count("@"),
        "dots": address.count("."),
        "local characters": len(local),
    }
    if local.startswith('"'):
        sizes |= measure_quoted(local)
    else:
        sizes |= measure_plain(local)
    if domain.startswith("["):
        return sizes | measure_literal(domain)
    return sizes | measure_name(domain)


def measure_plain(local: str) -> dict[str, int]:
    """Count things of a local part without quotes."""
    return {
        "odd local characters": sum(c not in LOCAL_CHARACTERS for c in local),
        "local dots at an end": local.startswith(".") + local.endswith("."),
        "local double dots": local.count(".."),
    }


def measure_quoted(local: str) -> dict[str, int]:
    """Count things of a local part in quotes: quotes within that no backslash escapes."""
    inside = local[1:].replace("\\\\", "").replace('\\"', "")
    return {"bare quotes": abs(inside.count('"') - 1)}


def measure_name(domain: str) -> dict[str, int]:
    """Count things of a domain name."""
    labels = domain.split(".")
    return {
        "domain characters": len(domain),
        "labels": len(labels),
        "empty labels": labels.count(""),
        "longest label": max(len(label) for label in labels),
        "odd domain characters": sum(c not in DOMAIN_CHARACTERS for c in domain),
        "hyphens at an end": sum(label.startswith("-") + label.endswith("-") for label in labels),
        "top characters": len(labels[-1]),
        "top letters": sum(c.isalpha() for c in labels[-1]),
    }


def measure_literal(domain: str) -> dict[str, int]:
    """Count things of an address in brackets."""
    octets = domain.strip("[]").split(".")
    return {
        "octets": len(octets),
        "largest octet": max(int(octet) if octet.isdecimal() else 0 for octet in octets),
        "padded octets": sum(len(octet) > 1 and octet.startswith("0") for octet in octets),
    }


def is_within_bounds(sizes: dict[str, int]) -> bool:
    """Return whether everything that was measured lies within its bounds."""
    for name, size in sizes.items():
        least, most = BOUNDS[name]
        if size < least:
            return False
        if size > most:
            return False
    return True


class TaskAgent:
    """Answers one item at a time, without asking a model."""

    def __init__(self, model: str, log_file: str = "") -> None:
        self.model = model
        self.log_file = log_file

    def forward(self, inputs: dict[str, Any]) -> tuple[str, list[dict[str, str]]]:
        """Return the prediction, "valid" or "invalid", and the (empty) conversation."""
        prediction = "valid" if is_within_bounds(measure(inputs["address"])) else "invalid"
        return prediction, []
