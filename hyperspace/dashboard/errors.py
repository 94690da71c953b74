"""What a page or an answer can end in beside what was asked for."""


class NotThere(Exception):
    """The address names nothing that is there; the text says what, and what there is (404)."""


class BadQuery(Exception):
    """A value in the address cannot be used; the text says which, and what could (400)."""


class NotDone(Exception):
    """What was posted is well-formed and cannot be done; the text says why (422)."""
