"""Whether a request may come from where it comes: what other sites' pages cannot make up.

A page whose name was rebound to our address is of the same origin to its browser; that the Host
header still has its name is all that tells. Every other page is told by Sec-Fetch-Site and Origin.
"""

import socket
from collections.abc import Mapping
from ipaddress import ip_address
from typing import Final

from hyperspace.serve.errors import RequestRefused

ANY_ADDRESS: Final = ("", "0.0.0.0", "::")  # noqa: S104  compared with, not listened on
_LOOPBACK: Final = ("127.0.0.1", "::1")
_HTTP_PORT: Final = 80
_OURS: Final = ("same-origin", "none")


def authorities(host: str, port: int, address: str) -> frozenset[str]:
    """Return what the Host header of a request to us can be, in lower case.

    Args:
        host: The address or name that is listened on.
        port: The port that is listened on.
        address: Our end of the connection: an address is one that no name was rebound to.
    """
    names = {_compressed(address)}
    names |= {socket.gethostname().lower()} if host in ANY_ADDRESS else {_compressed(host.lower())}
    if host.lower() == "localhost":
        names |= {*_LOOPBACK}
    if names & {*_LOOPBACK}:
        names.add("localhost")
    written = {f"[{name}]" if ":" in name else name for name in names if name}
    alone = written if port == _HTTP_PORT else set[str]()
    return frozenset({f"{name}:{port}" for name in written} | alone)


def is_loopback(host: str) -> bool:
    """Return whether only this machine reaches who listens on an address or a name."""
    try:
        return host.lower() == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def check_host(headers: Mapping[str, str], ours: frozenset[str]) -> None:
    """Check that a request was sent to us under a name of ours, port included.

    Args:
        headers: By lower-case name.
        ours: See `authorities`.

    Raises:
        RequestRefused: 421, with the names that it could be sent to.
    """
    if headers.get("host", "").lower() not in ours:
        told = " or ".join(f"http://{name}/" for name in sorted(ours))
        raise RequestRefused(421, f"this server is not what the request was sent to; it is {told}")


def check_site(headers: Mapping[str, str], ours: frozenset[str]) -> None:
    """Check that no page of another site sent a request.

    Args:
        headers: By lower-case name.
        ours: See `authorities`.

    Raises:
        RequestRefused: 403.
    """
    origin = headers.get("origin")
    is_ours = origin is None or origin.lower().removeprefix("http://") in ours
    if headers.get("sec-fetch-site", "none") not in _OURS or not is_ours:
        raise RequestRefused(
            403, "a page of another site sent this request; write the address into the browser"
        )


def _compressed(name: str) -> str:
    """Return an address as browsers write it; a name as it is."""
    try:
        address = ip_address(name.partition("%")[0])
    except ValueError:
        return name
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).compressed
