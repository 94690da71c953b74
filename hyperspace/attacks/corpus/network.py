"""Reaching anything over a network: there is none but the broker's socket."""

from guards.defences import Defence as D
from hyperspace.attacks.attack import Family
from hyperspace.attacks.plays.inside import Inside

FAMILY = Family("network")


def connect(family: str, address: str, kind: str = "SOCK_STREAM") -> Inside:
    """Connect to an address."""
    return Inside(
        f"import socket as n\ns = n.socket(n.{family}, n.{kind})\ns.settimeout(1)\n"
        f"s.connect({address})\nreturn 'connected', []"
    )


def opened(family: str, kind: str) -> Inside:
    """Open a socket of a family that reaches past what confines the others."""
    return Inside(f"import socket as n\nn.socket(n.{family}, n.{kind}, 1)\nreturn 'opened', []")


add = FAMILY.add
add(
    "tcp to the host's loopback",
    "talks to a service that the host keeps for itself",
    connect("AF_INET", "('127.0.0.1', i['port'])"),
    *(D.NETWORK, D.SECCOMP),
)
add(
    "tcp to the host's address",
    "talks to the host over its own network",
    connect("AF_INET", "(i['address'], i['port'])"),
    *(D.NETWORK, D.SECCOMP),
)
add(
    "tcp over version 6",
    "takes the protocol that filters forget",
    connect("AF_INET6", "('::ffff:127.0.0.1', i['port'])"),
    *(D.NETWORK, D.SECCOMP),
)
add(
    "udp to the outside",
    "sends a datagram out of the machine, as a name lookup would",
    connect("AF_INET", "('192.0.2.1', 53)", "SOCK_DGRAM"),
    *(D.NETWORK, D.SECCOMP),
)
add(
    "cloud metadata",
    "finds a way to the address where clouds hand out credentials",
    connect("AF_INET", "('169.254.169.254', 80)", "SOCK_DGRAM"),
    *(D.NETWORK, D.SECCOMP),
)
add(
    "name lookup",
    "has the system's resolver look up a name",
    Inside("import socket\nreturn str(socket.getaddrinfo('localhost', 80)), []"),
    D.MOUNTS,
)
add(
    "tcp by the shell",
    "lets another program connect",
    Inside(
        "import subprocess as s\nline = f\": </dev/tcp/127.0.0.1/{i['port']}\"\n"
        "s.run(['bash', '-c', line], check=True)\nreturn 'connected', []"
    ),
    *(D.NETWORK, D.SECCOMP),
)
add(
    "listening for the host",
    "waits where a person or another program of the host may connect",
    Inside(
        "import socket as n\ns = n.create_server(('127.0.0.1', 0))\n"
        "host = open('/proc/net/dev').read().count(':') > 1\nassert host\nreturn 'listens', []"
    ),
    *(D.NETWORK, D.SECCOMP),
)
add(
    "raw socket",
    "forges packets",
    opened("AF_INET", "SOCK_RAW"),
    *(D.HOST_USER, D.CAPABILITIES, D.SECCOMP),
)
add(
    "packet socket",
    "listens to all packets of an interface",
    opened("AF_PACKET", "SOCK_RAW"),
    *(D.HOST_USER, D.CAPABILITIES, D.SECCOMP),
)
add(
    "netlink",
    "asks the kernel to change routes and interfaces",
    Inside("import socket as n\nn.socket(n.AF_NETLINK, n.SOCK_RAW)\nreturn 'opened', []"),
    D.SECCOMP,
)
add(
    "pair of sockets of another family",
    "makes two connected sockets where the filter may look at single ones only",
    Inside(
        "import ctypes\npair = (ctypes.c_int * 2)()\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        "libc.socketpair(2, 1, 0, pair)\nassert ctypes.get_errno() != 97\n"
        "return 'asked', []"
    ),
    D.SECCOMP,
)
add(
    "abstract socket",
    "connects to a socket of the host that is no file",
    connect("AF_UNIX", "'\\0' + i['abstract']"),
    D.NETWORK,
)
add(
    "names of abstract sockets",
    "lists the host's sockets",
    Inside("assert i['abstract'] in open('/proc/net/unix').read()\nreturn 'seen', []"),
    D.NETWORK,
)
add(
    "open connections of the host",
    "reads who talks to whom",
    Inside("assert len(open('/proc/net/tcp').readlines()) > 1\nreturn 'seen', []"),
    D.NETWORK,
)
add(
    "socket of the host",
    "connects to a service of the host, such as a container daemon, by its path",
    connect("AF_UNIX", "i['socket']"),
    D.MOUNTS,
)
