#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""ibcc's host agent: runs perftest under ibcc's meter on a compute node, for one request, and leaves nothing behind.

One request, a line of JSON, comes on standard input; lines of JSON go to standard output. docs/hosts.md describes both. The agent
is meant as a forced command in authorized_keys: it looks at neither its environment nor SSH_ORIGINAL_COMMAND, and its only
option, --config, is the administrator's. What may run is named in /etc/ibcc/agent.json. A request chooses among that, and every
value of it is checked against a type and a range before it stands behind an option of its own in a list of arguments; no shell is
involved.

Nothing is left behind because two processes watch each other. The first, the guard, does nothing but wait; the second, the
worker, does the work. Both adopt what their programs leave, each ends when the other does, and whoever remains kills all
descendants, also those that have left their process group and ignore SIGTERM. Standard input's end means that the coordinator
is gone, and ends everything.

One file, Python 3.8 or later, standard library only.
"""

import contextlib
import ctypes
import json
import math
import os
import platform
import re
import resource
import selectors
import signal
import socket
import subprocess
import sys
import time

VERSION = "0.1.0"
CONFIG = "/etc/ibcc/agent.json"
DEFAULTS = {
    "programs": {name: "/usr/bin/" + name for name in ("ib_write_bw", "ib_send_bw", "ib_read_bw")},
    "meter": "/usr/lib/ibcc/libibcc_meter.so",
    "devices": None,
    "max_seconds": 3600,
    "max_processes": 64,
    "ports": [18515, 20000],
    "sysfs": "/sys/class/infiniband",
}
MAX_REQUEST_BYTES = 1 << 20
MAX_LINE_BYTES = 1 << 16
MAX_UNREAD_BYTES = 8 << 20
OUTPUT_BYTES = 2048
REQUEST_S = 30.0
TERM_S = 2.0
KILL_S = 5.0
LISTEN_POLL_S = 0.02
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


NAME = r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}"
REQUIRED = object()
port = integer(1024, 65535)
peer = text(r"(?=.{1,253}\Z)[A-Za-z0-9:][A-Za-z0-9._:-]*(?:%[A-Za-z0-9_]{1,15})?", "a host's name or address")

# By key: the check, what stands where it is left out, and perftest's option for it (`perftest --help`; the same in all versions).
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
    """What one line asks for, checked whole: {"op": ..., ...}. Raises RefusedError."""
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


def parse_run(request, config, now_ns):
    known = {
        "time_limit_s": (number(1, config["max_seconds"]), config["max_seconds"], None),
        "processes": (lambda v, _: v, REQUIRED, None),
    }
    found = fields(request, of_op(known), "run")
    if not isinstance(found["processes"], list) or not 1 <= len(found["processes"]) <= config["max_processes"]:
        raise RefusedError(f"run.processes must be a list of 1 to {config['max_processes']} processes")
    found["processes"] = [
        parse_process(process, config, now_ns, f"run.processes[{i}]") for i, process in enumerate(found["processes"])
    ]
    for key, taken in (("id", found["processes"]), ("tcp_port", [p for p in found["processes"] if p["side"] == "server"])):
        values = [process[key] for process in taken]
        twice = next((value for value in values if values.count(value) > 1), None)
        if twice is not None:
            raise RefusedError(f"run.processes have the {key} {shown(twice)} twice")
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
    latest = config["max_seconds"]
    if process["stop_s"] > latest:
        raise RefusedError("{}.stop_s is {}; {:g} at most is allowed".format(where, shown(process["stop_s"]), latest))
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
}


def parse_config(values):
    """The administrator's settings over the defaults. Raises RefusedError."""
    if not isinstance(values, dict) or not set(values) <= set(DEFAULTS):
        raise RefusedError("the configuration must be an object with keys among {}".format(", ".join(DEFAULTS)))
    config = dict(DEFAULTS, **values)
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
    integer(1, 1024)(config["max_processes"], "max_processes")
    ports = config["ports"]
    if not isinstance(ports, list) or len(ports) != 2 or not all(port(p, "ports") for p in ports) or ports[0] > ports[1]:
        raise RefusedError(f"ports is {shown(ports)}; the first and the last port are expected")
    return config


