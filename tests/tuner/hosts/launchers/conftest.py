# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.perftest_mods.agent.agent_process import AGENT, PYTHON, configuration
from tests.tuner.hosts.launchers import slurm_cluster, ssh_server
from tuner.document_base.model import build_model
from tuner.documents.inventory import Inventory
from tuner.hosts.launchers.base import Launcher, open_launcher


@dataclass(frozen=True)
class Site:
    """A launcher of some kind, with the agent's stand-ins at its other end."""

    document: dict[str, object]

    def inventory(self) -> Inventory:
        return build_model(Inventory, self.document)

    def launcher(self) -> Launcher:
        inventory = self.inventory()
        return open_launcher(inventory.launcher, inventory.agent.command)


@pytest.fixture(scope="session")
def slurm() -> Iterator[dict[str, str]]:
    """An allocation of nodes n1 to n7, as environment variables."""
    require(slurm_cluster.missing())
    with slurm_cluster.allocation(7) as environment:
        yield environment


def require(reason: str | None) -> None:
    """Skips without what a test needs; under continuous integration it fails."""
    if reason is not None:
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)


@pytest.fixture(params=["local", "ssh", pytest.param("srun", marks=pytest.mark.slow)])
def site(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    programs = {behaviour: str(tmp_path / behaviour) for behaviour in ("obedient", "stubborn")}
    config = configuration(tmp_path, ports=[1024, 65535], programs=programs)
    command = [PYTHON, "-IS", str(AGENT), "--config", str(config)]
    if request.param == "local":
        yield Site(document({"kind": "local"}, command))
        return
    if request.param == "srun":
        for key, value in request.getfixturevalue("slurm").items():
            monkeypatch.setenv(key, value)
        yield Site(document({"kind": "srun"}, command))
        return
    require(ssh_server.missing())
    folder = tmp_path / "ssh"
    folder.mkdir()
    with ssh_server.serving(folder, command) as server:
        # What ssh is asked to run does not matter: the key may run the agent only.
        launcher = {"kind": "ssh", "target": "127.0.0.1", "options": server.options, "connect_timeout_s": 60}
        yield Site(document(launcher, ["/bin/sh", "-c", "echo hacked"]))


def document(launcher: dict[str, object], command: list[str]) -> dict[str, object]:
    return {
        "ibcc_inventory": 1,
        "name": "site",
        "fabric": "two-switch",
        "launcher": launcher,
        "agent": {"command": command},
        "hosts": [{"nodes": "n[1-64]", "address": "127.0.0.1"}],
    }
