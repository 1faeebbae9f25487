"""Become a learner in namespaces of their own, then run their server: ``python -I -S enter.py JSON -- COMMAND …``, as root.

Standard library only, and run by its path: it starts with nothing of the learner's in reach. It joins the seat's control groups; starts
the relay, which carries bytes between the seat and root's programs (`relay.py`); takes a network of its own, in which localhost is the
learner's alone; hides other users' processes, the sockets in /run and the machine's devices; puts empty folders in place of the shared ones
for temporary files, and terminals and keys of its own; becomes the learner, who cannot become anybody else again, not even in a namespace of
users; writes to a log of theirs; and is replaced by the server.
"""

import contextlib
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
PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 24, 38
SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW = 1, 4
IO_URING_SETUP, CLONE3 = 425, 435
CLONE_NEWUSER = 0x10000000
KEYCTL_JOIN_SESSION_KEYRING = 1
#: By the name of a processor: its number in seccomp(2), and those of the calls seccomp, socket, clone, unshare, keyctl, socketpair, prlimit64 and setrlimit.
PROCESSORS = {
    "x86_64": (0xC000003E, 317, 41, 56, 272, 250, 53, 302, 160),
    "aarch64": (0xC00000B7, 277, 198, 220, 97, 219, 199, 261, 164),
}
#: What a seat's sockets of the internet speak, by their type: the first is TCP, the second UDP, and ICMP for ping.
PROTOCOLS = {
    socket.SOCK_STREAM: (0, socket.IPPROTO_TCP),
    socket.SOCK_DGRAM: (0, socket.IPPROTO_UDP, socket.IPPROTO_ICMP, socket.IPPROTO_ICMPV6),
}
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1
TERMINALS = 64
#: Of half the machine's memory a process of a seat counts as larger than it is, when the kernel looks which to end (proc(5), oom_score_adj).
ENDED_FIRST = 500
SHARED = ("/tmp", "/var/tmp", "/dev/shm")
#: What programs expect in /dev beside devices.
LINKS = {
    "fd": "/proc/self/fd",
    "stdin": "/proc/self/fd/0",
    "stdout": "/proc/self/fd/1",
    "stderr": "/proc/self/fd/2",
    "ptmx": "pts/ptmx",
}
LOG = ".local/state/hundredfold/server.log"

libc = ctypes.CDLL(None, use_errno=True)


