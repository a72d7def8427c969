# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Programs that run, and standard output, which tells of them."""

import contextlib
import functools
import json
import os
import selectors
import subprocess
import time

from ibcc_agent.confinement import bounds, confine, near_cpus
from ibcc_agent.limits import process_bytes
from ibcc_agent.requests import PROCESS
from ibcc_agent.values import RefusedError, parse_json

MAX_LINE_BYTES = 1 << 16
MAX_UNREAD_BYTES = 8 << 20
OUTPUT_BYTES = 2048
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C"}


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
