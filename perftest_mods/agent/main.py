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

Python 3.8 or later, standard library only. Hosts get one file, which join.py makes of the modules of this folder.
"""

import contextlib
import os
import selectors
import signal
import socket
import sys
import time

from ibcc_agent.configuration import read_config
from ibcc_agent.kernel_files import first_line
from ibcc_agent.processes import PR_SET_CHILD_SUBREAPER, TERM_S, die_with, kill_descendants, libc, step_back
from ibcc_agent.programs import Out
from ibcc_agent.requests import REQUEST_S, parse_request
from ibcc_agent.scope import enter_scope, no_scope, warden
from ibcc_agent.values import BAD_REQUEST, DONE, FAILED, RefusedError, shown
from ibcc_agent.work import Work

VERSION = "0.2.0.dev0"
MAX_REQUEST_BYTES = 1 << 20


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
