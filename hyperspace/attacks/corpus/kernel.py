"""Digging with system calls: namespaces, rights, memory of others, rarely used interfaces."""

import platform

from guards.defences import Defence as D
from hyperspace.attacks.attack import Family
from hyperspace.attacks.plays.inside import Inside

FAMILY = Family("kernel")
RIGHTS = (D.HOST_USER, D.CAPABILITIES)


def command(line: str) -> Inside:
    """Run a program that must not succeed."""
    code = f"import subprocess as s\ns.run({line.split()!r}, check=True, timeout=9)"
    return Inside(f"{code}\nreturn 'ran', []")


def syscall(x86: int, arm: int, *arguments: int | str) -> Inside:
    """Make a call; any error but those of a filter means that the kernel looked at it."""
    number = x86 if platform.machine() == "x86_64" else arm
    return Inside(
        "import ctypes, errno, os\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        "long = lambda value: ctypes.c_long(value)\n"
        f"done = libc.syscall({', '.join(f'long({part})' for part in (number, *arguments))})\n"
        "assert done != -1 or ctypes.get_errno() not in (errno.EPERM, errno.ENOSYS)\n"
        "return 'called', []"
    )


add = FAMILY.add
add(
    "signal to the coordinator",
    "stops who watches it",
    Inside("import os\nos.kill(i['coordinator'], 0)\nreturn 'sent', []"),
    *(D.PROCESSES, D.HOST_USER),
)
add(
    "signal to all",
    "reaches every process that its user may signal, other sandboxes too",
    Inside("import os\nos.kill(-1, 0)\nreturn 'sent', []"),
    D.PROCESSES,
)
add(
    "device node",
    "makes a disk appear in its workspace",
    Inside("import os\nos.mknod('d', 0o20600, os.makedev(1, 3))\nreturn 'made', []"),
    *RIGHTS,
)
add(
    "chroot",
    "moves its root, from where it can climb out",
    Inside("import os\nos.chroot('.')\nreturn 'moved', []"),
    *(D.SECCOMP, D.CAPABILITIES),
)
add(
    "becoming root",
    "changes its user to root",
    Inside("import os\nos.setuid(0)\nreturn 'root', []"),
    D.HOST_USER,
)
add(
    "giving a file away",
    "makes a file that belongs to somebody else",
    Inside("import os\nopen('f', 'w')\nos.chown('f', 1, 1)\nreturn 'given', []"),
    *RIGHTS,
)
add(
    "raising a limit",
    "gives itself more of what is bounded",
    Inside(
        "import resource as r\nsoft = r.getrlimit(r.RLIMIT_CPU)[0]\n"
        "r.setrlimit(r.RLIMIT_CPU, (soft + 60, soft + 60))\nreturn 'raised', []",
        "ValueError: not allowed to raise maximum limit",
    ),
    D.HARD_LIMITS,
)
add(
    "raising its priority",
    "takes the processor from everybody else",
    Inside("import os\nos.nice(-1)\nreturn 'raised', []"),
    *RIGHTS,
)
add(
    "renaming the host",
    "changes the host name",
    Inside("import socket\nsocket.sethostname('other')\nreturn 'renamed', []"),
    *(D.SECCOMP, *RIGHTS),
)
add(
    "its own map of users",
    "writes which host user its root would be",
    command("unshare --user --map-root-user true"),
    *(D.SECCOMP, D.NESTING),
)
add(
    "namespaces by clone",
    "asks for new namespaces where a filter may only know one call",
    Inside(
        "import ctypes, os, platform\nnumber = 56 if platform.machine() == 'x86_64' else 220\n"
        "made = ctypes.CDLL(None).syscall(number, 0x10000000 | 17, 0, 0, 0, 0)\n"
        "if made == 0: os._exit(0)\nassert made > 0\nreturn 'made', []"
    ),
    *(D.SECCOMP, D.NESTING),
)
add(
    "mount",
    "mounts something over its own walls",
    command("mount -t tmpfs none /tmp"),
    *(D.SECCOMP, *RIGHTS),
)
add(
    "the starter's session",
    "stays in the session from which a terminal could be reached",
    Inside("import os\nassert os.getsid(0) == 0\nreturn 'same', []"),
    D.SESSION,
)
add(
    "terminal input",
    "types into the terminal of whoever started us",
    Inside(
        "import fcntl, os\nhost, terminal = os.openpty()\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n    fcntl.ioctl(terminal, 0x540E, 0)\n"
        "    try: fcntl.ioctl(terminal, 0x5412, b'x')\n"
        "    except OSError as error: os._exit(error.errno)\n    os._exit(0)\n"
        # Newer kernels say EIO to everybody: then the filter let it pass.
        "assert os.waitstatus_to_exitcode(os.wait()[1]) in (0, 5)\nreturn 'typed', []"
    ),
    D.SECCOMP,
)
for name, about, numbers in (
    ("clone3", "asks for namespaces by flags that no filter can read", (435, 435, 0, 0)),
    ("setns", "enters another's namespaces", (308, 268, 0, 0)),
    (
        "ptrace",
        "lets one process take over another",
        (101, 117, 0, 0, 0, 0),
    ),
    ("reading another's memory", "copies out of a process", (310, 270, 1, 0, 0, 0, 0, 0)),
    ("writing another's memory", "copies into a process", (311, 271, 1, 0, 0, 0, 0, 0)),
    ("keyrings", "reads keys that the kernel keeps for a user", (250, 219, 0, -3, 0)),
    ("adding a key", "fills kernel memory with keys", (248, 217, 0, 0, 0, 0, 0)),
    ("asking for a key", "has the kernel start a program of the host", (249, 218, 0, 0, 0, 0)),
    ("performance events", "watches other processes", (298, 241, 0, 0, 0, 0, 0)),
    ("user faults", "stops the kernel half way, to win races", (323, 282, -1)),
    ("io_uring", "makes calls that no filter sees", (425, 425, 0, 0)),
    ("io_uring work", "goes on with a ring that it was handed", (426, 426, -1, 0, 0, 0, 0, 0)),
    ("file handles", "opens files by number, past all folders", (304, 265, -1, 0, 0)),
    ("names of file handles", "learns such numbers", (303, 264, -1, 0, 0, 0, 0)),
    ("descriptor of another process", "takes an open file over", (438, 438, -1, 0, 0)),
    ("memory without a file", "runs code that no file system shows", (319, 279, 0, 0)),
    ("secret memory", "hides memory from everybody", (447, 447, -1)),
    ("shared memory segment", "keeps memory that outlives it", (29, 194, 0, 4096, 0o1600)),
    ("message queue", "keeps messages that outlive it", (68, 186, 0, 0o1600)),
    ("semaphores", "signals to others who know the number", (64, 190, 0, 1, 0o1600)),
    ("moving memory", "asks where memory lies", (279, 239, 0, 0, 0, 0, 0, 0)),
    ("open a tree of mounts", "copies mounts out of the walls", (428, 428, -1, 0, 0)),
    ("settings of mounts", "makes mounts writable again", (442, 442, -1, 0, 0, 0, 0)),
    ("unmounting", "takes a wall away", (166, 39, 0, 0)),
    ("bpf", "runs code in the kernel", (321, 280, 99, 0, 0)),
    ("events of all files", "sees every file that is opened", (300, 262, 0x200, 0)),
    ("buffers of io_uring", "hands memory to a ring", (427, 427, -1, 0, 0, 0)),
    ("settings of a new mount", "goes on with one that it was handed", (431, 431, -1, *[0] * 4)),
    ("asynchronous input", "takes requests that are counted for all together", (206, 0, 1, 0)),
    ("pages for a pipe", "hands its memory to the kernel by reference", (278, 75, -1, 0, 0, 0)),
    ("personality", "switches off what hides where memory lies", (135, 92, -1)),
):
    add(name, about, syscall(*numbers), D.SECCOMP)