def call(name, *arguments):
    """A call of the C library that answers 0, or ends this with what it was."""
    if getattr(libc, name)(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


def mount(what, where, kind, flags, options=""):
    call("mount", what.encode(), where.encode(), kind.encode(), ctypes.c_ulong(flags), options.encode())


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


def namespaces(own_network, temporary, run, devices):
    """A network, a mount table and shared memory of this process's own."""
    call("unshare", CLONE_NEWNS | CLONE_NEWIPC | (CLONE_NEWNET if own_network else 0))
    if own_network:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            name = b"lo".ljust(16, b"\0")
            flags = struct.unpack_from("16sh", fcntl.ioctl(probe, SIOCGIFFLAGS, name + bytes(24)))[1]
            fcntl.ioctl(probe, SIOCSIFFLAGS, struct.pack("16sh22x", name, flags | IFF_UP))
    mount("none", "/", "none", MS_REC | MS_PRIVATE)
    # Whoever has a simulated GPU cannot open a real one, and nobody the machine's message queues, or a virtual machine's network.
    only("/dev", devices)
    for folder in ("/dev/shm", "/dev/pts"):
        os.mkdir(folder)
    for name, place in LINKS.items():
        os.symlink(place, f"/dev/{name}")
    for folder in SHARED:
        if os.path.isdir(folder) and not os.path.islink(folder):
            mount("tmpfs", folder, "tmpfs", MS_NOSUID | MS_NODEV, f"mode=1777,size={temporary}")
    # Terminals of its own: those of the machine are numbered, and who took them all would leave none even to root.
    mount("devpts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, f"mode=600,ptmxmode=666,max={TERMINALS}")
    only("/run", run)
    # From Linux 5.8 on this is this mount's alone: other users' processes, and what they were started with, are not to be seen.
    mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, "hidepid=2")


def own_keys():
    """A ring for keys of its own (keyctl(2)). The hub's, which systemd or a login gave it, would be every seat's to read and to revoke."""
    if os.uname().machine not in PROCESSORS:
        return
    keyctl = PROCESSORS[os.uname().machine][5]
    if (
        libc.syscall(ctypes.c_long(keyctl), KEYCTL_JOIN_SESSION_KEYRING, None) < 0
        and ctypes.get_errno() != errno.ENOSYS
    ):
        raise OSError(ctypes.get_errno(), f"keyctl: {os.strerror(ctypes.get_errno())}")


def only_calls_of_a_seat(own_network):
    """No namespace of users, no program of root's, and, with a network of its own, no sockets but of the kinds that such a network holds.

    In a namespace of users a learner is root over more of the kernel: could take all terminals, say, which are limited for all together.
    A machine's vsock, which is in no network, leads to its host and to other seats.

    For some calls the kernel starts a program of root's on the machine, outside of the seat's limits. For request_key it asks other machines
    where it is set up so, as it is for names of hosts beside NFS. For a socket of a kind that nobody has used yet it is modprobe. For a
    process that crashes it is the one in core_pattern(5), unless RLIMIT_CORE is 1: that limit is here to stay.

    A filter of system calls (seccomp(2)), which all that the seat starts keeps. io_uring, which makes sockets past it, is as if the
    kernel had none; so is clone3, of which a filter cannot see what it asks for: C libraries then take clone. On processors that are not
    in `PROCESSORS` there is no filter.
    """
    machine = os.uname().machine
    if machine not in PROCESSORS:
        return
    architecture, seccomp, make, clone, unshare, keyctl, pair, prlimit, setrlimit = PROCESSORS[machine]
    request_key = keyctl - 1
    load, equal, at_least, any_of, masked, end = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
    # Where seccomp_data has them; of arguments the lower half.
    number, processor, first, second, third, rest_of_third = 0, 4, 16, 24, 32, 36
    allow, error = (end, 0, 0, 0x7FFF0000), 0x00050000
    if not own_network:
        make = pair = 0xFFFFFFFF  # no call's number

    def refuse(number):
        return (end, 0, 0, error | number)

    def where(values, *steps):
        """These steps, of which the last ends, where what is loaded is one of the values; else what comes after them."""
        *most, last = values
        return [*((equal, len(most) - i, 0, each) for i, each in enumerate(most)), (equal, 0, len(steps), last), *steps]

    def protocols(known):
        return [(load, 0, 0, third), *where(known, allow), refuse(errno.EPROTONOSUPPORT)]

    steps = [
        (load, 0, 0, processor), (equal, 1, 0, architecture), refuse(errno.ENOSYS),
        (load, 0, 0, number), (at_least, 0, 1, 0x40000000), refuse(errno.ENOSYS),
        *where((request_key, IO_URING_SETUP, CLONE3), refuse(errno.ENOSYS)),
        *where((clone, unshare), (load, 0, 0, first), (any_of, 0, 1, CLONE_NEWUSER), refuse(errno.EPERM), allow),
        *where((setrlimit,), (load, 0, 0, first), *where((resource.RLIMIT_CORE,), refuse(errno.EPERM)), allow),
        *where((prlimit,), (load, 0, 0, second), (equal, 1, 0, resource.RLIMIT_CORE), allow,
               (load, 0, 0, third), (equal, 0, 3, 0), (load, 0, 0, rest_of_third), *where((0,), allow), refuse(errno.EPERM)),
        *where((pair,), (load, 0, 0, first), *where((socket.AF_UNIX,), allow), refuse(errno.EAFNOSUPPORT)),
        (equal, 1, 0, make), allow,
        (load, 0, 0, first), *where((socket.AF_UNIX,), allow), *where((socket.AF_NETLINK,), *protocols((0,))),
        *where((socket.AF_INET, socket.AF_INET6), (load, 0, 0, second), (masked, 0, 0, 15),
               *(step for kind, known in PROTOCOLS.items() for step in where((kind,), *protocols(known))), refuse(errno.EPROTONOSUPPORT)),
        refuse(errno.EAFNOSUPPORT),
    ]  # fmt: skip
    program = b"".join(struct.pack("HBBI", *step) for step in steps)
    held = ctypes.create_string_buffer(program, len(program))
    told = struct.pack("HxxxxxxP", len(steps), ctypes.addressof(held))
    call("syscall", ctypes.c_long(seccomp), SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, told)


def carry(relays):
    """Start the seat's relay. It is root's, so that the learner cannot touch it, has none of root's rights, and ends with the server.

    It is started before the seat is made, for its paths are the machine's.
    """
    if not relays:
        return
    server = os.pidfd_open(os.getpid())  # a signal at its end would be the learner's, and not be let through
    files = {server, *(file for file, _ in relays)}
    if os.fork():
        for file in files:
            os.close(file)
        return
    os.set_inheritable(server, True)
    for capability in range(64):  # those that this kernel does not have are refused
        libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
    call("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    for file in {*map(int, os.listdir("/proc/self/fd"))} - files - {0, 1, 2}:
        with contextlib.suppress(OSError):  # the one by which the folder was read
            os.close(file)
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "relay.py")
    os.execve(sys.executable, [sys.executable, "-I", "-S", program, json.dumps(relays), str(server)], {})


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
    carry(what["relays"])
    with open("/proc/self/oom_score_adj", "w") as score:  # set with CAP_SYS_RESOURCE, so the learner makes it no less
        score.write(str(ENDED_FIRST))
    namespaces(what["own_network"], what["temporary"], what["run"], what["devices"])
    own_keys()
    resource.setrlimit(resource.RLIMIT_CORE, (1, 1))  # for a byte nothing is written, and no program is started
    os.initgroups(what["user"], what["gid"])
    os.setresgid(what["gid"], what["gid"], what["gid"])
    os.setresuid(what["uid"], what["uid"], what["uid"])
    call("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    only_calls_of_a_seat(what["own_network"])
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
