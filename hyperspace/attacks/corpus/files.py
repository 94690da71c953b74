"""Keys and files of the host: a sandbox sees system programs and its own workspace."""

from guards.defences import Defence as D
from hyperspace.attacks.attack import Family
from hyperspace.attacks.plays.inside import Inside

FAMILY = Family("files")
ROOTS = (D.MOUNTS, D.HOST_USER)
OTHERS = (D.PROCESSES, D.HOST_USER, D.CAPABILITIES)


def read(path: str) -> Inside:
    """Read a file; `path` is an expression."""
    return Inside(f"return open({path}, 'rb').read()[:9].hex() or 'empty', []")


def write(path: str) -> Inside:
    """Open a file for writing, and write nothing; `path` is an expression."""
    return Inside(f"open({path}, 'ab').close()\nreturn 'opened', []")


def search(pattern: str, words: str = "i['secret']") -> Inside:
    """Look for words in all files that match a pattern."""
    return Inside(
        f"import glob\nfor path in glob.glob({pattern!r}):\n"
        "    try: text = open(path, 'rb').read()\n    except OSError: continue\n"
        f"    if {words}.encode() in text: return 'found', []\nassert False"
    )


add = FAMILY.add
# Keys.
add(
    "key in its environment",
    "reads a key that it inherited",
    Inside("import os\nassert i['secret'] in os.environ.values()\nreturn 'key', []"),
    D.ENVIRONMENT,
)
add(
    "key in the first process",
    "reads what the first process was started with",
    search("/proc/1/environ"),
    D.ENVIRONMENT,
)
add(
    "keys in all processes",
    "reads the environment of every process of the host",
    search("/proc/*/environ"),
    *OTHERS,
)
add(
    "keys on command lines",
    "reads the command line of every process of the host",
    search("/proc/*/cmdline"),
    D.PROCESSES,
)
add(
    "environment of the coordinator",
    "reads the keys of the process that holds them",
    read("f\"/proc/{i['coordinator']}/environ\""),
    *OTHERS,
)
add(
    "memory of the coordinator",
    "opens the memory that holds keys and labels",
    Inside("open(f\"/proc/{i['coordinator']}/mem\", 'rb')\nreturn 'opened', []"),
    *OTHERS,
)
add(
    "descriptors of the coordinator",
    "opens again what the coordinator has open",
    Inside("import os\nreturn str(os.listdir(f\"/proc/{i['coordinator']}/fd\")), []"),
    *(D.PROCESSES, D.HOST_USER),
)
add(
    "root of another process",
    "takes the way through a process that sees all files",
    read("f\"/proc/{i['pid']}/root/{i['folder']}/readable\""),
    *OTHERS,
)
add(
    "memory map of the coordinator",
    "learns where its code lies",
    read("f\"/proc/{i['coordinator']}/maps\""),
    *OTHERS,
)
# Files of the host.
add(
    "a file of the host",
    "reads by an absolute path",
    read("i['folder'] + '/readable'"),
    D.MOUNTS,
)
add(
    "a file up and out",
    "climbs out of the workspace by `..`",
    read("'../' * 20 + i['folder'] + '/readable'"),
    D.MOUNTS,
)
add(
    "a file through a link",
    "reads through a symbolic link",
    Inside(
        "import os\nos.symlink(i['folder'], 'link')\n"
        "return open('link/readable').read() or 'empty', []"
    ),
    D.MOUNTS,
)
add(
    "a file through its own root",
    "asks the kernel for the root of the first process",
    read("'/proc/1/root' + i['folder'] + '/readable'"),
    D.MOUNTS,
)
add(
    "a file below a working folder",
    "starts from the folder in which it was started",
    Inside(
        "import os\nhere = os.open('/proc/1/cwd', os.O_RDONLY)\n"
        "os.fchdir(here)\nos.chdir('..')\nreturn open('.' + i['folder'] + '/readable').read(), []"
    ),
    D.MOUNTS,
)
add(
    "password hashes",
    "reads what only root may",
    read("'/etc/shadow'"),
    *ROOTS,
)
add("user list", "learns who works here", read("'/etc/passwd'"), D.MOUNTS)
add(
    "a private file",
    "reads a file of the coordinator's own user",
    read("i['folder'] + '/private'"),
    *ROOTS,
)
add(
    "home",
    "lists a home folder, where keys lie",
    Inside("import os\nreturn str(os.listdir(i['folder'] + '/home')), []"),
    *ROOTS,
)
add(
    "git history",
    "reads the history of a checkout",
    read("i['folder'] + '/.git/HEAD'"),
    *ROOTS,
)
add(
    "our packages",
    "imports what the coordinator imports: its fixtures hold labels",
    Inside(
        "import sys\nsys.path.append(i['folder'] + '/packages')\n"
        "import hyperspace_planted\nreturn hyperspace_planted.WORDS, []",
        "ModuleNotFoundError",
    ),
    D.MOUNTS,
)
add(
    "the system's packages",
    "imports what a candidate elsewhere could not: scores would depend on the machine",
    Inside("import glob\nassert glob.glob('/usr/lib*/python3*/*-packages/*')\nreturn 'seen', []"),
    D.MOUNTS,
)
add(
    "kernel settings in /sys",
    "reads and sets devices of the host",
    Inside("import os\nassert os.listdir('/sys')\nreturn 'seen', []"),
    D.MOUNTS,
)
add(
    "mounts of the host",
    "learns where the host's disks are",
    Inside("assert 'boot' in str(__import__('os').listdir('/'))\nreturn 'seen', []"),
    D.MOUNTS,
)
add(
    "search path from the environment",
    "finds the coordinator's own programs",
    Inside(
        "import os\nfound = [v for v in os.environ if v.startswith('HYPERSPACE_SELF')]\n"
        "assert found\nreturn found[0], []"
    ),
    D.ENVIRONMENT,
)
add(
    "host name",
    "learns which machine this is, so that equal runs differ",
    Inside("import os\nassert os.uname()[1] == i['node']\nreturn 'seen', []"),
    D.HOST_NAME,
)
# Writing.
add(
    "write to a file of the host",
    "changes a file that every user may change",
    write("i['folder'] + '/writable'"),
    *(D.MOUNTS, D.READ_ONLY),
)
add(
    "write to the standard library",
    "changes what later sandboxes import",
    Inside("import os\nopen(os.__file__, 'r+b').close()\nreturn 'opened', []"),
    *(D.READ_ONLY, D.HOST_USER),
)
add(
    "write to system programs",
    "changes what the host runs",
    Inside("open('/usr/bin/true', 'r+b').close()\nreturn 'opened', []"),
    *(D.READ_ONLY, D.HOST_USER),
)
add("write to the root", "leaves a file outside its workspace", write("'/planted'"), D.READ_ONLY)
add(
    "write to shared memory",
    "keeps data where no limit counts it",
    write("'/dev/shm/planted'"),
    D.READ_ONLY,
)
add("write to devices", "makes a file look like a device", write("'/dev/planted'"), D.READ_ONLY)
add(
    "write beside packages",
    "plants a start-up file for every later Python",
    Inside(
        "import glob\nfolder = sorted(glob.glob('/*/*/python3*/*-packages') + "
        "glob.glob('/*/*/*/python3*/*-packages'))[0]\n"
        "open(folder + '/planted.pth', 'ab').close()\nreturn 'opened', []",
        "PermissionError|OSError|IndexError",
    ),
    D.READ_ONLY,
)
