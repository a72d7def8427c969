#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""ibcc's host agent: runs perftest under ibcc's meter on a compute node, for one request, and leaves nothing behind.

One request, a line of JSON, comes on standard input; lines of JSON go to standard output. docs/operate/hosts.md describes both.
The agent is meant as a forced command in authorized_keys: it looks at neither its environment nor SSH_ORIGINAL_COMMAND, and its
only option, --config, is the administrator's. What may run is named in /etc/ibcc/agent.json. A request chooses among that, and
every value of it is checked against a type and a range before it stands behind an option of its own in a list of arguments; no
shell is involved. What all agents of a host together may take of it is bounded there too: memory, queue pairs, programs. Each
says in a file what it takes, and holds a lock on that file as long as it or one of its programs lives.

Nothing is left behind because two processes watch each other. The first, the guard, does nothing but wait; the second, the
worker, does the work. Both adopt what their programs leave, each ends when the other does, and whoever remains kills all
descendants, also those that have left their process group and ignore SIGTERM. Standard input's end means that the coordinator
is gone, and ends everything. Where systemd can give them a scope of their own, a third process, the warden, waits outside of it,
and ends all that is in it when both are gone.

One file, Python 3.8 or later, standard library only.
"""

import contextlib
import ctypes
import errno
import fcntl
import functools
import ipaddress
import json
import math
import os
import platform
import re
import resource
import selectors
import signal
import socket
import stat
import struct
import subprocess
import sys
import time

VERSION = "0.2.0.dev0"
CONFIG = "/etc/ibcc/agent.json"
DEFAULTS = {
    "programs": {name: "/usr/bin/" + name for name in ("ib_write_bw", "ib_send_bw", "ib_read_bw")},
    "meter": "/usr/lib/ibcc/libibcc_meter.so",
    "devices": None,
    "max_seconds": 3600,
    "max_processes": None,
    "max_qps": None,
    "max_bytes": None,
    "ports": [18515, 20000],
    "peers": None,
    "run_folder": None,
    "systemd_run": None,
    "sysfs": "/sys/class/infiniband",
}
# In turn; the first that is there, or can be made, and is this user's. The last one is for hosts that were not set up.
RUN_FOLDERS = ("/run/ibcc-agent", "/run/user/{uid}/ibcc-agent", "/tmp/ibcc-agent-{uid}")
MAX_REQUEST_BYTES = 1 << 20
MAX_LINE_BYTES = 1 << 16
MAX_UNREAD_BYTES = 8 << 20
OUTPUT_BYTES = 2048
REQUEST_S = 30.0
TERM_S = 2.0
KILL_S = 5.0
LISTEN_POLL_S = 0.02
ROOM_WAIT_S = 5.0  # longest wait for what others of this host hold: those of a run before are about to end
SCOPE_WAIT_S = 5.0
DONE, FAILED, BAD_REQUEST, NOT_THERE = 0, 1, 2, 3
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C"}

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
libc = ctypes.CDLL(None, use_errno=True)


class RefusedError(Exception):
    """A request or configuration that is not carried out; one sentence says why."""

    def __init__(self, sentence, code=BAD_REQUEST):
        super().__init__(sentence)
        self.code = code


# ---- What may be asked: a check a value, each of which returns the value or raises RefusedError


def integer(low, high):
    def check(value, where):
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise RefusedError(f"{where} is {shown(value)}; a whole number from {low} to {high} is expected")
        return value

    return check


def number(low, high):
    def check(value, where):
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not is_number or not low <= value <= high:  # not true of NaN
            raise RefusedError(f"{where} is {shown(value)}; a number from {low:g} to {high:g} is expected")
        return value

    return check


def text(pattern, what):
    expression = re.compile(pattern)

    def check(value, where):
        # fullmatch, because $ also matches before a newline at the end
        if not isinstance(value, str) or not expression.fullmatch(value):
            raise RefusedError(f"{where} is {shown(value)}; {what} is expected")
        return value

    return check


def true_or_false(value, where):
    if not isinstance(value, bool):
        raise RefusedError(f"{where} is {shown(value)}; true or false is expected")
    return value


def one_of(*values):
    def check(value, where):
        if isinstance(value, bool) or value not in values:
            raise RefusedError("{} is {}; it must be {}".format(where, shown(value), " or ".join(str(v) for v in values)))
        return value

    return check


def shown(value):
    """A value for a sentence: short, and of printable ASCII whatever it is."""
    written = ascii(value) if isinstance(value, (str, int, float, bool, type(None))) else "a " + type(value).__name__
    return written if len(written) <= 60 else written[:57] + "..."


STEP = re.compile(r"([0-9]{1,7}(?:\.[0-9]{1,9})?)=(max|off|[0-9]{1,6}(?:\.[0-9]{1,9})?)")


def schedule(value, where):
    """Steps of the meter's IBCC_METER_SCHEDULE: seconds that ascend from 0, each with a rate."""
    steps = [STEP.fullmatch(step) for step in value.split(",")] if isinstance(value, str) and len(value) <= 65536 else [None]
    if not all(steps):
        raise RefusedError(f"{where} is {shown(value)}; steps such as 0=max,1.5=off,2=12.5 are expected")
    times = [float(step.group(1)) for step in steps]
    if times[0] != 0 or any(later <= earlier for earlier, later in zip(times, times[1:])):
        raise RefusedError(f"{where} is {shown(value)}; its times must ascend from 0")
    return value


MAX_NUMA_NODES = 1024
MAX_GPUS = 64
NAME = r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}"
REQUIRED = object()
port = integer(1024, 65535)
peer = text(r"(?=.{1,253}\Z)[A-Za-z0-9:][A-Za-z0-9._:-]*(?:%[A-Za-z0-9_]{1,15})?", "a host's name or address")

# Each key's check, its value where it is left out, and perftest's option for it (`perftest --help`; the same in all versions).
PROCESS = {
    "id": (text(r"[A-Za-z0-9._:-]{1,64}", "a name of 1 to 64 letters, digits, '.', '_', ':' and '-'"), REQUIRED, None),
    "program": (text(NAME, "a program's name"), REQUIRED, None),
    "side": (one_of("server", "client"), REQUIRED, None),
    "device": (text(NAME, "a device's name"), REQUIRED, "-d"),
    "ib_port": (integer(1, 254), 1, "-i"),
    "gid_index": (integer(0, 255), None, "-x"),
    "tcp_port": (port, REQUIRED, "-p"),
    "peer": (peer, None, None),
    "message_bytes": (integer(1, 1 << 31), REQUIRED, "-s"),
    "qps": (integer(1, 16384), 1, "-q"),
    "sl": (integer(0, 15), 0, "-S"),
    "mtu": (one_of(256, 512, 1024, 2048, 4096), None, "-m"),
    "tx_depth": (integer(1, 32768), None, "-t"),
    "numa_node": (integer(0, MAX_NUMA_NODES - 1), None, None),
    "use_cuda": (integer(0, MAX_GPUS - 1), None, "--use_cuda"),
    "use_rocm": (integer(0, MAX_GPUS - 1), None, "--use_rocm"),
    "start_ns": (integer(0, (1 << 63) - 1), None, None),
    "schedule": (schedule, "0=max", None),
    "stop_s": (number(0.001, 86400), REQUIRED, None),
    "interval_ms": (integer(10, 60000), 100, None),
}


def fields(values, known, where):
    """Checked values of an object that has no others. None is as good as left out."""
    if not isinstance(values, dict):
        raise RefusedError(f"{where} is {shown(values)}; an object is expected")
    for key in values:
        if key not in known:
            raise RefusedError("{} has the unknown key {}; there are {}".format(where, shown(key), ", ".join(known)))
    found = {}
    for key, (check, default, _option) in known.items():
        value = values.get(key)
        if value is None and default is REQUIRED:
            raise RefusedError(f"{where} lacks the key '{key}'")
        found[key] = default if value is None else check(value, where + "." + key)
    return found


def parse_json(data):
    """JSON as strict as it gets: valid UTF-8, no key twice, no NaN, no number that takes long to read."""

    def pairs(items):
        if len({key for key, _ in items}) != len(items):
            raise ValueError("a key stands twice in one object")
        return dict(items)

    def whole(digits):
        if len(digits) > 20:
            raise ValueError(f"a number has {len(digits)} digits")
        return int(digits)

    def fraction(digits):
        value = float(digits) if len(digits) <= 64 else math.inf
        if math.isinf(value):
            raise ValueError("a number is too large or too long")
        return value

    def constant(name):
        raise ValueError(f"{name} is no number")

    try:
        # bytes would be decoded by guesses at their encoding
        return json.loads(
            data.decode("utf-8"), object_pairs_hook=pairs, parse_int=whole, parse_float=fraction, parse_constant=constant
        )
    except RecursionError:
        raise RefusedError("the request is nested too deeply") from None
    except ValueError as error:
        raise RefusedError(f"the request is not JSON: {ascii(str(error))[1:-1][:200]}") from None


def parse_request(data, config, now_ns):
    """Returns the request that one line holds, all of it checked: {"op": ..., ...}. Raises RefusedError."""
    request = parse_json(data)
    if not isinstance(request, dict):
        raise RefusedError(f"the request is {shown(request)}; an object is expected")
    op = request.get("op")
    if not isinstance(op, str) or op not in OPERATIONS:
        raise RefusedError("the request's op is {}; there are {}".format(shown(op), ", ".join(sorted(OPERATIONS))))
    return OPERATIONS[op](request, config, now_ns)


def of_op(known):
    return dict(known, op=(one_of(*OPERATIONS), REQUIRED, None))


def parse_check(request, config, now_ns):
    return fields(request, of_op({}), "check")


def parse_clock(request, config, now_ns):
    return fields(request, of_op({"count": (integer(1, 10000), 20, None)}), "clock")


def parse_listen(request, config, now_ns):
    found = fields(request, of_op({"tcp_port": (port, REQUIRED, None)}), "listen")
    require_port(found["tcp_port"], config, "listen.tcp_port")
    return found


def parse_connect(request, config, now_ns):
    found = fields(request, of_op({"tcp_port": (port, REQUIRED, None), "peer": (peer, REQUIRED, None)}), "connect")
    require_port(found["tcp_port"], config, "connect.tcp_port")
    return found


def parse_topology(request, config, now_ns):
    return fields(request, of_op({}), "topology")