for name, about, numbers, since in (
    ("state of mounts", "learns about mounts", (457, 457, 0, 0, 0, 0), (6, 8)),
    ("list of mounts", "learns which there are", (458, 458, 0, 0, 0, 0), (6, 8)),
    ("memory of a process that ends", "takes it before its time", (448, 448, -1, 0), (5, 15)),
    ("a tree of mounts, changed", "a newer form of a call", (467, 467, -1, 0, 0, 0, 0), (6, 15)),
    ("a file's attributes", "a newer form of ioctl", (468, 468, -1, 0, 0, 0, 0), (6, 17)),
):
    add(name, about, syscall(*numbers), D.SECCOMP, since=since)
for name, about, numbers in (
    ("file system context", "configures a new mount by the newer calls", (430, 430, 0, 0)),
    ("moving a mount", "moves a mount by the newer calls", (429, 429, -1, 0, -1, 0, 0)),
    ("pivot_root", "changes the root", (155, 41, 0, 0)),
):
    add(name, about, syscall(*numbers), D.SECCOMP, *RIGHTS)
for name, about, numbers in (
    ("setting the clock", "changes the time of all", (164, 170, 0, 0)),
    ("restarting the machine", "restarts it for everybody", (169, 142, 0, 0, 0, 0)),
    ("kernel log", "reads addresses from the kernel's log", (103, 116, 10, 0, 0)),
    ("accounting", "has the kernel write a log of its choice", (163, 89, 1)),
    ("swap", "gives the kernel a file for its memory", (167, 224, 1, 0)),
):
    add(name, about, syscall(*numbers), *(D.SECCOMP, D.CAPABILITIES, D.HOST_USER))
add(
    "comparing processes",
    "learns kernel addresses",
    syscall(312, 272, "os.getpid()", "os.getpid()", 99, 0, 0),
    D.SECCOMP,
)
add(
    "shared memory of the host",
    "maps memory that programs of the host share",
    Inside(
        "import ctypes\nlibc = ctypes.CDLL(None)\nlibc.shmat.restype = ctypes.c_ssize_t\n"
        "assert libc.shmat(i['shared'], None, 0) != -1\nreturn 'mapped', []"
    ),
    *(D.SECCOMP, D.IPC),
)
add(
    "POSIX message queue",
    "keeps messages in the kernel that outlive it",
    Inside(
        "import ctypes\nrt = ctypes.CDLL('librt.so.1', use_errno=True)\n"
        "queue = rt.mq_open(b'/hyperspace', 0o102, 0o600, None)\n"
        "assert queue >= 0\nrt.mq_unlink(b'/hyperspace')\nreturn 'made', []"
    ),
    *(D.SECCOMP, D.MESSAGE_QUEUES),
)
