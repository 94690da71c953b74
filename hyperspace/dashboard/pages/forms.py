"""Forms that ask with GET: they work without scripts, and every answer has an address to send."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from hyperspace.reporting.page import Markup, escaped, folded


class FormField(NamedTuple):
    """A field of a form.

    Attributes:
        name: What it is called behind the question mark.
        label: What stands beside it.
        value: What stands in it.
        kind: Of the input: `search`, `text`, `number`, `range`, or `hidden`.
        most: The largest number, for the kinds that take numbers.
        pattern: What a text has to look like; it is required then.
        hint: What stands in it while it is empty.
        choices: Texts that are offered.
    """

    name: str
    label: str
    value: str
    kind: str = "search"
    most: int | None = None
    pattern: str = ""
    hint: str = ""
    choices: tuple[str, ...] = ()

    @property
    def drawn(self) -> str:
        """It, as markup."""
        limits = "" if self.most is None else f' min="0" max="{self.most}"'
        if self.pattern:
            limits += f' required pattern="{escaped(self.pattern)}"'
        if self.hint:
            limits += f' placeholder="{escaped(self.hint)}"'
        if self.choices:
            limits += f' list="{escaped(self.name)}-choices"'
        name, value = escaped(self.name), escaped(self.value)
        drawn = f'<input type="{escaped(self.kind)}" name="{name}" value="{value}"{limits}>'
        if self.kind == "hidden":
            return drawn
        options = "".join(f'<option value="{escaped(each)}">' for each in self.choices)
        offered = f'<datalist id="{name}-choices">{options}</datalist>' if options else ""
        return f"<label>{escaped(self.label)} {drawn}</label>{offered}"


class ChangeField(NamedTuple):
    """A field of a form that changes something.

    Attributes:
        name: Of the value that is posted; behind a dot, of a value within it.
        label: What stands beside it.
        kind: Of the input: `text`, `number` or `checkbox`.
        step: Of numbers: `1`, or `any`.
        choices: What can be chosen; empty for free text.
        is_long: Whether it has room for several lines.
        value: What stands in it.
        is_list: Whether the words in it are posted as a list.
    """

    name: str
    label: str
    kind: str = "text"
    step: str = "1"
    choices: tuple[str, ...] = ()
    is_long: bool = False
    value: str = ""
    is_list: bool = False

    @property
    def drawn(self) -> str:
        """It, as markup."""
        name, label = escaped(self.name), escaped(self.label)
        if self.choices:
            options = "".join(f"<option>{escaped(each)}</option>" for each in self.choices)
            return f'<label>{label} <select name="{name}">{options}</select></label>'
        if self.is_long:
            return f'<label>{label} <textarea name="{name}" rows="2" required></textarea></label>'
        limits = f' min="0" step="{escaped(self.step)}"' if self.kind == "number" else ""
        limits += f' value="{escaped(self.value)}"' if self.value else ""
        limits += " data-list" if self.is_list else ""
        return f'<label>{label} <input type="{escaped(self.kind)}" name="{name}"{limits}></label>'


def change_form(
    address: str,
    verb: str,
    fields: Iterable[ChangeField],
    button: str,
    fixed: Mapping[str, str],
) -> Markup:
    """Return a form that `steer.js` posts as JSON, after it has asked once more.

    Args:
        address: Of the route.
        verb: What is asked for.
        fields: What a person fills in.
        button: What sends it.
        fixed: Values that are posted with them.
    """
    return _posted("change", address, f'data-verb="{escaped(verb)}"', fields, button, fixed)


def post_form(
    address: str,
    fields: Iterable[ChangeField],
    button: str,
    fixed: Mapping[str, str],
    *,
    more: Iterable[ChangeField] = (),
    forecast: str = "",
    about: str = "",
) -> Markup:
    """Return a form that `actions.js` posts as JSON, after it has asked once more.

    Args:
        address: Of the route; its answer names the page that is opened then.
        fields: What a person fills in.
        button: What sends it.
        fixed: Values that are posted with them.
        more: Fields that are shown on request.
        forecast: Of the route that says what it may cost; empty for none.
        about: What is said where it is asked once more.
    """
    rest = "".join(field.drawn for field in more)
    options = folded("More options", Markup(rest)) if rest else ""
    values = {"forecast": forecast, "about": about}
    data = " ".join(f'data-{name}="{escaped(value)}"' for name, value in values.items() if value)
    return _posted("act", address, data, fields, button, fixed, options)


def _posted(
    kind: str,
    address: str,
    data: str,
    fields: Iterable[ChangeField],
    button: str,
    fixed: Mapping[str, str],
    more: str = "",
) -> Markup:
    hidden = "".join(
        f'<input type="hidden" name="{escaped(name)}" value="{escaped(value)}">'
        for name, value in fixed.items()
    )
    drawn = "".join(field.drawn for field in fields)
    return Markup(
        f'<form class="{kind}" action="{escaped(address)}" {data}>{hidden}{drawn}{more}'
        f'<button>{escaped(button)}</button> <output aria-live="polite"></output></form>\n'
    )


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
