# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What `ibcc hosts check` says of a host's set-up."""

from typing import Any

import pytest

from tuner.hosts.host_setup import setup_findings, unreachable_remedy

GOOD: dict[str, Any] = {"uid": 990, "has_config": True, "writable": []}


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"uid": 0, "writable": ["/etc/ibcc"]}, "its agent runs as root"),
        ({"writable": ["/usr/lib/ibcc/ibcc_agent.py", "/etc/ibcc"]}, "can write to /usr/lib/ibcc/ibcc_agent.py, /etc/ibcc"),
        ({"has_config": False}, "it has no agent.json"),
    ],
)
def test_each_thing_is_told_once(changes: dict[str, Any], sentence: str) -> None:
    (finding,) = setup_findings({**GOOD, **changes})
    assert sentence in finding.sentence
    assert finding.what == "setup"
    assert not finding.is_fault


def test_a_host_that_is_set_up_and_an_older_agent_have_none() -> None:
    assert setup_findings(GOOD) == setup_findings(None) == []


@pytest.mark.parametrize(
    ("why", "remedy"),
    [
        ("ibcc@n1: Permission denied (publickey).", "put ibcc's public key into /etc/ssh/authorized_keys.d/ibcc there"),
        ("python3: can't open file '/usr/lib/ibcc/ibcc_agent.py': [Errno 2]", "install the package ibcc-host"),
        ("ssh: connect to host n1 port 22: Connection refused", "try the launcher by hand"),
    ],
)
def test_what_to_do_about_a_host_that_is_not_reached(why: str, remedy: str) -> None:
    assert unreachable_remedy(why).startswith(remedy)
