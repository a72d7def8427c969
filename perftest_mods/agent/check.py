# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""This module answers what `ibcc hosts check` asks."""

import ctypes
import functools
import os
import platform
import re
import resource
import subprocess
import time

from ibcc_agent.configuration import CONFIG
from ibcc_agent.confinement import bounds, confine
from ibcc_agent.devices import devices
from ibcc_agent.kernel_files import first_line, listening_ports
from ibcc_agent.limits import limits
from ibcc_agent.peers import peer_networks
from ibcc_agent.processes import libc
from ibcc_agent.programs import ENVIRONMENT, OUTPUT_BYTES
from ibcc_agent.share import open_run_folder
from ibcc_agent.values import RefusedError


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
