# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Whether a host was set up as docs/operate/hosts.md says: by the package `ibcc-host`, and by an administrator."""

from collections.abc import Mapping
from typing import Any

from tuner.hosts.checked_host import Finding

_PACKAGE = "install the package ibcc-host, or run /usr/lib/ibcc/ibcc_host_setup apply, as root"


def setup_findings(setup: Mapping[str, Any] | None) -> list[Finding]:
    """`setup`: of the agent's `check`; None from agents that do not tell it. Raises what a wrong one leads to."""
    if setup is None:
        return []
    findings = []
    if setup["uid"] == 0:
        sentence = "its agent runs as root, so a hole in perftest would give the whole host away"
        findings.append(Finding("setup", sentence, f"{_PACKAGE}, and have the launcher log in as the user ibcc", is_fault=False))
    elif setup["writable"]:
        paths = ", ".join(str(path) for path in setup["writable"][:3])
        sentence = f"its agent's user can write to {paths}, and so decide what the agent may do"
        findings.append(Finding("setup", sentence, "give these to root, and let nobody else write to them", is_fault=False))
    if not setup["has_config"]:
        sentence = "it has no agent.json, so all defaults hold"
        findings.append(Finding("setup", sentence, f"{_PACKAGE}; or write /etc/ibcc/agent.json", is_fault=False))
    return findings


def unreachable_remedy(why: str) -> str:
    """Advice for a host whose agent did not answer, by what the launcher says."""
    if "Permission denied" in why or "Too many authentication failures" in why:
        return "put ibcc's public key into /etc/ssh/authorized_keys.d/ibcc there, after installing the package ibcc-host"
    if "No such file" in why or "not found" in why or "can't open file" in why:
        return _PACKAGE
    return "try the launcher by hand, such as ssh NODE, and check that the agent is installed there"
