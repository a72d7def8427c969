# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What the agents of a host take of it together. Each says it in a file, and holds a lock on that as long as it or one of its
programs lives."""

import contextlib
import errno
import fcntl
import json
import os
import stat
import time

from ibcc_agent.configuration import CONFIG, set_in
from ibcc_agent.limits import UNITS, limits, taken_by
from ibcc_agent.values import FAILED, RefusedError, parse_json

# In turn; the first that is there, or can be made, and is this user's. The last one is for hosts that were not set up.
RUN_FOLDERS = ("/run/ibcc-agent", "/run/user/{uid}/ibcc-agent", "/tmp/ibcc-agent-{uid}")
ROOM_WAIT_S = 5.0  # longest wait for what others of this host hold: those of a run before are about to end


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
