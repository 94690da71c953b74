"""Proxies and certificates of the environment: used, or told with the variable's name."""

import os
import socket
import ssl
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread

import pytest

from hyperspace.models.base import BadConnectionSetting
from hyperspace.models.connections import certificates, proxy_for
from tests.support.servers.faulty_server import free_port

URL = "https://api.example.org/v1"
OURS = ("proxy", "ssl_cert", "requests_ca", "curl_ca", "_api_key")


@pytest.mark.parametrize(
    ("variables", "told"),
    [
        ({"HTTPS_PROXY": "http://u:p@h:3128"}, "the proxy in HTTPS_PROXY (http://h:3128)"),
        ({"https_proxy": "h:3128", "ALL_PROXY": "x"}, "the proxy in https_proxy (http://h:3128)"),
        ({"ALL_PROXY": "socks5://h:1080"}, "the proxy in ALL_PROXY (socks5://h:1080)"),
        ({"HTTP_PROXY": "http://h:1"}, None),
        ({"HTTPS_PROXY": ""}, None),
        ({"HTTPS_PROXY": "http://h:1", "NO_PROXY": "x.org, example.org"}, None),
        ({"HTTPS_PROXY": "http://h:1", "no_proxy": "*"}, None),
    ],
)
def test_the_proxy_in_force_is_known_without_its_password(
    variables: dict[str, str], told: str | None
) -> None:
    proxy = proxy_for(URL, variables)
    assert (proxy and str(proxy)) == told


@pytest.mark.parametrize("value", ["ftp://h:1", "socks4://h:1", "http://", "http://h:port"])
def test_a_proxy_that_cannot_be_used_is_told_with_its_variable(value: str) -> None:
    with pytest.raises(BadConnectionSetting, match="ALL_PROXY names no proxy"):
        proxy_for(URL, {"ALL_PROXY": value})


@pytest.mark.parametrize("variable", ["SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE"])
def test_certificates_that_cannot_be_used_are_told_with_their_variable(
    variable: str, tmp_path: Path
) -> None:
    empty = tmp_path / "empty.pem"
    empty.touch()
    for path in (tmp_path / "missing", empty):
        with pytest.raises(BadConnectionSetting, match=f"{variable}=.*cannot be used"):
            certificates({variable: str(path)})
    assert certificates({variable: ""}) is True


def test_an_empty_folder_of_certificates_is_told(tmp_path: Path) -> None:
    for variable in ("SSL_CERT_DIR", "REQUESTS_CA_BUNDLE"):
        with pytest.raises(BadConnectionSetting, match=f"{variable}=.*openssl rehash"):
            certificates({variable: str(tmp_path)})


def test_a_file_of_certificates_is_used() -> None:
    anchors = ssl.get_default_verify_paths().openssl_cafile
    if not Path(anchors).is_file():
        pytest.skip("this system has no file of certificates")
    assert isinstance(certificates({"REQUESTS_CA_BUNDLE": anchors}), ssl.SSLContext)


def ping(name: str, **variables: str) -> str:
    """What `models --ping` says of a model, with these variables and no others of their kind."""
    kept = {k: v for k, v in os.environ.items() if not any(our in k.lower() for our in OURS)}
    done = subprocess.run(
        [sys.executable, "-m", "hyperspace", "models", "--ping", name],
        env=kept | variables,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert "Traceback" not in done.stderr and done.returncode == 1
    return done.stdout.splitlines()[-1]


@contextmanager
def socks_proxy(to_port: int) -> Generator[str]:
    """A SOCKS 5 proxy that connects clients to a port here, whatever address they ask for."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def accept() -> None:
            with suppress(OSError):  # it is closed in the end
                while True:
                    client, _ = listener.accept()
                    Thread(target=serve, args=(client,), daemon=True).start()

        def serve(client: socket.socket) -> None:
            with client, socket.create_connection(("127.0.0.1", to_port)) as server:
                client.recv(64)
                client.sendall(b"\x05\x00")
                client.recv(256)
                client.sendall(b"\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00")
                back = Thread(target=_copy, args=(server, client), daemon=True)
                back.start()
                _copy(client, server)
                back.join()

        Thread(target=accept, daemon=True).start()
        yield f"socks5://127.0.0.1:{listener.getsockname()[1]}"


def _copy(source: socket.socket, target: socket.socket) -> None:
    while data := source.recv(65536):
        target.sendall(data)
    target.shutdown(socket.SHUT_WR)


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["http", "socks5"])
@pytest.mark.parametrize("protocol", ["openai", "fireworks"])
def test_a_dead_proxy_is_told_as_that(protocol: str, scheme: str) -> None:
    proxy = f"{scheme}://127.0.0.1:{free_port()}"
    said = ping(f"{protocol}:m@http://api.example.org/v1", ALL_PROXY=proxy)
    assert f"the proxy in ALL_PROXY ({proxy}) does not answer" in said


@pytest.mark.long
@pytest.mark.parametrize("protocol", ["openai", "fireworks", "anthropic"])
def test_a_model_is_asked_through_a_socks_proxy(protocol: str) -> None:
    from hyperspace.serve.policies import ServedPolicies
    from hyperspace.serve.server import ChatServer

    server = ChatServer(ServedPolicies.from_specs(["m=offline/grader"]), "127.0.0.1", 0)
    with server.running(), socks_proxy(int(server.root.rpartition(":")[2])) as proxy:
        name = f"{protocol}:m@http://127.0.0.2:1{'/v1' if protocol == 'openai' else ''}"
        said = ping(name, ALL_PROXY=proxy)
    assert "ok" in said.split()[0] or "400" in said or "403" in said or "421" in said, said