def parse_use(request, config, now_ns):
    return fields(request, of_op({"seconds": (number(0.05, 10), 1.0, None)}), "use")


def parse_run(request, config, now_ns):
    known = {
        "time_limit_s": (number(1, config["max_seconds"]), config["max_seconds"], None),
        "processes": (lambda v, _: v, REQUIRED, None),
        "alone": (true_or_false, False, None),
    }
    found = fields(request, of_op(known), "run")
    most = limits(config)["max_processes"]
    if not isinstance(found["processes"], list) or not 1 <= len(found["processes"]) <= most:
        where = set_in(config, "max_processes")
        raise RefusedError(
            f"run.processes must be a list of 1 to {most} processes, as many as are allowed on this host ({where})"
        )
    found["processes"] = [
        parse_process(process, config, now_ns, f"run.processes[{i}]") for i, process in enumerate(found["processes"])
    ]
    for key, taken in (("id", found["processes"]), ("tcp_port", [p for p in found["processes"] if p["side"] == "server"])):
        values = [process[key] for process in taken]
        twice = next((value for value in values if values.count(value) > 1), None)
        if twice is not None:
            raise RefusedError(f"run.processes have the {key} {shown(twice)} twice")
    require_limits(found["processes"], config)
    return found


def parse_process(values, config, now_ns, where):
    process = fields(values, PROCESS, where)
    if process["program"] not in config["programs"]:
        allowed = ", ".join(sorted(config["programs"]))
        raise RefusedError("{}.program is {}; allowed are {}".format(where, shown(process["program"]), allowed))
    if config["devices"] is not None and process["device"] not in config["devices"]:
        raise RefusedError(
            "{}.device is {}; allowed are {}".format(where, shown(process["device"]), ", ".join(config["devices"]))
        )
    require_port(process["tcp_port"], config, where + ".tcp_port")
    if (process["side"] == "client") != (process["peer"] is not None):
        raise RefusedError(f"{where}: a client has a peer, and a server has none")
    if process["use_cuda"] is not None and process["use_rocm"] is not None:
        raise RefusedError(f"{where} has use_cuda and use_rocm; a program's memory is on one GPU")
    latest = config["max_seconds"]
    if process["stop_s"] > latest:
        sentence = "{}.stop_s is {}; {:g} at most is allowed".format(where, shown(process["stop_s"]), latest)
        raise RefusedError("{} ({})".format(sentence, set_in(config, "max_seconds")))
    if process["start_ns"] is not None and abs(process["start_ns"] - now_ns) > latest * 10**9:
        sentence = f"this host's clock is {now_ns}, and they may be {latest} s apart"
        raise RefusedError(f"{where}.start_ns is {process['start_ns']}; {sentence}")
    return process


def require_port(value, config, where):
    first, last = config["ports"]
    if not first <= value <= last:
        raise RefusedError(f"{where} is {value}; allowed are {first} to {last}")


OPERATIONS = {
    "check": parse_check,
    "clock": parse_clock,
    "connect": parse_connect,
    "listen": parse_listen,
    "run": parse_run,
    "topology": parse_topology,
    "use": parse_use,
}


def parse_config(values):
    """The administrator's settings over the defaults. Raises RefusedError."""
    if not isinstance(values, dict) or not set(values) <= set(DEFAULTS):
        raise RefusedError("the configuration must be an object with keys among {}".format(", ".join(DEFAULTS)))
    config = dict(DEFAULTS, **values)
    config["set"] = tuple(key for key, value in values.items() if value is not None)
    path = text(r"/[^\x00\n]{1,4095}", "an absolute path")
    name = text(NAME, "a name")
    if not isinstance(config["programs"], dict) or not config["programs"]:
        raise RefusedError("programs is {}; names with their paths are expected".format(shown(config["programs"])))
    for program, where in config["programs"].items():
        name(program, "a name in programs")
        path(where, "programs." + program)
    path(config["meter"], "meter")
    path(config["sysfs"], "sysfs")
    if config["devices"] is not None and not isinstance(config["devices"], list):
        raise RefusedError("devices is {}; a list of names, or null for all, is expected".format(shown(config["devices"])))
    for device in config["devices"] or ():
        name(device, "devices")
    integer(1, 86400)(config["max_seconds"], "max_seconds")
    for key, most in (("max_processes", 1024), ("max_qps", 1 << 20), ("max_bytes", 1 << 46)):
        if config[key] is not None:
            integer(1, most)(config[key], key)
    if config["run_folder"] is not None:
        path(config["run_folder"], "run_folder")
    if config["systemd_run"] not in (None, "none"):
        path(config["systemd_run"], "systemd_run")
    if config["peers"] is not None:
        if not isinstance(config["peers"], list) or len(config["peers"]) > 256:
            raise RefusedError("peers is {}; a list of networks, or null, is expected".format(shown(config["peers"])))
        for network in config["peers"]:
            try:
                ipaddress.ip_network(text(r"[0-9A-Fa-f:./]{2,64}", "a network such as 10.1.0.0/16")(network, "peers"))
            except ValueError as error:
                raise RefusedError(f"peers has {shown(network)}, which is no network: {ascii(str(error))[1:-1]}") from None
    ports = config["ports"]
    if not isinstance(ports, list) or len(ports) != 2 or not all(port(p, "ports") for p in ports) or ports[0] > ports[1]:
        raise RefusedError(f"ports is {shown(ports)}; the first and the last port are expected")
    return config


def read_config(path):
    """Returns the configuration in a file, or the defaults where no file was named and there is none."""
    try:
        with open(path or CONFIG, "rb") as file:
            if os.fstat(file.fileno()).st_mode & 0o002:
                raise RefusedError("anybody may write to it, and so have the agent do anything")
            return dict(parse_config(parse_json(file.read(1 << 20))), path=path or CONFIG)
    except FileNotFoundError:
        if path is None:
            return dict(DEFAULTS)
        raise RefusedError(f"the configuration '{path}' does not exist") from None
    except OSError as error:
        raise RefusedError(f"the configuration '{path or CONFIG}' cannot be read: {error.strerror}") from None
    except RefusedError as error:
        raise RefusedError(f"the configuration '{path or CONFIG}': {error}") from None


# ---- What requests may take of this host, all together


def default_limits():
    """Returns the limits that hold unless the configuration sets others. A quarter of the memory leaves a node's jobs the rest;
    128 programs are the servers and the clients of one run of ibcc's; queue pairs cost memory of the adapter, and adapters of
    larger hosts have more of it."""
    cores = os.cpu_count() or 1
    return {
        "max_bytes": memory_bytes() // 4,
        "max_qps": min(65536, max(4096, 256 * cores)),
        "max_processes": min(1024, max(128, 2 * cores)),
        "max_seconds": DEFAULTS["max_seconds"],
    }


def memory_bytes():
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def limits(config):
    """All of them, by name."""
    return {name: value if config[name] is None else config[name] for name, value in default_limits().items()}


def set_in(config, name):
    """Returns the origin of a limit, for a sentence."""
    path = config.get("path", CONFIG)
    return f"{name} of {path}" if name in config.get("set", ()) else f"the default of {name}, which {path} can set"


CACHE_LINE_BYTES = 128  # the longest that perftest knows (get_cache_line_size)
TX_DEPTH, RX_DEPTH = 128, 512  # perftest's own (DEF_TX_BW, DEF_RX_SEND in perftest_parameters.h)
QUEUE_ENTRY_BYTES = 512  # a work request, its completion in the queue and the copy of it: providers take 64 to 256 bytes for each


def process_bytes(message_bytes, qps, tx_depth=None, page_bytes=None):
    """Bytes that one program registers or has its provider register; an upper bound.

    Buffers are as perftest allocates them (alloc_ctx in its perftest_resources.c): a half to send from and a half to receive in,
    for each queue pair, each half the message or a page, whichever is larger, up to whole cache lines; the depth of queues does
    not count there. Queues come on top, with room for the depth rounded up to a power of 2, as providers do.
    """
    half = -(-max(message_bytes, page_bytes or os.sysconf("SC_PAGE_SIZE")) // CACHE_LINE_BYTES) * CACHE_LINE_BYTES
    depth = 1 << (max(1, tx_depth or TX_DEPTH) - 1).bit_length()
    return qps * (2 * half + (depth + RX_DEPTH) * QUEUE_ENTRY_BYTES)


def taken_by(processes):
    """Returns what a request's programs take together, by the names of limits."""
    return {
        "max_bytes": sum(process_bytes(p["message_bytes"], p["qps"], p["tx_depth"]) for p in processes),
        "max_qps": sum(p["qps"] for p in processes),
        "max_processes": len(processes),
    }


UNITS = {"max_bytes": "bytes of memory", "max_qps": "queue pairs", "max_processes": "programs"}


def require_limits(processes, config):
    """Raises RefusedError for what this host never gives, whoever else is there."""
    allowed = limits(config)
    for name, value in taken_by(processes).items():
        if value > allowed[name]:
            sentence = f"run.processes would take {value} {UNITS[name]}; {allowed[name]} at most are allowed on this host"
            raise RefusedError(f"{sentence} ({set_in(config, name)})")


def open_run_folder(config):
    """Descriptor of the folder in which agents say what they take. Nobody but this user, or root, can have put anything into it,
    and no symbolic link is followed to it: what is locked there is locked by agents. Raises RefusedError."""
    uid = os.geteuid()
    why = "there is none"
    for path in RUN_FOLDERS if config["run_folder"] is None else (config["run_folder"],):
        path = path.format(uid=uid) if config["run_folder"] is None else path
        # The first is an administrator's: who has not made it has no use for it.
        if path != RUN_FOLDERS[0]:
            with contextlib.suppress(OSError):
                os.mkdir(path, 0o700)
        try:
            folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError as error:
            why = f"'{path}': {error.strerror}"
            continue
        found = os.fstat(folder)
        if found.st_uid == uid and not found.st_mode & 0o022:
            return folder
        os.close(folder)
        why = f"'{path}' is not this user's alone"
    raise RefusedError(f"there is no folder for this host's lock: {why} (run_folder of {config.get('path', CONFIG)})", FAILED)


def open_locked(folder, name):
    """Descriptor of a file whose lock is this process's from now on; None where another one has it. Raises OSError."""
    fd = os.open(name, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600, dir_fd=folder)
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise OSError(errno.EINVAL, f"{name} is no file")
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(fd)
        return None
    except BaseException:
        os.close(fd)
        raise
    return fd


def record(folder, name):
    """Returns what an agent has written about itself; {} if it has written nothing, or has gone meanwhile. An agent from before
    `alone` says nothing of its devices."""
    try:
        fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    except OSError:
        return {}
    try:
        found = parse_json(os.read(fd, 4096))
    except (OSError, RefusedError):
        return {}
    finally:
        os.close(fd)
    known = {"pid": int, "since": int, "request": str, **dict.fromkeys(UNITS, int)}
    is_whole = isinstance(found, dict) and all(isinstance(found.get(key), kind) for key, kind in known.items())
    if not is_whole or not isinstance(found.get("devices", []), list):
        return {}
    return found


def device_conflict(mine, others):
    """Why a request must wait for another one's devices, or None: a request that measures alone shares no device."""
    for found in others:
        shared = [device for device in mine["devices"] if device in found.get("devices", ())]
        if shared and (mine["alone"] or found.get("alone") is True):
            who = "this request measures" if mine["alone"] else "that one measures"
            return f"device {shared[0]} is used by {holder(found)}, and {who} alone"
    return None


def holder(found):
    """Returns a description of an agent, for a sentence."""
    if not found:
        return "an agent that has not said who it is"
    since = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(found["since"]))
    return "request '{}' (pid {}, since {})".format(found["request"], found["pid"], since)


