"""Forms that ask with GET: they work without scripts, and every answer has an address to send."""

from collections.abc import Iterable
from typing import NamedTuple

from reporting.page import Markup, escaped


class FormField(NamedTuple):
    """A field of a form.

    Attributes:
        name: What it is called behind the question mark.
        label: What stands beside it.
        value: What stands in it.
        kind: Of the input: `search`, `number`, `range`, or `hidden`.
        most: The largest number, for the kinds that take numbers.
    """

    name: str
    label: str
    value: str
    kind: str = "search"
    most: int | None = None

    @property
    def drawn(self) -> str:
        """It, as markup."""
        limits = "" if self.most is None else f' min="0" max="{self.most}"'
        name, value = escaped(self.name), escaped(self.value)
        drawn = f'<input type="{escaped(self.kind)}" name="{name}" value="{value}"{limits}>'
        return drawn if self.kind == "hidden" else f"<label>{escaped(self.label)} {drawn}</label>"


def asking_form(address: str, fields: Iterable[FormField], button: str) -> Markup:
    """Return a form that opens a page of ours.

    Args:
        address: Of the page, without what stands behind the question mark.
        fields: Its fields.
        button: What sends it.
    """
    drawn = "".join(field.drawn for field in fields)
    return Markup(
        f'<form class="asking" method="get" action="{escaped(address)}">{drawn}'
        f"<button>{escaped(button)}</button></form>\n"
    )
