# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Whether a worker still lives, as its neighbours see it."""

import os
import subprocess
import sys

from api.base.process_identity import is_gone, own_identity


def test_oneself_is_there() -> None:
    assert not is_gone(own_identity())


def test_a_killed_process_is_gone_before_anybody_has_waited_for_it() -> None:
    """A zombie has no work any more."""
    code = "from api.base.process_identity import own_identity; print(own_identity(), flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        identity = process.stdout.readline().strip()
        assert not is_gone(identity)
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert is_gone(identity)


def test_a_process_that_has_the_same_number_later_is_another() -> None:
    host, pid, start, nonce = own_identity().split("|")
    assert is_gone("|".join((host, pid, str(int(start) - 1), nonce)))


def test_of_other_machines_nobody_here_can_tell() -> None:
    _, pid, start, nonce = own_identity().split("|")
    assert not is_gone("|".join(("elsewhere", pid, str(int(start) - 1), nonce)))
