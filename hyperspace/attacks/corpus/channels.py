"""Hidden channels: what others do with files of the system, and what of them is in memory."""

from guards.defences import Defence as D
from hyperspace.attacks.attack import Family
from hyperspace.attacks.corpus.kernel import syscall
from hyperspace.attacks.plays.inside import Inside

FAMILY = Family("kernel")

add = FAMILY.add
add(
    "watching the system's programs",
    "learns which programs of the host start, and when",
    Inside(
        "import ctypes, os\nlibc = ctypes.CDLL(None)\nwatches = libc.inotify_init1(0)\n"
        "assert watches >= 0 and libc.inotify_add_watch(watches, b'/usr/bin', 0x20) >= 0\n"
        "open('/usr/bin/env').close()\nassert b'env' in os.read(watches, 99)\nreturn 'seen', []"
    ),
    D.SECCOMP,
)
add(
    "signals about the system's programs",
    "learns the same by a signal, without a watch",
    Inside(
        "import fcntl, os, signal\nsignal.signal(signal.SIGIO, signal.SIG_IGN)\n"
        "fcntl.fcntl(os.open('/usr/bin', 0), fcntl.F_NOTIFY, fcntl.DN_ACCESS)\nreturn 'told', []"
    ),
    D.SECCOMP,
)
add(
    "lock on a file of the system",
    "makes programs of the host wait, or tells another sandbox something",
    Inside(
        "import fcntl, json\nfcntl.flock(open(json.__file__), fcntl.LOCK_EX | fcntl.LOCK_NB)\n"
        "return 'locked', []"
    ),
    D.SECCOMP,
)
add(
    "lease on a file",
    "makes whoever opens its file on the host wait for most of a minute",
    Inside(
        "import fcntl\nfcntl.fcntl(open('f', 'w'), fcntl.F_SETLEASE, fcntl.F_WRLCK)\n"
        "return 'leased', []"
    ),
    D.SECCOMP,
)
add(
    "large pipes",
    "takes all memory that its user may have in pipes, also from other sandboxes",
    Inside(
        "import fcntl, os\nfcntl.fcntl(os.pipe()[1], fcntl.F_SETPIPE_SZ, 1 << 18)\n"
        "return 'enlarged', []"
    ),
    D.SECCOMP,
)
add(
    "pushing memory out",
    "chooses which pages of files that others use are in memory",
    Inside("import mmap\nmmap.mmap(-1, mmap.PAGESIZE).madvise(21)\nreturn 'pushed', []"),
    D.SECCOMP,
)
for name, about, numbers in (
    ("a new set of watches", "takes all that its user may have, also the host's", (253, 26, 0)),
    ("a watch more", "goes on with watches that it was handed", (254, 27, -1, 0, 0)),
    ("reading what is in memory", "asks which pages were read before", (327, 286, -1, *[0] * 4, 8)),
    ("writing what is in memory", "asks which pages were written", (328, 287, -1, *[0] * 4, 8)),
    ("pages in memory", "asks which pages of a mapped file are in memory", (27, 232, 0, 0, 0)),
    ("advice to forget", "puts a file of the system out of memory", (221, 223, -1, 0, 0, 4)),
    ("reading ahead", "puts a file of the system into memory", (187, 213, -1, 0, 0)),
    ("writing all out", "makes everybody's disk busy, and times it", (306, 267, -1)),
):
    add(name, about, syscall(*numbers), D.SECCOMP)
add(
    "statistics of pages in memory",
    "counts which pages of a file were read before",
    syscall(451, 451, -1, 0, 0, 0),
    D.SECCOMP,
    since=(6, 5),
)