class Share:
    """A request's share of its host: a file that says what the request takes, and a lock on that file.

    The lock is the kernel's and goes with the last process that has the file open, however that ends. Programs have it open too,
    so what they use counts as long as any of them lives, also when their agent was killed. An agent that compares and enters
    holds the lock of the folder, for milliseconds.
    """

    def __init__(self, processes, config, alone=False):
        """Waits for ROOM_WAIT_S at most. `alone`: no other request uses its devices meanwhile. Raises RefusedError."""
        self.folder = open_run_folder(config)
        self.name = f"run-{os.getpid()}-{time.monotonic_ns()}"
        self.fd = None
        mine = dict(taken_by(processes), pid=os.getpid(), request=processes[0]["id"], since=int(time.time()))
        mine.update(devices=sorted({process["device"] for process in processes}), alone=alone)
        until = time.monotonic() + ROOM_WAIT_S
        try:
            while self.fd is None:
                refusal = self._enter(mine, config)
                if refusal is not None:
                    if time.monotonic() > until:
                        raise RefusedError(f"{refusal}; this was waited for {ROOM_WAIT_S:g} s", FAILED)
                    time.sleep(0.05)
        except OSError as error:
            os.close(self.folder)
            raise RefusedError(f"this host's lock is unavailable: {error.strerror}", FAILED) from None
        except BaseException:
            os.close(self.folder)
            raise

    def _enter(self, mine, config):
        """None when entered, or else why not."""
        ledger = open_locked(self.folder, "lock")
        if ledger is None:
            return "this host's lock is held by " + holder(record(self.folder, "lock"))
        try:
            os.ftruncate(ledger, 0)
            os.pwrite(ledger, json.dumps(mine).encode("ascii"), 0)
            others = list(self._others())
            conflict = device_conflict(mine, others)
            if conflict is not None:
                return conflict
            for name, allowed in ((name, limits(config)[name]) for name in UNITS):
                # An agent that does not say what it takes may take everything.
                held = sum(found.get(name, allowed) for found in others)
                if held + mine[name] > allowed:
                    who = ", ".join(holder(found) for found in others[:3]) + (" and others" if len(others) > 3 else "")
                    free = f"{max(0, allowed - held)} of {allowed} are free on this host ({set_in(config, name)})"
                    return f"run.processes would take {mine[name]} {UNITS[name]}, and {free}: {held} are taken by {who}"
            self.fd = open_locked(self.folder, self.name)
            os.write(self.fd, json.dumps(mine).encode("ascii"))
        finally:
            os.close(ledger)
        return None

    def _others(self):
        """Records of all that live; those of the dead are removed."""
        for name in os.listdir(self.folder):
            if not name.startswith("run-"):
                continue
            fd = open_locked(self.folder, name)
            if fd is None:
                yield record(self.folder, name)
            else:
                os.unlink(name, dir_fd=self.folder)
                os.close(fd)

    def give_back(self):
        """The file goes when nobody has it open; until then programs that are left keep what they use."""
        os.close(self.fd)
        with contextlib.suppress(OSError):
            fd = open_locked(self.folder, self.name)
            if fd is not None:
                os.unlink(self.name, dir_fd=self.folder)
                os.close(fd)
        os.close(self.folder)


ADDRESS_SPACE_BYTES = 2 << 30  # code, libraries, stacks, and what the allocator reserves for each thread, without using it
LOCKED_BYTES = 64 << 20  # what providers lock besides queues and buffers
TASKS_EACH = 16  # threads of a program under the meter: 2 to 4
OPEN_FILES = 1024


def bounds(bytes_, tasks):
    """(resource, soft and hard limit) for a program that may register `bytes_` bytes. `tasks`: maximum number of this user's.

    Address space is more than memory, and RDMA maps the adapter's registers too, so RLIMIT_AS stops who allocates without end,
    not who is a little over. No nice: a sender that others hold up measures the scheduler and not the fabric. What goes first
    when memory is short is said by oom_score_adj, which costs nothing before.
    """
    yield resource.RLIMIT_AS, bytes_ + ADDRESS_SPACE_BYTES
    yield resource.RLIMIT_MEMLOCK, bytes_ + LOCKED_BYTES
    yield resource.RLIMIT_NPROC, tasks
    yield resource.RLIMIT_NOFILE, OPEN_FILES
    yield resource.RLIMIT_CORE, 0
    yield resource.RLIMIT_FSIZE, 0  # it writes to pipes alone, for which this does not hold


def tasks_of_user():
    """Returns the number of threads of this user: RLIMIT_NPROC counts all of them, and not those of one process."""
    count, uid = 0, os.geteuid()
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError, ValueError, IndexError):
                if os.stat("/proc/" + name).st_uid == uid:
                    with open(f"/proc/{name}/stat", "rb") as file:
                        count += int(file.read().rpartition(b")")[2].split()[17])
    return count


# set_mempolicy's number, which the C library has no function for.
SET_MEMPOLICY = {"x86_64": 238, "aarch64": 237, "riscv64": 237, "ppc64le": 261, "ppc64": 261, "s390x": 270}
MPOL_BIND = 2


def number_list(line):
    """Numbers of the kernel's `0-3,8`. Empty for what is no such list."""
    found = set()
    for part in (line or "").split(","):
        first, _dash, last = part.partition("-")
        if first.isdigit() and (last or first).isdigit() and len(first) < 8 and len(last) < 8:
            found.update(range(int(first), min(int(last or first), int(first) + 65536) + 1))
    return found


def memory_nodes(config):
    """NUMA nodes with memory that this process may use; {0} on hosts whose kernel knows none."""
    nodes = os.path.join(sys_root(config), "devices/system/node")
    found = number_list(first_line(os.path.join(nodes, "has_memory"))) or {0}
    allowed = next((line for line in read_lines("/proc/self/status") if line.startswith("Mems_allowed_list:")), "")
    return found & (number_list(allowed.partition(":")[2].strip()) or found)


def near_cpus(device, config):
    """Processors beside a channel adapter that this process may use; all that it may use where the kernel does not say."""
    allowed = os.sched_getaffinity(0)
    bridges = pci_chain(device, config)
    near = number_list(first_line(os.path.join(pci_place(bridges[-1], config), "local_cpulist"))) if bridges else set()
    return near & allowed or allowed


def require_placeable(processes, config):
    """Raises RefusedError unless memory of each wanted NUMA node can be had."""
    for wanted in processes:
        node = wanted["numa_node"]
        if node is not None and node not in memory_nodes(config):
            there = ", ".join(str(one) for one in sorted(memory_nodes(config)))
            raise RefusedError(f"numa_node is {node}; nodes whose memory the agent may use are {there}", NOT_THERE)
        if node is not None and platform.machine() not in SET_MEMPOLICY:
            raise RefusedError(f"numa_node cannot be set on {platform.machine()}; known are " + ", ".join(SET_MEMPOLICY))


