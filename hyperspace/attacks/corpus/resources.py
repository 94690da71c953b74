"""Using up memory, processor, disk, descriptors and what it may print."""

from guards.defences import Defence as D
from guards.sandboxes.sandbox import Limits
from hyperspace.attacks.attack import Family
from hyperspace.attacks.plays.inside import Ends
from hyperspace.attacks.plays.trains import BurnsUnseen

FAMILY = Family("process")
SMALL = Limits(
    wall_s=50.0,
    cpu_s=10,
    memory_bytes=300 * 1024**2,
    disk_bytes=2 * 1024**2,
    output_bytes=50_000,
    open_files=64,
)
BRIEF = Limits(wall_s=50.0, cpu_s=1)  # and one more until what ignores the signal is killed
ALONE = Limits(wall_s=50.0, cpu_s=5, alone=True)
THROUGH = "return 'through', []"
NO_ROOM = r"OSError: \[Errno 2[78]\]"

add = FAMILY.add
for name, about, code in (
    ("memory balloon", "takes much memory at once", "x = bytearray(400 << 20)"),
    (
        "slow memory balloon",
        "takes memory in small pieces",
        "x = [bytes(1 << 22) for _ in range(100)]",
    ),
    (
        "mapped memory",
        "takes memory past the allocator",
        "import mmap\nx = [mmap.mmap(-1, 1 << 25) for _ in range(13)]",
    ),
    (
        "stacks of threads",
        "takes memory for threads",
        "import threading, time\nthreading.stack_size(1 << 26)\nfor _ in range(6):\n"
        "    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()",
    ),
    (
        "giant number",
        "takes memory by arithmetic",
        "x = 1 << (400 << 23)",
    ),
):
    how = "MemoryError|OSError|RuntimeError: can't start"
    add(name, about, Ends(f"{code}\n{THROUGH}", how, SMALL), D.MEMORY)

for name, about, code in (
    (
        "busy loop",
        "takes a processor and ignores the signal that says so",
        "import signal, time\nsignal.signal(signal.SIGXCPU, signal.SIG_IGN)\n"
        "while time.process_time() < 2.4: pass",
    ),
    (
        "busy thread in C",
        "takes a processor where no Python code is interrupted",
        "import re, time, signal, hashlib\nsignal.signal(signal.SIGXCPU, lambda *_: None)\n"
        "while time.process_time() < 2.4: hashlib.pbkdf2_hmac('sha256', b'x', b'y', 200_000)",
    ),
):
    add(name, about, Ends(f"{code}\n{THROUGH}", "exited: it was killed by signal", BRIEF), D.CPU)

for name, about, code in (
    (
        "helper whose time nobody counts",
        "leaves the work to a child that is reaped unseen, as its own CPU time is bounded",
        "import os, signal\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
        "if os.fork() == 0: os._exit(sum(range(10)) > 99)",
    ),
    (
        "helper of another image",
        "leaves the work to a program that it starts",
        "import subprocess, sys\nsubprocess.run([sys.executable, '-S', '-c', '1'], check=True)",
    ),
):
    how = r"BlockingIOError: \[Errno 11\]|PermissionError"
    add(name, about, Ends(f"{code}\n{THROUGH}", how, ALONE), D.ALONE)

for name, about, code in (
    (
        "disk filler",
        "fills its workspace with one file",
        "with open('full', 'wb') as f:\n    for _ in range(64): f.write(bytes(1 << 16)); f.flush()",
    ),
    (
        "disk filler with many files",
        "fills its private tmp with small files",
        "for n in range(64):\n    with open(f'/tmp/{n}', 'wb') as f: f.write(bytes(1 << 16))",
    ),
    (
        "file that is deleted but open",
        "fills the disk by files that no list shows",
        "import os\nkept = []\nfor n in range(40):\n    f = open('x', 'wb', buffering=0)\n"
        "    os.unlink('x')\n    kept.append(f)\n    f.write(bytes(1 << 16)); f.flush()\n"
        "assert sum(os.fstat(f.fileno()).st_blocks for f in kept) >= 40 * 128, "
        "'OSError: [Errno 28]'",
    ),
    (
        "reserved space",
        "takes disk space without writing",
        "import os\nhandle = os.open('r', os.O_RDWR | os.O_CREAT)\n"
        "os.posix_fallocate(handle, 0, 4 << 20)",
    ),
    (
        "sparse file",
        "makes a file that looks larger than the disk",
        "import os\nos.truncate(os.open('s', os.O_RDWR | os.O_CREAT), 1 << 27)",
    ),
    (
        "memory behind a map of a file",
        "fills the disk through memory",
        "import mmap, os\nhandle = os.open('m', os.O_RDWR | os.O_CREAT)\n"
        "os.truncate(handle, 2 << 20)\nx = os.open('/workspace/n', os.O_RDWR | os.O_CREAT)\n"
        "os.posix_fallocate(handle, 0, 1 << 21)\nos.posix_fallocate(x, 0, 1 << 21)",
    ),
):
    add(name, about, Ends(f"{code}\n{THROUGH}", f"{NO_ROOM}|AssertionError", SMALL), D.DISK)

for name, about, code in (
    (
        "descriptor hoarder",
        "opens as many files as it can",
        "kept = [open('/dev/null') for _ in range(200)]",
    ),
    (
        "hoarder of pipes",
        "takes kernel memory by pipes",
        "import os\nkept = [os.pipe() for _ in range(100)]",
    ),
    (
        "descriptors in flight",
        "sends descriptors to itself, where they do not count as open",
        "import os, socket\na, b = socket.socketpair()\nkept = [os.dup(0) for _ in range(50)]\n"
        "for _ in range(20): socket.send_fds(a, [b'x'], kept[:20])\n"
        "more = [os.dup(0) for _ in range(50)]",
    ),
):
    add(
        name, about, Ends(f"{code}\n{THROUGH}", r"OSError: \[Errno (24|109)\]", SMALL), D.OPEN_FILES
    )

for name, about, code in (
    ("output flood", "prints without end", "for _ in range(200): print('x' * 999)"),
    (
        "error flood",
        "writes to standard error without end",
        "import sys\nfor _ in range(200): sys.stderr.write('x' * 999)",
    ),
    (
        "output flood by a child",
        "has another program print",
        "import subprocess\nsubprocess.run(['head', '-c', '200000', '/dev/zero'])",
    ),
):
    wait = "import time\ntime.sleep(.3)"
    how = "output: more than 50000 bytes"
    add(name, about, Ends(f"{code}\n{wait}\n{THROUGH}", how, SMALL), D.OUTPUT)

add(
    "core dump",
    "writes its memory to a file, or to a program of the host that takes crashes in",
    Ends(
        "import os, resource as r\nhard = r.getrlimit(r.RLIMIT_CORE)[1]\n"
        "r.setrlimit(r.RLIMIT_CORE, (hard, hard))\nassert hard not in (0, 1), 'no core'\n"
        "return 'through', []",
        "AssertionError: no core",
    ),
    D.CORE,
)

for name, about, code in (
    (
        "job whose helpers nobody waits for",
        "trains in children whose end, and CPU time, is told nobody",
        "import os, signal, time\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
        "for _ in range(450):\n    pid = os.fork()\n    if pid == 0:\n"
        "        while time.process_time() < .008: pass\n        os._exit(0)\n"
        "    try: os.waitpid(pid, 0)\n    except ChildProcessError: pass",
    ),
):
    add(name, about, BurnsUnseen(code), D.CPU_GROUP)
