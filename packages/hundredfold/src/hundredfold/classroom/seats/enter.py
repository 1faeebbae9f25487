"""Become a learner in rooms of their own, then run their server: ``python -I -S enter.py JSON -- COMMAND …``, as root.

Standard library only, and run by its path: it starts with nothing of the learner's in reach. It joins the seat's control groups;
takes a network of its own, in which localhost is the learner's alone; hides other users' processes, and the sockets in /run; puts
empty folders in place of the shared ones for temporary files, and terminals of its own; becomes the learner, who cannot become
anybody else again; writes to a log of theirs; and is replaced by the server.
"""

import ctypes
import errno
import fcntl
import json
import os
import resource
import socket
import stat
import struct
import sys

CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWNET = 0x00020000, 0x08000000, 0x40000000
MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_BIND, MS_REC, MS_PRIVATE = 2, 4, 8, 4096, 16384, 1 << 18
PR_SET_NO_NEW_PRIVS = 38
SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW = 1, 4
IO_URING_SETUP = 425
#: By the name of a processor: its number in seccomp(2), and those of the calls seccomp and socket.
PROCESSORS = {"x86_64": (0xC000003E, 317, 41), "aarch64": (0xC00000B7, 277, 198)}
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1
TERMINALS = 64
SHARED = ("/tmp", "/var/tmp", "/dev/shm")
LOG = ".local/state/hundredfold/server.log"

libc = ctypes.CDLL(None, use_errno=True)


def call(name, *arguments):
    """A call of the C library that answers 0, or ends this with what it was."""
    if getattr(libc, name)(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


def mount(what, where, kind, flags, options=""):
    call("mount", what.encode(), where.encode(), kind.encode(), ctypes.c_ulong(flags), options.encode())


def hide(paths):
    """Nothing where these files are: whoever has a simulated GPU cannot open a real one."""
    for path in paths:
        mount("/dev/null", path, "none", MS_BIND)


def only(folder, kept):
    """Of a folder nothing but these files and folders, where they are."""
    held = [(path, os.open(path, os.O_PATH)) for path in kept if path.startswith(folder + "/") and os.path.exists(path)]
    mount("tmpfs", folder, "tmpfs", MS_NOSUID | MS_NODEV, "mode=755,size=1m")
    for path, file in held:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if stat.S_ISDIR(os.fstat(file).st_mode):
            os.makedirs(path, exist_ok=True)
        else:
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY))
        mount(f"/proc/self/fd/{file}", path, "none", MS_BIND | MS_REC)
        os.close(file)


def rooms(own_network, temporary, run):
    """A network, a mount table and shared memory of this process's own."""
    call("unshare", CLONE_NEWNS | CLONE_NEWIPC | (CLONE_NEWNET if own_network else 0))
    if own_network:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            name = b"lo".ljust(16, b"\0")
            flags = struct.unpack_from("16sh", fcntl.ioctl(probe, SIOCGIFFLAGS, name + bytes(24)))[1]
            fcntl.ioctl(probe, SIOCSIFFLAGS, struct.pack("16sh22x", name, flags | IFF_UP))
    mount("none", "/", "none", MS_REC | MS_PRIVATE)
    for folder in SHARED:
        if os.path.isdir(folder) and not os.path.islink(folder):
            mount("tmpfs", folder, "tmpfs", MS_NOSUID | MS_NODEV, f"mode=1777,size={temporary}")
    # Terminals of its own: those of the machine are numbered, and who took them all would leave none even to root.
    mount("devpts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, f"mode=600,ptmxmode=666,max={TERMINALS}")
    only("/run", run)
    # From Linux 5.8 on this is this mount's alone: other users' processes, and what they were started with, are not to be seen.
    mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, "hidepid=2")


def only_networks_of_its_own():
    """No sockets but of the kinds that a network namespace holds: a machine's vsock, say, leads to its host and to other seats.

    A filter of system calls (seccomp(2)), which all that the seat starts keeps. io_uring, which makes sockets past it, is as if the
    kernel had none. On processors that are not in `PROCESSORS` there is no filter.
    """
    machine = os.uname().machine
    if machine not in PROCESSORS:
        return
    architecture, seccomp, make = PROCESSORS[machine]
    load, equal, at_least, end = 0x20, 0x15, 0x35, 0x06
    allow, error = 0x7FFF0000, 0x00050000
    families = [socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK]
    steps = [
        (load, 0, 0, 4), (equal, 1, 0, architecture), (end, 0, 0, error | errno.ENOSYS),
        (load, 0, 0, 0), (at_least, 0, 1, 0x40000000), (end, 0, 0, error | errno.ENOSYS),
        (equal, 0, 1, IO_URING_SETUP), (end, 0, 0, error | errno.ENOSYS),
        (equal, 1, 0, make), (end, 0, 0, allow),
        (load, 0, 0, 16), *((equal, len(families) - i, 0, family) for i, family in enumerate(families)),
        (end, 0, 0, error | errno.EAFNOSUPPORT), (end, 0, 0, allow),
    ]  # fmt: skip
    program = b"".join(struct.pack("HBBI", *step) for step in steps)
    held = ctypes.create_string_buffer(program, len(program))
    told = struct.pack("HxxxxxxP", len(steps), ctypes.addressof(held))
    call("syscall", ctypes.c_long(seccomp), SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, told)


def own_log(home):
    """What the server says goes into the learner's home. In the hub's log it could pass for the hub's own words, and push them out."""
    file = os.path.join(home, LOG)
    try:
        os.makedirs(os.path.dirname(file), mode=0o700, exist_ok=True)
        log = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_NONBLOCK, 0o600)
    except OSError:
        log = os.open(os.devnull, os.O_WRONLY)
    os.dup2(log, 1)
    os.dup2(log, 2)


def main():
    what = json.loads(sys.argv[1])
    command = sys.argv[3:]
    for file in what["groups"]:
        with open(file, "w") as joined:
            joined.write("0")
    rooms(what["own_network"], what["temporary"], what["run"])
    hide(what["hidden"])
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.initgroups(what["user"], what["gid"])
    os.setresgid(what["gid"], what["gid"], what["gid"])
    os.setresuid(what["uid"], what["uid"], what["uid"])
    call("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if what["own_network"]:
        only_networks_of_its_own()
    os.umask(0o077)
    try:
        os.chdir(what["home"])
    except OSError as error:
        sys.exit(
            f"Hundredfold: {what['user']} cannot enter {what['home']} ({error.strerror}): give it to them (chown)."
        )
    own_log(what["home"])
    os.execvpe(command[0], command, os.environ)


if __name__ == "__main__":
    main()
