# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A scope of systemd's, where it gives one."""

import contextlib
import os
import selectors
import signal
import subprocess
import sys
import time

from ibcc_agent.configuration import set_in
from ibcc_agent.confinement import TASKS_EACH
from ibcc_agent.kernel_files import read_lines
from ibcc_agent.limits import limits
from ibcc_agent.processes import KILL_S, TERM_S, die_with, step_back
from ibcc_agent.programs import ENVIRONMENT
from ibcc_agent.requests import REQUEST_S
from ibcc_agent.values import FAILED, RefusedError, shown

SCOPE_WAIT_S = 5.0


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
