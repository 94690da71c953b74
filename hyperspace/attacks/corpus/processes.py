"""Staying behind, outliving the clock, and too many processes."""

from guards.defences import Defence as D
from guards.sandboxes.sandbox import Limits
from hyperspace.attacks.attack import Family
from hyperspace.attacks.plays.inside import Ends, Stays

FAMILY = Family("process")
SHORT = Limits(wall_s=0.8, cpu_s=20, processes=40)
FEW = Limits(wall_s=20.0, processes=40)
LONGER = "time.sleep(1.6)\nreturn 'through', []"
# Longer than any of them may live: a place that came free in between would let the rest through.
HELD = "60"
LIVES = "name(i['mark'])\n    time.sleep(3)\n    os._exit(0)"

add = FAMILY.add
for name, about, code in (
    (
        "double fork",
        "leaves a grandchild whose parent is gone",
        "if os.fork() == 0:\n    os.setsid()\n    if os.fork() > 0: os._exit(0)\n"
        f"    {LIVES}\ntime.sleep(.05)\nreturn 'left', []",
    ),
    (
        "child that ignores every signal",
        "leaves a child that no polite signal ends",
        "if os.fork() == 0:\n    for n in set(range(1, 32)) - {9, 19}: signal.signal(n, 1)\n"
        f"    {LIVES}\ntime.sleep(.05)\nreturn 'left', []",
    ),
    (
        "stopped child",
        "leaves a child that is stopped, and goes on when it is continued",
        "child = os.fork()\nif child == 0:\n    name(i['mark'])\n"
        "    if os.fork() == 0:\n        time.sleep(3)\n        os.kill(os.getppid(), 18)\n"
        "        os._exit(0)\n    os.kill(os.getpid(), 19)\n    os._exit(0)\n"
        "time.sleep(.05)\nreturn 'left', []",
    ),
    (
        "daemon by the shell",
        "has the shell start what stays",
        "line = \"setsid nohup sh -c 'printf \" + i['mark'] + \" > /proc/$$/comm; "
        "sleep 3; :' >/dev/null 2>&1 &\"\n"
        "subprocess.run(line, shell=True)\ntime.sleep(.2)\nreturn 'left', []",
    ),
    (
        "end of the first process",
        "kills the process whose end is waited for, and lives on",
        f"if os.fork() == 0:\n    os.setsid()\n    {LIVES}\ntime.sleep(.05)\n"
        "os.kill(os.getppid(), 9)\nreturn 'left', []",
    ),
    (
        "child of a program that ends",
        "ends at once, before anybody looks for its children",
        f"if os.fork() == 0:\n    os.setsid()\n    {LIVES}\ntime.sleep(.2)\nos._exit(0)",
    ),
    (
        "child without its descriptors",
        "leaves a child that holds none of the pipes whose end is waited for",
        f"if os.fork() == 0:\n    os.closerange(0, 255)\n    os.setsid()\n    {LIVES}\n"
        "time.sleep(.05)\nreturn 'left', []",
    ),
):
    # To be seen at all it must have been started: a name is what the host looks for.
    add(name, about, Stays(code), D.PROCESSES)

for name, about, code in (
    ("endless sleep", "never answers", LONGER),
    (
        "ignoring signals",
        "cannot be asked to end",
        f"for n in (1, 2, 3, 13, 15, 20, 24): signal.signal(n, signal.SIG_IGN)\n{LONGER}",
    ),
    (
        "stopping itself",
        "is not there to be timed",
        "parent = os.getpid()\nif os.fork() == 0:\n    time.sleep(1.6)\n"
        "    os.kill(parent, 18)\n    os._exit(0)\nos.kill(parent, 19)\nreturn 'through', []",
    ),
    (
        "changing its clock",
        "believes that no time has passed",
        f"os.environ['TZ'] = 'Nowhere/Else-99'\ntime.tzset()\n{LONGER}",
    ),
    (
        "waiting for a child",
        "lets another process take the time",
        "subprocess.run(['sleep', '1.6'])\nreturn 'through', []",
    ),
    (
        "timer signals",
        "is woken again and again, and never ends",
        "signal.signal(signal.SIGALRM, lambda *_: None)\n"
        f"signal.setitimer(signal.ITIMER_REAL, .01, .01)\n{LONGER}",
    ),
):
    add(
        name,
        about,
        Ends(f"import os, signal, subprocess, time\n{code}", "wall_clock", SHORT),
        D.WALL_CLOCK,
    )

for name, about, code, how in (
    (
        "fork bomb",
        "makes as many processes as it can",
        "import os, time\nfor n in range(200):\n"
        f"    if os.fork() == 0:\n        time.sleep({HELD})\n"
        "        os._exit(0)\nreturn 'through', []",
        "BlockingIOError",
    ),
    (
        "thread bomb",
        "makes as many threads as it can",
        "import threading, time\nthreading.stack_size(1 << 18)\nfor n in range(200):\n"
        f"    threading.Thread(target=time.sleep, args=({HELD},), daemon=True).start()\n"
        "return 'through', []",
        "RuntimeError: can't start new thread",
    ),
    (
        "zombies",
        "makes processes that have ended and still count",
        "import os\nfor n in range(200):\n    if os.fork() == 0: os._exit(0)\nreturn 'through', []",
        "BlockingIOError",
    ),
    (
        "fork bomb by the shell",
        "has another program make them",
        f"import subprocess\nline = 'for n in $(seq 200); do sleep {HELD} & done; exit 0'\n"
        "done = subprocess.run(['bash', '-c', line], stderr=-3).returncode\n"
        "assert done == 0, done\nreturn 'through', []",
        "AssertionError|wall_clock",
    ),
    (
        "orphans",
        "makes each of them a child of the first process",
        "import os, time\nfor n in range(200):\n    child = os.fork()\n    if child == 0:\n"
        f"        if os.fork() == 0: time.sleep({HELD})\n        os._exit(0)\n"
        "    os.waitpid(child, 0)\n"
        "left = len([p for p in os.listdir('/proc') if p.isdigit()])\nassert left > 150, left\n"
        "return 'through', []",
        "BlockingIOError|AssertionError",
    ),
):
    add(name, about, Ends(code, how, FEW), D.PIDS)
