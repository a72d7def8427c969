# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What docs/operate/hosts.md says of the agent and of inventories is so."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.perftest_mods.agent.agent_process import AGENT
from tests.tuner.hosts.launchers.ssh_server import make_separation_folder
from tuner.documents.inventory import Inventory, load_inventory
from tuner.hosts import host_check, host_setup


@pytest.fixture(scope="module")
def page(root: Path) -> str:
    return (root / "docs/operate/hosts.md").read_text()


@pytest.fixture(scope="module")
def agent() -> Any:
    spec = importlib.util.spec_from_file_location("ibcc_agent_of_docs", AGENT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_configuration_shown_is_the_agents_own(page: str, agent: Any, root: Path) -> None:
    (shown,) = re.findall(r"^```json\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert json.loads(shown) == agent.DEFAULTS
    assert (root / "configs/hosts/agent.json").read_text() == shown
    rows = re.findall(r"^\| `(\w+)` \|", page.partition("| key | meaning |")[2].partition("\n\n")[0], re.MULTILINE)
    assert rows == list(agent.DEFAULTS)


def test_the_limits_are_told_as_the_agent_has_them(page: str, agent: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    told = page.partition("| name | unit | default | range | is |")[2].partition("\n\n")[0]
    rows = dict(re.findall(r"^\| `(\w+)` \| [^|]+ \| ([^|]+) \|", told, re.MULTILINE))
    assert set(rows) == set(agent.default_limits())
    monkeypatch.setattr(agent, "memory_bytes", lambda: 4000)
    for cores, qps, programs in ((1, 4096, 128), (64, 16384, 128), (128, 32768, 256), (1024, 65536, 1024)):
        monkeypatch.setattr(agent.os, "cpu_count", lambda cores=cores: cores)
        assert agent.default_limits() == {"max_bytes": 1000, "max_qps": qps, "max_processes": programs, "max_seconds": 3600}
    assert rows["max_bytes"] == "a quarter of the host's memory"
    assert rows["max_qps"] == "256 for each core, 4096 to 65536"
    assert rows["max_processes"] == "2 for each core, 128 to 1024"
    assert rows["max_seconds"] == "3600"


def test_sshd_takes_the_block_shown_and_gives_the_user_no_more(page: str, tmp_path: Path) -> None:
    sshd = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if sshd is None:
        pytest.skip("no sshd: Debian's package openssh-server has it")
    (shown,) = re.findall(r"^```sshd\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    make_separation_folder()
    key, config = tmp_path / "key", tmp_path / "sshd_config"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    config.write_text(f"HostKey {key}\n{shown}")

    def effective(user: str) -> set[str]:
        asked = [sshd, "-T", "-f", str(config), "-C", f"user={user},host=h,addr=127.0.0.1"]
        return set(subprocess.run(asked, check=True, capture_output=True, text=True).stdout.splitlines())

    assert {
        "authorizedkeysfile /etc/ssh/authorized_keys.d/%u", "authenticationmethods publickey", "disableforwarding yes",
        "permittty no", "permituserrc no", "clientaliveinterval 10",
        "forcecommand /usr/bin/python3 -IS /usr/lib/ibcc/ibcc_agent.py",
    } <= effective("ibcc")  # fmt: skip
    assert "permittty yes" in effective("other")


def test_the_inventory_shown_is_one(page: str, tmp_path: Path) -> None:
    (shown,) = re.findall(r"^```yaml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    path = tmp_path / "site.yaml"
    path.write_text(shown)
    inventory = load_inventory(path)
    assert isinstance(inventory, Inventory)
    assert len(inventory.by_node) == 19
    assert inventory.find("big2 HCA-2").address == "big2-ib"


def test_every_request_and_every_value_of_a_process_is_told(page: str, agent: Any) -> None:
    assert set(re.findall(r'^\| `\{"op":"(\w+)"', page, re.MULTILINE)) == set(agent.OPERATIONS)
    told = page.partition("| key | values | becomes |")[2].partition("\n\n")[0]
    keys = {key for row in re.findall(r"^\|([^|]*)\|", told, re.MULTILINE) for key in re.findall(r"`(\w+)`", row)}
    assert keys == set(agent.PROCESS)
    for _check, _default, option in agent.PROCESS.values():
        assert option is None or f"`{option}`" in told


def test_every_finding_of_the_check_is_told(page: str) -> None:
    told = page.partition("| what | is a fault when |")[2].partition("\n\n")[0]
    cells = {word for row in re.findall(r"^\|([^|]*)\|", told, re.MULTILINE) for word in re.findall(r"`(\w+)`", row)}
    texts = [Path(str(module.__file__)).read_text() for module in (host_check, host_setup)]
    found = {what for text in texts for what in re.findall(r'Finding\(\s*"(\w+)"', text)}
    assert cells == found
