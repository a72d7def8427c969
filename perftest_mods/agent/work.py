# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""This module carries out one request in an event loop that nothing holds up."""

import contextlib
import os
import re
import selectors
import signal
import socket
import subprocess
import time

from ibcc_agent.check import check
from ibcc_agent.confinement import TASKS_EACH, require_placeable, tasks_of_user
from ibcc_agent.kernel_files import listening_ports
from ibcc_agent.limits import limits
from ibcc_agent.peers import allowed_address, is_within, peer_networks
from ibcc_agent.processes import KILL_S, TERM_S
from ibcc_agent.programs import Program
from ibcc_agent.scope import oom_kills
from ibcc_agent.share import Share
from ibcc_agent.topology import topology
from ibcc_agent.use import use_between, use_sample
from ibcc_agent.values import DONE, FAILED, NOT_THERE, RefusedError

LISTEN_POLL_S = 0.02


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