def place_on(node, cpus):
    """Memory of the calling process, and of the program that it becomes, comes from one NUMA node, and it runs on `cpus`."""
    os.sched_setaffinity(0, cpus)
    bits = ctypes.sizeof(ctypes.c_ulong) * 8
    mask = (ctypes.c_ulong * (MAX_NUMA_NODES // bits))()
    mask[node // bits] = 1 << (node % bits)
    # The kernel takes one bit less than it is told.
    if libc.syscall(SET_MEMPOLICY[platform.machine()], MPOL_BIND, mask, ctypes.c_ulong(MAX_NUMA_NODES + 1)):
        raise OSError(ctypes.get_errno(), "memory cannot be bound to a NUMA node")


def confine(worker, wanted, node=None, cpus=()):
    """Confines a program's process before it becomes the program. Limits can only be lowered. `node`: the NUMA node of its
    memory, None for any."""
    die_with(worker, signal.SIGKILL)
    if node is not None:
        place_on(node, cpus)
    for number, value in wanted:
        hard = resource.getrlimit(number)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(number, (value, value))
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")


# ---- Who may be connected to


def peer_networks(config):
    """([networks], where they come from). Without `peers`, those that this host's own RDMA interfaces are in."""
    if config["peers"] is not None:
        return [ipaddress.ip_network(network) for network in config["peers"]], set_in(config, "peers")
    origin = f"the networks of this host's RDMA interfaces, as {config.get('path', CONFIG)} has no peers"
    return list(own_networks(rdma_interfaces(config["sysfs"]))), origin


def rdma_interfaces(sysfs):
    """Names of network interfaces that are IPoIB's, or an RDMA device's own (RoCE)."""
    found = {name for name in listed("/sys/class/net") if first_line(f"/sys/class/net/{name}/type") == "32"}  # ARPHRD_INFINIBAND
    for device in listed(sysfs):
        for number in listed(os.path.join(sysfs, device, "ports")):
            names = os.path.join(sysfs, device, "ports", number, "gid_attrs", "ndevs")
            found.update(filter(None, (first_line(os.path.join(names, index)) for index in listed(names))))
    return found


def own_networks(interfaces, proc="/proc/net"):
    """Networks that these interfaces are in: IPv4's by routes without a gateway, IPv6's by addresses. Loopback and link-local
    ones are not among them: those have to be named."""
    found = set()
    with contextlib.suppress(OSError), open(os.path.join(proc, "route")) as file:
        for words in (line.split() for line in file.readlines()[1:]):
            if words[0] in interfaces and int(words[2], 16) == 0 and int(words[7], 16):
                address, mask = (socket.inet_ntoa(struct.pack("=I", int(words[k], 16))) for k in (1, 7))
                found.add(ipaddress.ip_network(f"{address}/{mask}", strict=False))
    with contextlib.suppress(OSError), open(os.path.join(proc, "if_inet6")) as file:
        for words in map(str.split, file):
            if words[5] in interfaces:
                found.add(ipaddress.ip_network((int(words[0], 16), int(words[2], 16)), strict=False))
    for network in sorted(found, key=lambda one: (one.version, one)):
        if not (network.is_loopback or network.is_link_local):
            yield network


def is_within(address, networks):
    """Returns True if an address, as the kernel or a resolver writes it, is in one of the networks."""
    found = ipaddress.ip_address(address.partition("%")[0])
    found = getattr(found, "ipv4_mapped", None) or found
    if found.is_unspecified or found.is_multicast:  # the first of which means this host itself
        return False
    special = [kind for kind in ("is_loopback", "is_link_local") if getattr(found, kind)]
    # 0.0.0.0/0 is no word for loopback.
    return any(found in network and all(getattr(network, kind) for kind in special) for network in networks)


def written(address):
    """Returns a socket's address as text, with its interface where it is link-local."""
    scope = address[3] if len(address) == 4 else 0
    return address[0].partition("%")[0] + ("%" + socket.if_indextoname(scope) if scope else "")


def allowed_address(name, tcp_port, config):
    """The address to connect to, which no other answer of a resolver can replace after it was found to be a peer's. IPv4 comes
    first: perftest exchanges addresses by it. Raises RefusedError."""
    try:
        answers = socket.getaddrinfo(name, tcp_port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise RefusedError(f"{name}, port {tcp_port}, cannot be reached: {why}", FAILED) from None
    networks, origin = peer_networks(config)
    addresses = [written(answer[4]) for answer in sorted(answers, key=lambda one: one[0] != socket.AF_INET)]
    for address in addresses:
        if is_within(address, networks):
            return address
    allowed = ", ".join(str(network) for network in networks[:8]) or "none"
    what = addresses[0] if name == addresses[0] else f"{name}, which is {addresses[0]},"
    raise RefusedError(f"{what} is no peer of this host's; allowed are {allowed} ({origin})")


# ---- What is carried out


def command_line(process, config):
    """The list of arguments for perftest. The meter ends the program at stop_s, so perftest's own duration is without end."""
    argv = [config["programs"][process["program"]], "-F", "--run_infinitely"]
    for key, (_check, _default, option) in PROCESS.items():
        if option is not None and process[key] is not None:
            argv += [option, str(process[key])]
    return argv + ([process["peer"]] if process["peer"] is not None else [])


def environment(process, config, fd):
    """All that the program's environment holds."""
    variables = {
        "LD_PRELOAD": config["meter"],
        "IBCC_METER_OUTPUT": f"fd:{fd}",
        "IBCC_METER_ID": process["id"],
        "IBCC_METER_INTERVAL_MS": str(process["interval_ms"]),
        "IBCC_METER_SCHEDULE": process["schedule"],
        "IBCC_METER_STOP_S": "{:.9g}".format(process["stop_s"]),
    }
    if process["start_ns"] is not None:
        variables["IBCC_METER_START_NS"] = str(process["start_ns"])
    if process["use_cuda"] is not None:
        variables["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"  # GPUs are numbered as `topology` lists them
    return dict(ENVIRONMENT, **variables)


class Out:
    """Standard output: whole lines, never in the way of what has to be ended when nobody reads them."""

    def __init__(self, fd):
        self.fd = fd
        self.is_broken = False
        self._unwritten = bytearray()
        os.set_blocking(fd, False)

    def event(self, event, **values):
        # ASCII only, so that no name on this host can make the stream undecodable.
        self.raw(json.dumps(dict({"ibcc_agent": 1, "event": event}, **values), separators=(",", ":")).encode("ascii"))

    def raw(self, line):
        self._unwritten += line + b"\n"
        self.flush()
        if len(self._unwritten) > MAX_UNREAD_BYTES:
            self.is_broken = True  # the coordinator is there, and does not read

    def flush(self):
        """Writes what can be written now. True when nothing is left."""
        while self._unwritten and not self.is_broken:
            try:
                del self._unwritten[: os.write(self.fd, self._unwritten[:65536])]
            except BlockingIOError:
                return False
            except OSError:
                self.is_broken = True
        return True

    def finish(self, seconds):
        """Waits at most `seconds` until what is left is written."""
        until = time.monotonic() + seconds
        selector = selectors.DefaultSelector()
        try:
            selector.register(self.fd, selectors.EVENT_WRITE)
        except (OSError, ValueError):
            return  # a file takes everything at once
        while not self.flush() and time.monotonic() < until:
            selector.select(0.05)


class Program:
    """One program that runs, and the pipes of its meter's lines and of its own words."""

    def __init__(self, wanted, config, share, tasks):
        self.id, self.is_server, self.tcp_port = wanted["id"], wanted["side"] == "server", wanted["tcp_port"]
        self.bytes = process_bytes(wanted["message_bytes"], wanted["qps"], wanted["tx_depth"])
        self.is_listening = False
        self.words = b""
        self.rest = b""
        self.has_told_nonsense = False
        self.meter_fd, meter_end = os.pipe()
        worker, node = os.getpid(), wanted["numa_node"]
        cpus = near_cpus(wanted["device"], config) if node is not None else ()
        try:
            self.popen = subprocess.Popen(
                command_line(wanted, config),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env=environment(wanted, config, meter_end),
                cwd="/",
                pass_fds=[meter_end, share.fd],
                start_new_session=True,
                preexec_fn=functools.partial(confine, worker, list(bounds(self.bytes, tasks)), node, cpus),
                bufsize=0,
            )
        except BaseException:
            os.close(self.meter_fd)
            raise
        finally:
            os.close(meter_end)
        self.pid = self.popen.pid
        self.words_fd = self.popen.stdout.fileno()
        for fd in (self.meter_fd, self.words_fd):
            os.set_blocking(fd, False)

    def signal(self, number):
        with contextlib.suppress(OSError):
            os.killpg(self.pid, number)

    def close(self):
        os.close(self.meter_fd)
        self.popen.stdout.close()

    def read(self, fd, out):
        """Hands on what can be read: how many bytes it was, 0 at the end, None if there is nothing now."""
        try:
            data = os.read(fd, 65536)
        except BlockingIOError:
            return None
        except OSError:
            return 0
        if fd == self.words_fd:
            self.words = (self.words + data)[-OUTPUT_BYTES:]
            return len(data)
        lines = (self.rest + data).split(b"\n")
        self.rest = lines.pop()
        if len(self.rest) > MAX_LINE_BYTES:
            self.rest = b""
            self._complain(out)
        for line in lines:
            if is_meter_line(line):
                out.raw(b'{"ibcc_agent":1,"event":"meter","line":' + line.strip() + b"}")
            else:
                self._complain(out)
        return len(data)

    def drain(self, out):
        """Reads what is in the pipes by now, up to 1 MiB each: others may hold their ends open, and write on."""
        for fd in (self.meter_fd, self.words_fd):
            for _ in range(16):
                if not self.read(fd, out):
                    break

    def _complain(self, out):
        if not self.has_told_nonsense:
            self.has_told_nonsense = True
            out.event("error", id=self.id, sentence="it wrote to the meter's pipe what is no line of the meter's")


def is_meter_line(line):
    if len(line) > MAX_LINE_BYTES:
        return False
    try:
        parsed = parse_json(line)
    except RefusedError:
        return False
    return isinstance(parsed, dict) and parsed.get("ibcc_meter") == 1


class Work:
    """Carries out one request, from an event loop that nothing holds up."""

    def __init__(self, out, wakeup_fd, config, request, early, scope):
        self.out, self.config, self.request, self.scope = out, config, request, scope
        self.share = None
        self._addresses = {}
        self.code = DONE
        self.programs = {}
        self.waiting = []
        self.deadline = time.monotonic() + request.get("time_limit_s", 60.0)
        self.kill_at = None
        self.is_over = False
        self.ticks_left = request.get("count", 0)
        self.listener = None
        self.selector = selectors.DefaultSelector()
        self.selector.register(wakeup_fd, selectors.EVENT_READ, self._on_signal)
        with contextlib.suppress(PermissionError):  # a file: there is no coordinator that could go
            self.selector.register(0, selectors.EVENT_READ, self._on_input)
        self._ticks(early)

    def carry_out(self):
        try:
            getattr(self, "_" + self.request["op"])()
        except RefusedError as refused:
            self.code = max(self.code, refused.code)
            self.out.event("error", id=None, sentence=str(refused))
            self.end()
        while not self.is_over:
            self._wait()
        if self.listener is not None:
            self.listener.close()
        return self.code

    def end(self):
        """Has everything stop; what does not within TERM_S is killed."""
        if self.kill_at is None:
            self.kill_at = time.monotonic() + TERM_S
            self.waiting = []
            for program in self.programs.values():
                program.signal(signal.SIGTERM)
        self._look_whether_over()

    def _look_whether_over(self):
        waits = self.request["op"] in ("clock", "listen", "use") and self.kill_at is None
        self.is_over = not self.programs and not waits

    def _wait(self):
        now = time.monotonic()
        until = self.deadline if self.kill_at is None else self.kill_at
        waits_for_ports = self.kill_at is None and any(p.is_server and not p.is_listening for p in self.programs.values())
        timeout = max(0.01, min(until - now, LISTEN_POLL_S if waits_for_ports else 0.5))
        for key, _events in self.selector.select(timeout):
            if key.fd in self.selector.get_map():
                key.data(key.fd)
        if waits_for_ports:
            self._find_listening()
        self.out.flush()
        if self.out.is_broken:
            self.code = max(self.code, FAILED)
            self.end()
        now = time.monotonic()
        if self.kill_at is None and now >= self.deadline:
            if self.request["op"] == "run":
                self.code = max(self.code, FAILED)
                self.out.event("error", id=None, sentence="the time limit of {:g} s is over".format(self.request["time_limit_s"]))
            elif self.request["op"] == "use":
                self.out.event("use", **dict(use_between(self.first_sample, use_sample(self.config), self.config)))
            self.end()
        elif self.kill_at is not None and now >= self.kill_at:
            for program in self.programs.values():
                program.signal(signal.SIGKILL)
            self._reap()
            self.is_over = self.is_over or now >= self.kill_at + KILL_S  # some are stuck in the kernel: `left` tells how many

    def _on_signal(self, fd):
        numbers = os.read(fd, 4096)
        if signal.SIGCHLD in numbers:
            self._reap()
        stops = [number for number in numbers if number != signal.SIGCHLD]
        if stops:
            self.code = max(self.code, FAILED)
            self.end()

    def _on_input(self, fd):
        try:
            data = os.read(fd, 65536)
        except OSError:
            data = b""
        if data:
            self._ticks(data)
            return
        self.selector.unregister(fd)
        if self.programs:
            self.code = max(self.code, FAILED)
        self.end()

    def _ticks(self, data):
        for _ in range(min(data.count(b"\n"), self.ticks_left)):
            self.out.event("clock", wall_ns=time.time_ns(), mono_ns=time.monotonic_ns())
            self.ticks_left -= 1
            if not self.ticks_left:
                self.end()

    # ---- operations

    def _clock(self):
        self._look_whether_over()

    def _check(self):
        self.out.event("check", scope=self.scope, **dict(check(self.config)))
        self.end()

    def _topology(self):
        self.out.event("topology", **dict(topology(self.config)))
        self.end()

    def _use(self):
        self.first_sample = use_sample(self.config)
        self.deadline = time.monotonic() + self.request["seconds"]

    def _listen(self):
        try:
            self.listener = open_listener(self.request["tcp_port"])
        except OSError as error:
            raise RefusedError(f"port {self.request['tcp_port']} cannot be listened at: {error.strerror}", FAILED) from None
        self.selector.register(self.listener, selectors.EVENT_READ, self._on_connection)
        self.out.event("listening", id=None, tcp_port=self.request["tcp_port"])

    def _on_connection(self, _fd):
        try:
            connection, address = self.listener.accept()
        except OSError:
            return
        connection.close()
        is_peer = is_within(str(address[0]), peer_networks(self.config)[0])
        self.out.event("accepted" if is_peer else "turned_away", address=str(address[0]))

    def _connect(self):
        address = allowed_address(self.request["peer"], self.request["tcp_port"], self.config)
        began = time.monotonic()
        try:
            socket.create_connection((address, self.request["tcp_port"]), timeout=5.0).close()
        except (OSError, UnicodeError) as error:
            why = getattr(error, "strerror", None) or str(error)
            where = f"{self.request['peer']}, port {self.request['tcp_port']},"
            raise RefusedError(f"{where} cannot be reached: {why}", FAILED) from None
        self.out.event("connected", milliseconds=round((time.monotonic() - began) * 1e3, 3))
        self.end()

    def _run(self):
        processes = self.request["processes"]
        require_there(processes, self.config)
        require_placeable(processes, self.config)
        for wanted in processes:
            if wanted["peer"] is not None:
                wanted["peer"] = self._address(wanted["peer"], wanted["tcp_port"])
        self.share = Share(processes, self.config, self.request["alone"])
        self.tasks = tasks_of_user() + TASKS_EACH * limits(self.config)["max_processes"]
        served = {wanted["tcp_port"] for wanted in processes if wanted["side"] == "server"}
        self.waiting = [wanted for wanted in processes if wanted["side"] == "client" and wanted["tcp_port"] in served]
        for wanted in processes:
            if wanted not in self.waiting:
                self._start(wanted)
        self._reap()

    def _start(self, wanted):
        """Raises RefusedError."""
        try:
            program = Program(wanted, self.config, self.share, self.tasks)
        except OSError as error:
            raise RefusedError("{} cannot be started: {}".format(wanted["program"], error.strerror), FAILED) from None
        except subprocess.SubprocessError as error:  # before it has become the program; what was wrong there is not handed on
            node = wanted["numa_node"]
            more = "" if node is None else f" The kernel may refuse memory of NUMA node {node} here."
            raise RefusedError("{} cannot be started: {}{}".format(wanted["program"], error, more), FAILED) from None
        self.programs[program.pid] = program
        for fd in (program.meter_fd, program.words_fd):
            self.selector.register(fd, selectors.EVENT_READ, lambda fd, program=program: self._on_output(program, fd))
        self.out.event("started", id=program.id, pid=program.pid)

    def _take_waiting(self, tcp_port):
        """Clients of this request that wait for a server of it, which are taken off the list."""
        taken = [wanted for wanted in self.waiting if wanted["tcp_port"] == tcp_port]
        self.waiting = [wanted for wanted in self.waiting if wanted["tcp_port"] != tcp_port]
        return taken

    def _start_waiting(self, tcp_port):
        try:
            for wanted in self._take_waiting(tcp_port):
                self._start(wanted)
        except RefusedError as refused:
            self.code = max(self.code, refused.code)
            self.out.event("error", id=None, sentence=str(refused))
            self.end()

    def _address(self, name, tcp_port):
        """Address of a peer, as allowed_address gives it; looks each name up once."""
        if name not in self._addresses:
            self._addresses[name] = allowed_address(name, tcp_port, self.config)
        return self._addresses[name]

    def _on_output(self, program, fd):
        if program.read(fd, self.out) == 0:
            self.selector.unregister(fd)

    def _find_listening(self):
        ports = listening_ports()
        for program in list(self.programs.values()):
            if program.is_server and not program.is_listening and program.tcp_port in ports:
                program.is_listening = True
                self.out.event("listening", id=program.id, tcp_port=program.tcp_port)
                self._start_waiting(program.tcp_port)

    def _reap(self):
        for pid, status in reaped():
            program = self.programs.pop(pid, None)
            if program is not None:
                self._on_end(program, status)
        self._look_whether_over()

    def _on_end(self, program, status):
        program.popen.returncode = status
        program.signal(signal.SIGKILL)  # what it has left in its process group
        program.drain(self.out)
        for fd in (program.meter_fd, program.words_fd):
            if fd in self.selector.get_map():
                self.selector.unregister(fd)
        program.close()
        for wanted in self._take_waiting(program.tcp_port) if program.is_server else ():
            self.code = max(self.code, FAILED)
            self.out.event("error", id=wanted["id"], sentence=f"its server '{program.id}' ended before it listened")
        if status:
            self.code = max(self.code, FAILED)
            text_ = program.words.decode("utf-8", "replace") + self._bound_met(program, status)
            self.out.event("output", id=program.id, text=text_)
        if os.WIFSIGNALED(status):
            self.out.event("ended", id=program.id, exit_code=None, signal=signal.Signals(os.WTERMSIG(status)).name)
        else:
            self.out.event("ended", id=program.id, exit_code=os.WEXITSTATUS(status), signal=None)

    def _bound_met(self, program, status):
        """Returns what to add to the last words of a program that has reached its limit of memory; '' for others."""
        if os.WIFSIGNALED(status) and self.scope["oom_kills"] != oom_kills(self.scope):
            return "\n(this host's kernel killed it: the agent's scope has used up its {} bytes)".format(
                self.scope["memory_bytes"]
            )
        if re.search(rb"alloc|[mM]emory", program.words):
            return (
                f"\n(it may register {program.bytes} bytes, and the agent has bounded its memory to that and what programs need)"
            )
        return ""


def reaped():
    """(pid, status) of children that have ended, adopted ones too."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        yield pid, status


def require_there(processes, config):
    """Raises RefusedError unless programs, meter, devices and ports are there before anything is started."""
    taken = listening_ports()
    for wanted in processes:
        path = config["programs"][wanted["program"]]
        if not os.access(path, os.X_OK):
            raise RefusedError("{} is not there: '{}' is no program".format(wanted["program"], path), NOT_THERE)
        place = os.path.join(config["sysfs"], wanted["device"], "ports", str(wanted["ib_port"]))
        if not os.path.isdir(place):
            raise RefusedError(f"device {wanted['device']} has no port {wanted['ib_port']} here: there is no {place}", NOT_THERE)
        if wanted["side"] == "server" and wanted["tcp_port"] in taken:
            raise RefusedError(f"TCP port {wanted['tcp_port']} is taken by another program", FAILED)
    if not os.path.isfile(config["meter"]):
        raise RefusedError("the meter is not there: '{}' is no file".format(config["meter"]), NOT_THERE)


def listening_ports():
    """TCP ports on which somebody listens here, by /proc/net."""
    ports = set()
    for name in ("/proc/net/tcp", "/proc/net/tcp6"):
        try:
            with open(name) as file:
                rows = [line.split() for line in file.readlines()[1:]]
        except OSError:
            continue
        ports.update(int(row[1].rsplit(":", 1)[1], 16) for row in rows if len(row) > 3 and row[3] == "0A")
    return ports


def open_listener(tcp_port):
    """A listening socket for IPv6 and IPv4, or for IPv4 alone on hosts without IPv6."""
    try:
        listener = socket.socket(socket.AF_INET6, socket.SOCK_STREAM)
        listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        address = "::"
    except OSError:
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        address = "0.0.0.0"
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.setblocking(False)
    try:
        listener.bind((address, tcp_port))
        listener.listen(16)
    except OSError:
        listener.close()
        raise
    return listener


# ---- What `ibcc hosts check` wants to know


def check(config):
    """(name, value) of each finding."""
    yield "python", platform.python_version()
    yield "kernel", platform.release()
    yield "cpu_count", os.cpu_count()
    yield "programs", {name: probe_program(path) for name, path in sorted(config["programs"].items())}
    yield "meter", probe_meter(config)
    yield "devices", list(devices(config["sysfs"]))
    memlock = None if may_lock_all_memory() else soft_limit(resource.RLIMIT_MEMLOCK)
    yield "limits", dict(limits(config), memlock_bytes=memlock, nofile=soft_limit(resource.RLIMIT_NOFILE))
    yield "run_folder", {"error": run_folder_error(config)}
    yield "setup", setup(config)
    networks, origin = peer_networks(config)
    yield "peers", {"networks": [str(network) for network in networks[:256]], "origin": origin}
    first, last = config["ports"]
    taken = sorted(p for p in listening_ports() if first <= p <= last)
    yield "ports", {"first": first, "last": last, "taken": taken}
    yield "clock", clock_state()


KEYS = "/etc/ssh/authorized_keys.d"


def setup(config):
    """How the agent's user is set up, and what it could write of that which decides what it may do."""
    decisive = [os.path.abspath(__file__), config["meter"], config.get("path", CONFIG), KEYS, os.path.dirname(CONFIG)]
    decisive += config["programs"].values()
    folders = [os.path.dirname(path) for path in decisive]
    writable = sorted({path for path in decisive + folders if os.access(path, os.W_OK)})
    return {"uid": os.geteuid(), "has_config": os.path.exists(config.get("path", CONFIG)), "writable": writable[:16]}


def run_folder_error(config):
    """Returns the reason why every request would be refused, as none could record what it takes, or None."""
    try:
        os.close(open_run_folder(config))
    except RefusedError as refused:
        return str(refused)
    return None


def may_lock_all_memory():
    """Returns True if no limit holds for this process, because it has CAP_IPC_LOCK (bit 14): root usually has."""
    try:
        with open("/proc/self/status") as file:
            return any(line.startswith("CapEff:") and int(line.split()[1], 16) >> 14 & 1 for line in file)
    except (OSError, ValueError):
        return False


def soft_limit(number):
    soft = resource.getrlimit(number)[0]
    return None if soft == resource.RLIM_INFINITY else soft


def probe(argv, variables):
    """(exit code or None, what it printed) of a program that should end at once."""
    worker = os.getpid()
    try:
        done = subprocess.run(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=dict(ENVIRONMENT, **variables),
            cwd="/",
            timeout=10,
            start_new_session=True,
            preexec_fn=functools.partial(confine, worker, [pair for pair in bounds(0, 0) if pair[0] != resource.RLIMIT_NPROC]),
        )
    except (OSError, subprocess.SubprocessError) as error:
        return None, getattr(error, "strerror", None) or type(error).__name__
    return done.returncode, done.stdout[-OUTPUT_BYTES:].decode("utf-8", "replace").strip()


def probe_program(path):
    code, words = probe([path, "--version"], {})
    found = re.search(r"[0-9]+(?:\.[0-9]+)+", words)
    version = found.group() if found else None
    return {"path": path, "version": version, "error": words if code is None else None}


def probe_meter(config):
    """A meter that is loaded refuses a wrong setting by exit code 2, before the program begins."""
    path = config["meter"]
    found = {"path": path, "works": False, "error": None}
    program = next((p for p in config["programs"].values() if os.access(p, os.X_OK)), None)
    if not os.path.isfile(path):
        found["error"] = f"'{path}' is no file"
    elif program is None:
        found["error"] = "there is no program to try it with"
    else:
        code, words = probe([program, "--version"], {"LD_PRELOAD": path, "IBCC_METER_INTERVAL_MS": "0"})
        found["works"] = code == 2 and "IBCC_METER_INTERVAL_MS" in words
        found["error"] = None if found["works"] else words or f"it was not loaded into {program}"
    return found


def devices(sysfs):
    """Each port of each channel adapter that the kernel shows. What it does not show is None."""
    for device in listed(sysfs):
        for number in listed(os.path.join(sysfs, device, "ports")):
            place = os.path.join(sysfs, device, "ports", number)
            gid = first_line(os.path.join(place, "gids", "0"))
            digits = (gid or "").replace(":", "")
            yield {
                "name": device,
                "port": int(number) if number.isdigit() else 0,
                "state": word(first_line(os.path.join(place, "state"))),
                "physical_state": word(first_line(os.path.join(place, "phys_state"))),
                "rate": first_line(os.path.join(place, "rate")),
                "link_layer": first_line(os.path.join(place, "link_layer")),
                "lid": first_line(os.path.join(place, "lid")),
                "gid": gid,
                "port_guid": "0x" + digits[16:] if len(digits) == 32 else None,
                "node_guid": guid(first_line(os.path.join(sysfs, device, "node_guid"))),
            }


def listed(folder):
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def first_line(path):
    try:
        with open(path, errors="replace") as file:
            return file.readline(4096).strip()
    except OSError:
        return None


def word(line):
    """`ACTIVE` of `4: ACTIVE`."""
    return line.rpartition(": ")[2] if line else None


def guid(line):
    return "0x" + line.replace(":", "") if line else None


def clock_state():
    """Returns the state of the kernel's clock: adjtimex(2) with nothing to change."""
    timex = (ctypes.c_long * 64)()
    state = libc.adjtimex(timex)
    max_error_us = int(timex[3])
    source = first_line("/sys/devices/system/clocksource/clocksource0/current_clocksource")
    is_known = state >= 0
    return {
        "is_synchronised": state != 5 if is_known else None,  # TIME_ERROR
        "max_error_us": max_error_us if is_known else None,
        "source": source,
        "wall_ns": time.time_ns(),
    }


# ---- What is in this host: adapters, GPUs, and the links between them and memory. Nothing of it is a serial number


BDF = re.compile(r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")
GPU_VENDORS = ("0x10de", "0x1002", "0x8086")  # of displays: those of a board's management controller are no GPUs
READS_AS_ROOT = "ACS, ATS, payload size, read request size and relaxed ordering of PCIe devices"


def sys_root(config):
    """Where sysfs is: the part of `sysfs` before /class/infiniband."""
    root, found, _rest = config["sysfs"].rpartition("/class/infiniband")
    return root if found else "/sys"


def topology(config):
    """(name, value) of each part."""
    adapters = list(topology_adapters(config))
    gpus = list(topology_gpus(config))
    devices_ = {bdf: pci_facts(bdf, config) for found in adapters + gpus for bdf in found["bridges"]}
    yield "model", host_model(config)
    yield "adapters", adapters
    yield "gpus", gpus
    yield "pci", devices_
    yield "numa_nodes", list(numa_nodes(config))
    yield "iommu", {"on": bool(listed(os.path.join(sys_root(config), "class/iommu")))}
    unread = any(facts["control"] is None for facts in devices_.values())
    yield "not_readable", [{"what": READS_AS_ROOT, "command": "lspci -vvv"}] if unread else []


def host_model(config):
    place = os.path.join(sys_root(config), "class/dmi/id")
    names = (line.partition(":")[2].strip() for line in read_lines("/proc/cpuinfo") if line.startswith("model name"))
    found = {name: first_line(os.path.join(place, name)) for name in ("sys_vendor", "product_name", "board_name")}
    return dict(found, cpu=next(names, None))


def topology_adapters(config):
    for device in listed(config["sysfs"]):
        if config["devices"] is None or device in config["devices"]:
            place = os.path.join(config["sysfs"], device)
            ports = [port for port in devices(config["sysfs"]) if port["name"] == device]
            yield {
                "name": device,
                "type": first_line(os.path.join(place, "hca_type")),
                "board": first_line(os.path.join(place, "board_id")),
                "firmware": first_line(os.path.join(place, "fw_ver")),
                "ports": [{key: port[key] for key in ("port", "state", "rate", "link_layer")} for port in ports],
                "bridges": pci_chain(device, config),
            }


def topology_gpus(config):
    folder = os.path.join(sys_root(config), "bus/pci/devices")
    found = 0
    for bdf in listed(folder):
        kind = first_line(os.path.join(folder, bdf, "class")) or ""
        vendor = first_line(os.path.join(folder, bdf, "vendor"))
        # 0x0302: 3D controllers; 0x0380: others, as AMD's accelerators; 0x0300: displays
        is_gpu = kind.startswith(("0x0302", "0x0380")) or (kind.startswith("0x0300") and vendor in GPU_VENDORS)
        if is_gpu and found < MAX_GPUS:
            found += 1
            yield {"name": bdf, "vendor": vendor, "bridges": chain_of(os.path.join(folder, bdf))}


def pci_chain(device, config):
    """Addresses from the root port to an adapter, both included; [] for one that is no PCI device. Soft RoCE's is the network
    card's that it is on."""
    place = os.path.join(config["sysfs"], device, "device")
    parent = first_line(os.path.join(config["sysfs"], device, "parent"))
    if not os.path.exists(place) and parent and re.fullmatch(NAME, parent):
        place = os.path.join(sys_root(config), "class/net", parent, "device")
    return chain_of(place)


def chain_of(place):
    return [part for part in os.path.realpath(place).split("/") if BDF.fullmatch(part)]


def pci_place(bdf, config):
    return os.path.join(sys_root(config), "bus/pci/devices", bdf)


def pci_facts(bdf, config):
    """What the kernel says of a PCI device or bridge. What it does not say is None."""
    place = pci_place(bdf, config)
    node = whole(first_line(os.path.join(place, "numa_node")))
    names = ("current_link_speed", "current_link_width", "max_link_speed", "max_link_width")
    group = os.path.join(place, "iommu_group")
    return {
        "class": first_line(os.path.join(place, "class")),
        "vendor": first_line(os.path.join(place, "vendor")),
        "device": first_line(os.path.join(place, "device")),
        "numa_node": None if node is None or node < 0 else node,
        "cpus": first_line(os.path.join(place, "local_cpulist")),
        "link": {name: first_line(os.path.join(place, name)) for name in names},
        "errors": {kind: pci_errors(os.path.join(place, "aer_dev_" + kind)) for kind in ("correctable", "nonfatal", "fatal")},
        "iommu_group": os.path.basename(os.path.realpath(group)) if os.path.exists(group) else None,
        "iommu_type": first_line(os.path.join(group, "type")),
        "control": pci_control(os.path.join(place, "config")),
    }


def whole(line):
    return int(line) if line and re.fullmatch(r"-?[0-9]{1,18}", line) else None


def pci_errors(path):
    """The sum that the kernel keeps, TOTAL_ERR_COR or the like."""
    total = next((line.split()[-1] for line in read_lines(path) if line.startswith("TOTAL_")), None)
    return whole(total)


def pci_control(path):
    """Settings in the configuration space, of which only root may read what is behind the first 64 bytes; None then."""
    try:
        with open(path, "rb") as file:
            data = file.read(4096)
    except OSError:
        return None
    if len(data) < 256:
        return None
    found = {"acs": None, "ats": None, "max_payload_bytes": None, "max_read_bytes": None, "relaxed_ordering": None}
    place, seen = data[0x34] & 0xFC, 0
    while 0x40 <= place <= 0xF0 and seen < 48:
        if data[place] == 0x10:  # PCI Express: Device Control is at 8
            control = struct.unpack_from("<H", data, place + 8)[0]
            found["max_payload_bytes"] = 128 << (control >> 5 & 7)
            found["max_read_bytes"] = 128 << (control >> 12 & 7)
            found["relaxed_ordering"] = bool(control & 0x10)
        place, seen = data[place + 1] & 0xFC, seen + 1
    place, seen = 0x100, 0
    while 0x100 <= place <= len(data) - 8 and seen < 96:
        header, control = struct.unpack_from("<I", data, place)[0], struct.unpack_from("<H", data, place + 6)[0]
        if header & 0xFFFF == 0x0D:  # ACS: redirection of requests or completions between peers
            found["acs"] = bool(control & 0x0C)
        elif header & 0xFFFF == 0x0F:
            found["ats"] = bool(control & 0x8000)
        place, seen = header >> 20, seen + 1
    return found


def numa_nodes(config):
    """Each NUMA node with memory or processors, and the socket that it belongs to."""
    place = os.path.join(sys_root(config), "devices/system")
    online = number_list(first_line(os.path.join(place, "node/online")))
    for node in sorted(online):
        folder = os.path.join(place, f"node/node{node}")
        cpus = first_line(os.path.join(folder, "cpulist"))
        first = min(number_list(cpus), default=None)
        package = first_line(os.path.join(place, f"cpu/cpu{first}/topology/physical_package_id"))
        sizes = (line.split() for line in read_lines(os.path.join(folder, "meminfo")) if "MemTotal" in line)
        kib = next((whole(words[-2]) for words in sizes if len(words) >= 2), None)
        yield {"node": node, "cpus": cpus, "socket": whole(package), "memory_bytes": None if kib is None else kib * 1024}


# ---- How much of this host others use: processors, ports, memory


PORT_COUNTERS = ("port_xmit_wait", "port_xmit_discards", "port_rcv_errors", "symbol_error", "link_downed")
HW_COUNTERS = (
    *("out_of_buffer", "rnr_nak_retry_err", "local_ack_timeout_err", "rx_icrc_encapsulated"),
    *("np_ecn_marked_roce_packets", "rp_cnp_handled"),
)
CARD_COUNTERS = re.compile(
    r"outbound_pci_(?:stalled_\w+|buffer_overflow)|rx_pci_signal_integrity|rx_discards_phy|tx_prio[0-7]_pause_duration"
    r"|rx_prio[0-7]_(?:marked|cong_discard)|pci_bw_inbound_high"
)
MEMORY_COMMAND = "perf stat -a -e uncore_imc/cas_count_read/,uncore_imc/cas_count_write/ sleep 1"


def use_sample(config):
    sysfs, root = config["sysfs"], sys_root(config)
    places = [(device, port) for device in listed(sysfs) for port in listed(os.path.join(sysfs, device, "ports"))]
    domains = [name for name in listed(os.path.join(root, "fs/resctrl/mon_data")) if name.startswith("mon_L3_")]
    memory = {name: whole(first_line(os.path.join(root, "fs/resctrl/mon_data", name, "mbm_total_bytes"))) for name in domains}
    return {
        "at": time.monotonic(),
        "cpus": dict(cpu_times()),
        "ports": {place: port_counters(os.path.join(sysfs, place[0], "ports", place[1])) for place in places},
        "memory": {name: value for name, value in memory.items() if value is not None},
        "cards": {name: card_counters(name) for name in sorted(rdma_interfaces(sysfs))[:64]},
    }


def cpu_times():
    """(processor, (ticks it worked, ticks in all)), by /proc/stat."""
    for words in map(str.split, read_lines("/proc/stat")):
        if re.fullmatch("cpu[0-9]+", words[0] if words else ""):
            ticks = [int(word) for word in words[1:9]]
            yield int(words[0][3:]), (sum(ticks) - ticks[3] - ticks[4], sum(ticks))


def port_counters(place):
    """Counters of a port that are there. Data is counted in units of 4 bytes."""
    paths = {name: os.path.join(place, "counters", name) for name in ("port_xmit_data", "port_rcv_data", *PORT_COUNTERS)}
    paths.update((name, os.path.join(place, "hw_counters", name)) for name in HW_COUNTERS)
    found = {name: whole(first_line(path)) for name, path in paths.items()}
    return {name: value for name, value in found.items() if value is not None}


def use_between(first, last, config):
    """(name, value) of each part of what was used between two samples."""
    seconds = max(last["at"] - first["at"], 1e-3)
    yield "seconds", round(seconds, 4)
    yield "cpus", {"busy_share": busy_share(first, last, last["cpus"]), "by_node": dict(busy_by_node(first, last, config))}
    yield "ports", [port_use(place, first["ports"].get(place, {}), now, seconds) for place, now in last["ports"].items()]
    memory = {name: value - first["memory"].get(name, value) for name, value in last["memory"].items()}
    yield "memory_gbps", {name: round(value * 8e-9 / seconds, 3) for name, value in memory.items()} or None
    yield "cards", {name: delta(first["cards"].get(name, {}), now) for name, now in last["cards"].items()}
    missing = [] if memory else [{"what": "how much of the memory's bandwidth is used", "command": MEMORY_COMMAND}]
    bus = {"what": "how much of the bus between sockets is used", "command": "perf stat -a -M upi_data_transmit_bw sleep 1"}
    yield "not_readable", [*missing, bus]


def busy_share(first, last, cpus):
    pairs = [(first["cpus"][cpu], last["cpus"][cpu]) for cpu in cpus if cpu in first["cpus"] and cpu in last["cpus"]]
    total = sum(now[1] - before[1] for before, now in pairs)
    return round(sum(now[0] - before[0] for before, now in pairs) / total, 4) if total > 0 else None


def busy_by_node(first, last, config):
    for found in numa_nodes(config):
        yield str(found["node"]), busy_share(first, last, number_list(found["cpus"]))


def delta(before, now):
    return {name: value - before.get(name, value) for name, value in now.items()}


def port_use(place, before, now, seconds):
    grown = delta(before, now)
    sent, received = (grown.pop(name, None) for name in ("port_xmit_data", "port_rcv_data"))
    rates = [None if units is None else round(units * 4 * 8e-9 / seconds, 4) for units in (sent, received)]
    return {
        "device": place[0],
        "port": whole(place[1]) or 0,
        "sent_gbps": rates[0],
        "received_gbps": rates[1],
        "counters": grown,
    }


SIOCETHTOOL, ETHTOOL_GSSET_INFO, ETHTOOL_GSTRINGS, ETHTOOL_GSTATS, ETH_SS_STATS = 0x8946, 0x37, 0x1B, 0x1D, 1
MAX_CARD_COUNTERS = 16384


def card_counters(interface):
    """Counters of a network card's driver about stalls, drops and pauses, by SIOCETHTOOL (linux/ethtool.h); {} where it has
    none, or the agent may not ask."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
            found = ethtool(asking, interface, struct.pack("=IIQI", ETHTOOL_GSSET_INFO, 0, 1 << ETH_SS_STATS, 0))
            if not struct.unpack_from("=Q", found, 8)[0]:
                return {}
            count = min(struct.unpack_from("=I", found, 16)[0], MAX_CARD_COUNTERS)
            names = ethtool(asking, interface, struct.pack("=III", ETHTOOL_GSTRINGS, ETH_SS_STATS, count) + bytes(32 * count))
            values = ethtool(asking, interface, struct.pack("=II", ETHTOOL_GSTATS, count) + bytes(8 * count))
    except OSError:
        return {}
    labels = [names[12 + 32 * k : 44 + 32 * k].partition(b"\0")[0].decode("ascii", "replace") for k in range(count)]
    numbers = struct.unpack_from(f"={count}Q", values, 8)
    return {label: value for label, value in zip(labels, numbers) if CARD_COUNTERS.fullmatch(label)}


def ethtool(asking, interface, command):
    """The kernel's answer in place of a command. Raises OSError."""
    data = ctypes.create_string_buffer(command, len(command))
    request = struct.pack("16sP", interface.encode("ascii", "replace")[:15], ctypes.addressof(data)) + bytes(16)
    fcntl.ioctl(asking, SIOCETHTOOL, request)
    return data.raw


# ---- Two processes that watch each other


def die_with(parent, number):
    """The calling process gets a signal when its parent ends; it ends if that has happened already."""
    libc.prctl(PR_SET_PDEATHSIG, number)
    if os.getppid() != parent:
        os._exit(FAILED)


def descendants():
    """Pids of all processes that come from this one and have not ended."""
    parents = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    fields_after_name = file.read().rpartition(b")")[2].split()
            except OSError:
                continue
            if fields_after_name[0] not in (b"Z", b"X"):
                parents[int(name)] = int(fields_after_name[1])
    found, grown = {os.getpid()}, True
    while grown:
        grown = {pid for pid, parent in parents.items() if parent in found} - found
        found |= grown
    return found - {os.getpid()}


def has_children():
    """Reaps children that have ended, and returns True if any child lives. Without a child there are no descendants either: a
    process that loses its parent is adopted by this one."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True


def kill_descendants():
    """Kills until none is left, for KILL_S at most. Returns how many are: some may wait for a device that does not answer."""
    until = time.monotonic() + KILL_S
    while has_children():
        left = descendants()
        for pid in left:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        if time.monotonic() > until:
            return len(left)
        time.sleep(0.01)
    return 0


def read_request(wakeup_fd):
    """(line, what came behind it) of standard input. Raises RefusedError."""
    data = b""
    until = time.monotonic() + REQUEST_S
    selector = selectors.DefaultSelector()
    selector.register(wakeup_fd, selectors.EVENT_READ)
    with contextlib.suppress(PermissionError):  # a file, which can always be read
        selector.register(0, selectors.EVENT_READ)
    while b"\n" not in data:
        if len(data) > MAX_REQUEST_BYTES:
            raise RefusedError(f"the request is longer than {MAX_REQUEST_BYTES} bytes")
        if len(selector.get_map()) == 2:
            ready = [key.fd for key, _events in selector.select(max(0.0, until - time.monotonic()))]
            if not ready:
                raise RefusedError(f"no request came within {REQUEST_S:g} s")
            if 0 not in ready:
                raise RefusedError("stopped by a signal before a request came")
        more = os.read(0, 65536)
        if not more:
            raise RefusedError("standard input ended before a whole line")
        data += more
    line, _newline, early = data.partition(b"\n")
    if len(line) > MAX_REQUEST_BYTES:
        raise RefusedError(f"the request is longer than {MAX_REQUEST_BYTES} bytes")
    return line, early


def work(config_path, scope):
    """The worker's life. Returns the exit code."""
    wakeup_read, wakeup_write = os.pipe()
    os.set_blocking(wakeup_write, False)
    os.set_blocking(wakeup_read, False)
    signal.set_wakeup_fd(wakeup_write, warn_on_full_buffer=False)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD):
        signal.signal(number, lambda number, frame: None)
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1)
    out = Out(1)
    out.event(
        "hello",
        version=VERSION,
        host=socket.gethostname(),
        pid=os.getpid(),
        wall_ns=time.time_ns(),
        mono_ns=time.monotonic_ns(),
        boot_id=first_line("/proc/sys/kernel/random/boot_id"),
        scope=scope,
    )
    code, job = FAILED, None
    try:
        config = read_config(config_path)
        line, early = read_request(wakeup_read)
        job = Work(out, wakeup_read, config, parse_request(line, config, time.time_ns()), early, scope)
        code = job.carry_out()
    except RefusedError as refused:
        code = refused.code
        out.event("error", id=None, sentence=str(refused))
    except Exception as error:  # of ours: told like any other, and everything is ended all the same
        out.event("error", id=None, sentence=f"the agent failed: {type(error).__name__}: {shown(str(error))}")
    left = kill_descendants()
    if job is not None and job.share is not None:
        job.share.give_back()
    out.event("done", left=left)
    out.finish(TERM_S)
    return code


def guard(worker):
    """Waits for the worker, hands signals on to it, and kills what it has left. Returns the exit code."""
    step_back(worker)
    while True:
        try:
            pid, status = os.wait()
        except ChildProcessError:
            return FAILED
        if pid == worker:
            kill_descendants()
            return FAILED if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def step_back(child):
    """Signals are the child's from now on, and so are standard input and output: whoever reads them must see them end when it
    ends."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda number, frame: os.kill(child, signal.SIGTERM))
    silence = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1):
        os.dup2(silence, fd)
    os.close(silence)


# ---- A scope of systemd's, where it gives one


def no_scope(why):
    return {"kind": "none", "unit": None, "why": why, "memory_bytes": None, "oom_kills": 0}


def scope_command(config):
    """([program and first arguments], environment) that starts something in a scope of its own. Raises RefusedError, and says why
    there is none. Without `systemd_run`, only where systemd runs this host."""
    program, uid = config["systemd_run"], os.geteuid()
    manager = "--system" if uid == 0 else "--user"
    if program == "none":
        raise RefusedError(set_in(config, "systemd_run") + " is none")
    if program is None:
        program = "/usr/bin/systemd-run"
        if not os.path.isdir("/run/systemd/system"):  # as sd_booted(3) has it
            raise RefusedError("systemd does not run this host")
        if any("slurm" in line for line in read_lines("/proc/self/cgroup")):
            raise RefusedError("it runs in a job of Slurm's, whose own control group bounds and ends it")
        if uid and not os.path.isdir(f"/run/user/{uid}/systemd"):
            raise RefusedError("this user has no manager of systemd's, which `loginctl enable-linger` gives")
    if not os.access(program, os.X_OK):
        raise RefusedError(f"there is no program {program}")
    return [program, manager, "--scope", "--quiet", "--collect"], dict(ENVIRONMENT, XDG_RUNTIME_DIR=f"/run/user/{uid}")


def scope_properties(config):
    """(MemoryMax, all properties): what all agents may take together, and what interpreters and programs need besides."""
    allowed = limits(config)
    memory = allowed["max_bytes"] + (32 << 20) * allowed["max_processes"] + (1 << 30)
    tasks = 64 + TASKS_EACH * allowed["max_processes"]
    seconds = int(allowed["max_seconds"] + REQUEST_S + TERM_S + KILL_S + 60)
    return memory, [f"MemoryMax={memory}", f"TasksMax={tasks}", "OOMPolicy=continue", f"RuntimeMaxSec={seconds}"]


def scope_groups(unit):
    """Folders of the control groups of this process that are the scope's."""
    found = []
    with contextlib.suppress(OSError), open("/proc/self/cgroup") as file:
        for _number, names, path in (line.rstrip("\n").split(":", 2) for line in file):
            if path.endswith("/" + unit):
                # Version 2 alone, version 2 beside 1, and version 1.
                places = ("", "unified") if not names else (names.replace("name=", ""),)
                found += [folder for place in places if os.path.isdir(folder := os.path.join("/sys/fs/cgroup", place) + path)]
    return found


def oom_kills(scope):
    """Returns how often the kernel has killed processes in the scope because its memory was full."""
    for folder in scope_groups(scope["unit"]) if scope["unit"] else ():
        line = next((words for words in read_lines(os.path.join(folder, "memory.events")) if words.startswith("oom_kill ")), None)
        if line is not None:
            return int(line.split()[1])
    return 0


def read_lines(path):
    try:
        with open(path, errors="replace") as file:
            return file.read(65536).splitlines()
    except OSError:
        return []


def end_groups(folders):
    """Kills all that is in control groups, for KILL_S at most."""
    until = time.monotonic() + KILL_S
    for folder in folders:
        with contextlib.suppress(OSError), open(os.path.join(folder, "cgroup.kill"), "w") as file:
            file.write("1")
        # Older kernels have no cgroup.kill.
        while (left := [int(pid) for pid in read_lines(os.path.join(folder, "cgroup.procs"))]) and time.monotonic() < until:
            for pid in left:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.01)


def warden(config, config_path):
    """Starts the agent anew in a scope, waits for it, and ends what it has left there, which is something only when both its
    processes were killed. Returns (exit code, None), or (None, why there is no scope)."""
    try:
        command, variables = scope_command(config)
        properties = scope_properties(config)[1]
    except RefusedError as refused:
        return None, str(refused)
    why = ""
    # systemd below 253 does not know the third for scopes, below 244 not the fourth.
    for known in (properties, [*properties[:2], properties[3]], properties[:2]):
        words = [word for one in known for word in ("-p", one)]
        code, why = _in_scope(command + words, variables, config_path)
        if code is not None:
            return code, None
    return None, why


def _in_scope(command, variables, config_path):
    """One try of `warden`."""
    unit = f"ibcc-agent-{os.getpid()}-{time.monotonic_ns()}.scope"
    begun, tell = os.pipe()
    errors = os.memfd_create("errors")
    mine = [sys.executable, "-IS", os.path.abspath(__file__), "--in-scope", unit, str(tell)]
    own = os.getpid()
    try:
        child = subprocess.Popen(
            [*command, "--unit=" + unit, "--", *mine, *([] if config_path is None else ["--config", config_path])],
            env=variables,
            stderr=errors,
            pass_fds=[tell],
            preexec_fn=lambda: die_with(own, signal.SIGTERM),
        )
    except (OSError, subprocess.SubprocessError) as error:
        os.close(begun)
        os.close(errors)
        return None, f"{command[0]} cannot be started: {error}"
    finally:
        os.close(tell)
    selector = selectors.DefaultSelector()
    selector.register(begun, selectors.EVENT_READ)
    is_there = selector.select(SCOPE_WAIT_S)
    folders = os.read(begun, 65536).decode("utf-8", "replace").splitlines() if is_there else []
    os.close(begun)
    if not folders:
        # Before it has read anything: whoever comes next finds standard input as it was.
        child.kill()
        child.wait()
        said = shown(os.pread(errors, 200, 0).decode("utf-8", "replace").strip())
        os.close(errors)
        return None, f"{command[0]} did not start it in {SCOPE_WAIT_S:g} s" if not is_there else f"{command[0]} says {said}"
    step_back(child.pid)
    status = child.wait()
    end_groups(folders[1:])
    with contextlib.suppress(OSError):  # the last words, if it had any, for whoever reads standard error
        os.write(2, os.pread(errors, 4096, 0))
    os.close(errors)
    return (FAILED if status < 0 else status), None


def enter_scope(unit, tell, config):
    """Says to the warden that the agent runs, and where. Returns what the coordinator is told of the scope."""
    folders = scope_groups(unit)
    try:
        os.write(tell, "\n".join(["begun", *folders, ""]).encode())
    except OSError:
        sys.exit(FAILED)  # the warden could not tell, and would start another one
    os.close(tell)
    if not folders:
        return no_scope("systemd-run has started it, but not in a scope")
    kind = "systemd, for the system" if os.geteuid() == 0 else "systemd, for the user"
    scope = {"kind": kind, "unit": unit, "why": None, "memory_bytes": scope_properties(config)[0]}
    return dict(scope, oom_kills=oom_kills(scope))


def main(argv):
    if argv[1:] == ["--version"]:
        print("ibcc_agent " + VERSION)
        return DONE
    words = argv[1:]
    unit, tell = (words[1], int(words[2])) if words[:1] == ["--in-scope"] and len(words) >= 3 else (None, None)
    words = words[3:] if unit else words
    if len(words) not in (0, 2) or (words and words[0] != "--config"):
        print("usage: ibcc_agent.py [--config FILE]", file=sys.stderr)
        return BAD_REQUEST
    config_path = words[1] if words else None
    scope = no_scope("the configuration cannot be read")
    with contextlib.suppress(RefusedError):  # which the worker finds too, and tells
        config = read_config(config_path)
        if unit is None:
            code, why = warden(config, config_path)
            if code is not None:
                return code
            scope = no_scope(why)
        else:
            scope = enter_scope(unit, tell, config)
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1)
    parent = os.getpid()
    worker = os.fork()
    if worker:
        return guard(worker)
    os.setsid()
    die_with(parent, signal.SIGTERM)
    return work(config_path, scope)


if __name__ == "__main__":
    sys.exit(main(sys.argv))
