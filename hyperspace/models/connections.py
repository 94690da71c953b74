"""Proxies and certificates that variables of the environment name, checked before they are used.

HTTP clients read these variables themselves, but a wrong one ends in a traceback of theirs, or in a
connection that fails for no visible reason.
"""

import os
import re
import ssl
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from hyperspace.models.base import BadConnectionSetting

_SCHEMES: Final = ("http", "https", "socks5", "socks5h")
# In the order in which one goes before the next; the last is not read by the clients themselves.
_CERTIFICATES: Final = ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE")
_HASHED: Final = re.compile(r"[0-9a-fA-F]{8}\.\d+")  # a certificate in a folder of OpenSSL's


class Proxy(NamedTuple):
    """A proxy that is in force for an address.

    Attributes:
        variable: The variable that names it.
        address: Where it is, without user and password.
    """

    variable: str
    address: str

    def __str__(self) -> str:
        return f"the proxy in {self.variable} ({self.address})"


def proxy_for(url: str, environ: Mapping[str, str] | None = None) -> Proxy | None:
    """The proxy that requests to an address go through; None where they go straight.

    Raises:
        BadConnectionSetting: The variable names none that can be used.
    """
    variables = os.environ if environ is None else environ
    parts = urlsplit(url)
    kinds = (f"{parts.scheme}_proxy", "all_proxy")
    names = [name for kind in kinds for name in (kind, kind.upper())]
    variable = next((name for name in names if variables.get(name)), None)
    direct = variables.get("no_proxy") or variables.get("NO_PROXY") or ""
    if variable is None or _goes_direct(parts.hostname or "", direct):
        return None
    text = variables[variable]
    proxy = urlsplit(text if "://" in text else f"http://{text}")
    try:
        where = f"{proxy.hostname}:{proxy.port}" if proxy.port else f"{proxy.hostname}"
    except ValueError:
        where = "None"
    if proxy.scheme not in _SCHEMES or where == "None":
        raise BadConnectionSetting(
            f"{variable} names no proxy that can be used ({proxy.scheme}://...); write one of "
            f"{', '.join(f'{scheme}://HOST:PORT' for scheme in _SCHEMES)}, or unset it"
        )
    return Proxy(variable, f"{proxy.scheme}://{where}")


def _goes_direct(host: str, hosts: str) -> bool:
    entries = [entry.strip().lower().lstrip(".") for entry in hosts.split(",")]
    return any(
        entry == "*" or host == entry or host.endswith(f".{entry}") for entry in entries if entry
    )


def certificates(environ: Mapping[str, str] | None = None) -> ssl.SSLContext | bool:
    """What certificates are held against; True for those of this system.

    Raises:
        BadConnectionSetting: A variable names a file or a folder without certificates.
    """
    variables = os.environ if environ is None else environ
    variable = next((name for name in _CERTIFICATES if variables.get(name)), None)
    if variable is None:
        return True
    path = Path(variables[variable])
    is_folder = variable == "SSL_CERT_DIR" or (variable == _CERTIFICATES[-1] and path.is_dir())
    try:
        if not is_folder:
            return ssl.create_default_context(cafile=path)
        folders = variables[variable].split(os.pathsep)
        files = (file.name for folder in folders for file in Path(folder).iterdir())
        if any(map(_HASHED.fullmatch, files)):
            return ssl.create_default_context(capath=variables[variable])
        problem = "it holds no certificate under the name of its hash (see `openssl rehash`)"
    except ssl.SSLError:
        problem = "it holds no certificate"
    except (OSError, ValueError) as error:
        problem = str(getattr(error, "strerror", None) or error)
    raise BadConnectionSetting(
        f"{variable}={variables[variable]} cannot be used: {problem}; name a "
        f"{'folder' if is_folder else 'file'} of certificates, or unset it"
    )