def read_config(path):
    """Of a file; without it, where none was named, the defaults."""
    try:
        with open(path or CONFIG, "rb") as file:
            return parse_config(parse_json(file.read(1 << 20)))
    except FileNotFoundError:
        if path is None:
            return dict(DEFAULTS)
        raise RefusedError(f"the configuration '{path}' does not exist") from None
    except OSError as error:
        raise RefusedError(f"the configuration '{path or CONFIG}' cannot be read: {error.strerror}") from None
    except RefusedError as error:
        raise RefusedError(f"the configuration '{path or CONFIG}': {error}") from None


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
        """Waits so long at most for what is left."""
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

    def __init__(self, wanted, config):
        self.id, self.is_server, self.tcp_port = wanted["id"], wanted["side"] == "server", wanted["tcp_port"]
        self.is_listening = False
        self.words = b""
        self.rest = b""
        self.has_told_nonsense = False
        self.meter_fd, meter_end = os.pipe()
        worker = os.getpid()
        try:
            self.popen = subprocess.Popen(
                command_line(wanted, config),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env=environment(wanted, config, meter_end),
                cwd="/",
                pass_fds=[meter_end],
                start_new_session=True,
                preexec_fn=lambda: die_with(worker, signal.SIGKILL),
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
        """What is in the pipes by now, up to 1 MiB each: others may hold their ends open, and write on."""
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

    def __init__(self, out, wakeup_fd, config, request, early):
        self.out, self.config, self.request = out, config, request
        self.code = DONE
        self.programs = {}
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
            for program in self.programs.values():
                program.signal(signal.SIGTERM)
        self._look_whether_over()

    def _look_whether_over(self):
        waits = self.request["op"] in ("clock", "listen") and self.kill_at is None
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
        self.out.event("check", **dict(check(self.config)))
        self.end()

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
        self.out.event("accepted", address=str(address[0]))

    def _connect(self):
        began = time.monotonic()
        try:
            socket.create_connection((self.request["peer"], self.request["tcp_port"]), timeout=5.0).close()
        except (OSError, UnicodeError) as error:
            why = getattr(error, "strerror", None) or str(error)
            where = f"{self.request['peer']}, port {self.request['tcp_port']},"
            raise RefusedError(f"{where} cannot be reached: {why}", FAILED) from None
        self.out.event("connected", milliseconds=round((time.monotonic() - began) * 1e3, 3))
        self.end()

    def _run(self):
        require_there(self.request["processes"], self.config)
        for wanted in self.request["processes"]:
            try:
                program = Program(wanted, self.config)
            except OSError as error:
                raise RefusedError("{} cannot be started: {}".format(wanted["program"], error.strerror), FAILED) from None
            except subprocess.SubprocessError as error:
                raise RefusedError("{} cannot be started: {}".format(wanted["program"], error), FAILED) from None
            self.programs[program.pid] = program
            for fd in (program.meter_fd, program.words_fd):
                self.selector.register(fd, selectors.EVENT_READ, lambda fd, program=program: self._on_output(program, fd))
            self.out.event("started", id=program.id, pid=program.pid)
        self._reap()

    def _on_output(self, program, fd):
        if program.read(fd, self.out) == 0:
            self.selector.unregister(fd)

    def _find_listening(self):
        ports = listening_ports()
        for program in self.programs.values():
            if program.is_server and not program.is_listening and program.tcp_port in ports:
                program.is_listening = True
                self.out.event("listening", id=program.id, tcp_port=program.tcp_port)

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
        if status:
            self.code = max(self.code, FAILED)
            self.out.event("output", id=program.id, text=program.words.decode("utf-8", "replace"))
        if os.WIFSIGNALED(status):
            self.out.event("ended", id=program.id, exit_code=None, signal=signal.Signals(os.WTERMSIG(status)).name)
        else:
            self.out.event("ended", id=program.id, exit_code=os.WEXITSTATUS(status), signal=None)


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
    yield "limits", {"memlock_bytes": memlock, "nofile": soft_limit(resource.RLIMIT_NOFILE)}
    first, last = config["ports"]
    taken = sorted(p for p in listening_ports() if first <= p <= last)
    yield "ports", {"first": first, "last": last, "taken": taken}
    yield "clock", clock_state()


def may_lock_all_memory():
    """Whether no limit holds for this process, as it has CAP_IPC_LOCK (bit 14): root usually has."""
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
            preexec_fn=lambda: die_with(worker, signal.SIGKILL),
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
    """What the kernel says of its clock: adjtimex(2) with nothing to change."""
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
    """Whether any child lives, of those that are not reaped by this. Without one there are no descendants either: what loses its
    parent is adopted by this process."""
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


def work(config_path):
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
    )
    code = FAILED
    try:
        config = read_config(config_path)
        line, early = read_request(wakeup_read)
        code = Work(out, wakeup_read, config, parse_request(line, config, time.time_ns()), early).carry_out()
    except RefusedError as refused:
        code = refused.code
        out.event("error", id=None, sentence=str(refused))
    except Exception as error:  # of ours: told like any other, and everything is ended all the same
        out.event("error", id=None, sentence=f"the agent failed: {type(error).__name__}: {shown(str(error))}")
    out.event("done", left=kill_descendants())
    out.finish(TERM_S)
    return code


def guard(worker):
    """Waits for the worker, hands signals on to it, and kills what it has left. Returns the exit code."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda number, frame: os.kill(worker, signal.SIGTERM))
    silence = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1):  # which are the worker's now: whoever reads them must see them end when it ends
        os.dup2(silence, fd)
    while True:
        try:
            pid, status = os.wait()
        except ChildProcessError:
            return FAILED
        if pid == worker:
            kill_descendants()
            return FAILED if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def main(argv):
    if argv[1:] == ["--version"]:
        print("ibcc_agent " + VERSION)
        return DONE
    if len(argv) not in (1, 3) or (len(argv) == 3 and argv[1] != "--config"):
        print("usage: ibcc_agent.py [--config FILE]", file=sys.stderr)
        return BAD_REQUEST
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1)
    parent = os.getpid()
    worker = os.fork()
    if worker:
        return guard(worker)
    os.setsid()
    die_with(parent, signal.SIGTERM)
    return work(argv[2] if len(argv) == 3 else None)


if __name__ == "__main__":
    sys.exit(main(sys.argv))
