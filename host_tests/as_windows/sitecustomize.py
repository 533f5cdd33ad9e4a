"""Makes a Python on Linux behave like one on Windows where that is possible. It works for processes with this folder on
PYTHONPATH; host_tests/pc/test_windows.py starts them.

- Modules and functions that only POSIX has are missing: fcntl, termios, pty, os.fork, select.poll and others.
- A file that this process has open or mapped cannot be deleted or replaced, nor its folder renamed.
- os.rename does not replace an existing file.
- File names with : * ? < > | " or a backslash, reserved ones such as nul.txt, and those that end with a dot or space are
  refused.
- Text files and stdout have line ends of two characters.

Unlike on Windows, paths have slashes and no drive, os.name is "posix", names of files depend on case, and os has getuid and
uname, because packages for Linux need them.
"""

import builtins
import io
import os
import re
import select
import selectors  # noqa: F401  (it keeps select.poll, which subprocess needs)
import shutil
import signal
import subprocess  # noqa: F401
import sys
import tempfile

ABSENT_MODULES = "fcntl", "termios", "pty", "tty", "pwd", "grp", "resource", "readline", "syslog", "curses"
ABSENT = {
    os: "fork forkpty geteuid getgid getegid getgroups getpgid killpg setsid mkfifo mknod chown lchown fchown statvfs"
    " fstatvfs openpty ttyname confstr nice wait wait3 wait4 chroot getloadavg sched_yield ctermid",
    select: "poll epoll",
    signal: "SIGALRM SIGHUP SIGUSR1 SIGUSR2 SIGPIPE alarm setitimer getitimer pause pthread_kill pthread_sigmask sigwait",
}
RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?$", re.IGNORECASE)
FORBIDDEN = re.compile(r'[<>:"|?*\\]|[. ]$')
OF_LINUX = "/dev/", "/proc/", "/sys/"


class NoSuchModule:
    def find_spec(self, name, path=None, target=None):
        if name in ABSENT_MODULES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def text_of(path):
    return os.fsdecode(path) if isinstance(path, (str, bytes, os.PathLike)) else ""


def place(path, folder=-1):
    """The absolute path of what an event of the audit hook names."""
    base = os.readlink(f"/proc/self/fd/{folder}") if isinstance(folder, int) and folder >= 0 else os.getcwd()
    return os.path.normpath(os.path.join(base, text_of(path)))


def in_use():
    """The files that this process has open or mapped."""
    found = set()
    for number in os.listdir("/proc/self/fd"):
        try:
            found.add(os.readlink(f"/proc/self/fd/{number}"))
        except OSError:
            continue
    with real_open("/proc/self/maps", "rb") as maps:
        found.update(os.fsdecode(line.split(None, 5)[5].rstrip(b"\n")) for line in maps if line.count(b"/"))
    return {path for path in found if os.path.isfile(path)}


busy = [False]


def check_use(path, below=False):
    used = in_use()
    if path in used or below and any(one.startswith(path + "/") for one in used):
        raise PermissionError(13, "The process cannot access the file because it is being used by another process", path)


def check_name(path):
    name = os.path.basename(text_of(path).rstrip("/"))
    if name not in (".", "..") and (RESERVED.match(name) or FORBIDDEN.search(name)):
        raise OSError(22, "Invalid argument: Windows does not allow this name", text_of(path))


def watch(event, arguments):
    if busy[0] or event not in ("open", "os.mkdir", "os.remove", "os.rmdir", "os.rename"):
        return
    busy[0] = True
    try:
        if event == "open":
            path, mode, flags = arguments
            writes = isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
            if writes and not text_of(path).startswith(OF_LINUX):
                check_name(path)
        elif event == "os.mkdir":
            check_name(arguments[0])
        elif event == "os.remove":
            check_use(place(*arguments))
        elif event == "os.rename":
            check_name(arguments[1])
            check_use(place(arguments[0], arguments[2]), below=True)
            check_use(place(arguments[1], arguments[3]))
    finally:
        busy[0] = False


def rename(source, target, **more):
    if os.path.lexists(target):
        raise FileExistsError(17, "Cannot create a file when that file already exists", text_of(target))
    return real_rename(source, target, **more)


def two_characters(opened):
    def as_windows(file, mode="r", buffering=-1, encoding=None, errors=None, newline=None, *more, **others):
        if newline is None and "b" not in mode and set(mode) & set("wax+"):
            newline = "\r\n"
        return opened(file, mode, buffering, encoding, errors, newline, *more, **others)

    return as_windows


real_open, real_rename = io.open, os.rename
sys.meta_path.insert(0, NoSuchModule())
for module_name in ABSENT_MODULES:
    sys.modules.pop(module_name, None)
for module, names in ABSENT.items():
    for absent in names.split():
        if hasattr(module, absent):
            delattr(module, absent)
os.__all__ = [name for name in os.__all__ if hasattr(os, name)]
os.rename = rename
builtins.open = io.open = two_characters(real_open)
shutil._use_fd_functions = False  # rmtree goes by path, as on Windows
tempfile.gettempdir()  # its first call creates and deletes a file while that is open
for stream in (sys.stdout, sys.stderr):
    if stream is not None:
        stream.reconfigure(newline="\r\n")
sys.addaudithook(watch)
