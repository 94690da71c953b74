"""Watches a page of Chromium: nothing that others wrote runs, loads or becomes an element."""

from typing import Final

from playwright.sync_api import Dialog, Page

# Elements that our pages consist of, and what no attribute may be: text can become neither.
_STRAY: Final = """() => {
    if (document.contentType !== "text/html") return [];
    const ours = new Set(("html head meta link title script body nav main h1 h2 p a span div table "
        + "caption thead tbody tr th td ul ol li dl dt dd details summary pre code mark form input "
        + "button label select option textarea output datalist figure figcaption section article "
        + "header footer strong em small h3 fieldset legend wbr "
        + "svg g path circle line polyline polygon rect text canvas dialog").split(" "));
    const leads = ["href", "src", "action", "formaction", "xlink:href"];
    const outside = (value) => {
        const base = [location.origin, location.protocol].join();
        try {
            const address = new URL(value, location.href);
            return [address.origin, address.protocol].join() !== base;
        } catch { return true; }
    };
    return [...document.querySelectorAll("*")].filter((element) =>
        !ours.has(element.localName)
        || (element.localName === "script" && element.textContent)
        || [...element.attributes].some(({ name, value }) => name.startsWith("on")
            || name === "srcdoc" || name === "http-equiv" && value !== "Content-Security-Policy"
            || (name === "style" && !element.closest(".uplot"))
            || (leads.includes(name) && value !== "data:," && outside(value)))
    ).map((element) => element.outerHTML.slice(0, 200));
}"""


class WatchedPage:
    """Opens pages, and collects what should not have happened.

    Args:
        page: A new page.
        base: Where everything that is asked for must begin.

    Attributes:
        events: What happened, with the address where it did.
        opened: How many pages were opened.
    """

    def __init__(self, page: Page, base: str) -> None:
        self.page = page
        self.events: list[str] = []
        self.opened = 0
        page.on("dialog", self._dialog)
        page.on("popup", lambda popup: self._tell(f"a window opened: {popup.url}"))
        page.on("console", lambda message: self._console(message.text))
        page.on("pageerror", lambda error: self._tell(f"error: {error}"))
        page.on("request", lambda request: self._request(request.url, base))

    def open(self, address: str) -> None:
        """Open a page, unfold all of it, hover and focus its links, and look at its elements."""
        self.page.goto(address)
        self.opened += 1
        self.page.evaluate(
            """() => {
                for (const each of document.querySelectorAll("details")) each.open = true;
                for (const each of document.querySelectorAll("a, [title], [autofocus]"))
                    each.dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
                for (const each of document.querySelectorAll("input, textarea, [autofocus]"))
                    each.focus({ preventScroll: true });
            }"""
        )
        self.look()

    def look(self) -> None:
        """Look at the elements of the page as it is now."""
        for stray in self.page.evaluate(_STRAY):
            self._tell(f"not ours: {stray}")

    def links(self) -> list[str]:
        """Return the addresses that the page links to, without what stands behind a hash sign."""
        hrefs: list[str] = self.page.eval_on_selector_all(
            "a[href]", "links => links.map((each) => String(each.href.baseVal ?? each.href))"
        )
        return list(dict.fromkeys(each.partition("#")[0] for each in hrefs))

    def _dialog(self, dialog: Dialog) -> None:
        self._tell(f"a script ran: {dialog.message}")
        dialog.dismiss()

    def _console(self, text: str) -> None:
        if "the server responded with a status of" not in text:  # a page that says why it has none
            self._tell(f"console: {text}")

    def _request(self, url: str, base: str) -> None:
        if not url.startswith((base, "data:,", "blob:")):
            self._tell(f"request: {url[:200]}")

    def _tell(self, event: str) -> None:
        self.events.append(f"{self.page.url[:200]}: {event}")
