# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What makes a host ready, below another root, with programs that write down how they are called; and the Ansible role."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.tuner.hosts.launchers.ssh_server import make_separation_folder

SETUP = Path(__file__).resolve().parents[3] / "perftest_mods/agent/ibcc_host_setup"
OURS = ("etc/security/limits.d/ibcc.conf", "etc/tmpfiles.d/ibcc-agent.conf", "etc/ssh/sshd_config.d/ibcc.conf")


class Machine:
    """`has_user`: until userdel is called."""

    def __init__(self, folder: Path, *, has_user: bool = False) -> None:
        self.root, self.programs, self.calls = folder / "root", folder / "bin", folder / "calls"
        (self.root / "proc").mkdir(parents=True)
        (self.root / "proc/meminfo").write_text("MemTotal:       67108864 kB\nMemFree: 1 kB\n")
        self.programs.mkdir()
        self.user = folder / "user"
        if has_user:
            self.user.touch()
        self.program("useradd", f'echo useradd "$@" >>{self.calls}; touch {self.user}')
        self.program("userdel", f'echo userdel "$@" >>{self.calls}; rm {self.user}')
        self.program("getent", f"test -e {self.user}")
        self.program("systemctl", f'echo systemctl "$@" >>{self.calls}; test "$3" = ssh.service || test "$1" = reload')

    def program(self, name: str, script: str) -> None:
        (self.programs / name).write_text(f"#!/bin/sh\n{script}\n")
        (self.programs / name).chmod(0o755)

    def run(self, word: str) -> subprocess.CompletedProcess[str]:
        path = f"{self.programs}:/usr/sbin:/usr/bin:/bin"
        return subprocess.run(
            ["/bin/sh", SETUP, word], env={"PATH": path, "IBCC_ROOT": str(self.root)}, capture_output=True, text=True
        )

    def files(self) -> dict[str, str]:
        found = {str(path.relative_to(self.root)): path.read_text() for path in self.root.rglob("*") if path.is_file()}
        return {name: text for name, text in found.items() if name.startswith("etc/")}

    def told(self) -> list[str]:
        return self.calls.read_text().splitlines() if self.calls.exists() else []


def test_it_makes_user_limits_lock_folder_and_sshd_s_part_and_takes_all_back(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    done = machine.run("apply")
    assert done.returncode == 0, done.stderr
    assert set(machine.files()) == set(OURS)
    assert "ibcc - memlock 16777216" in machine.files()[OURS[0]]
    assert "d /run/ibcc-agent 0700 ibcc ibcc" in machine.files()[OURS[1]]
    assert machine.told()[0] == "useradd --system --no-create-home --home-dir / --shell /bin/sh --password * ibcc"
    assert (machine.root / "etc/ssh/authorized_keys.d").stat().st_mode & 0o777 == 0o755
    assert "put ibcc's public key into /etc/ssh/authorized_keys.d/ibcc" in done.stderr
    first = machine.files()
    assert machine.run("apply").returncode == 0
    assert machine.files() == first
    assert machine.run("undo").returncode == 0
    assert machine.files() == {}
    assert not machine.user.exists()
    assert not (machine.root / "etc/ssh/authorized_keys.d").exists()
    assert not (machine.root / "var/lib/ibcc-host").exists()
    assert machine.told().count("useradd --system --no-create-home --home-dir / --shell /bin/sh --password * ibcc") == 1


def test_what_an_administrator_has_made_stays(tmp_path: Path) -> None:
    machine = Machine(tmp_path, has_user=True)
    (machine.root / "etc/ssh/authorized_keys.d").mkdir(parents=True)
    limits = machine.root / OURS[0]
    limits.parent.mkdir(parents=True)
    limits.write_text("ibcc - memlock unlimited\n")
    done = machine.run("apply")
    assert "/etc/security/limits.d/ibcc.conf is an administrator's and stays as it is" in done.stderr
    sshd = machine.root / OURS[2]
    sshd.write_text(sshd.read_text().partition("\n")[2])  # without the line that says whose it is
    assert machine.run("undo").returncode == 0
    assert set(machine.files()) == {OURS[0], OURS[2]}
    assert limits.read_text() == "ibcc - memlock unlimited\n"
    assert machine.user.exists()
    assert (machine.root / "etc/ssh/authorized_keys.d").is_dir()


def test_a_key_stays_and_a_user_that_is_busy_is_told(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.run("apply")
    (machine.root / "etc/ssh/authorized_keys.d/ibcc").write_text("restrict ssh-ed25519 AAAA ibcc\n")
    machine.program("userdel", "exit 8")
    done = machine.run("undo")
    assert done.returncode == 0
    assert "authorized_keys.d is not empty and stays" in done.stderr
    assert "user ibcc is still running something" in done.stderr
    assert set(machine.files()) == {"etc/ssh/authorized_keys.d/ibcc"}


def test_sshd_is_reloaded_where_it_runs(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.run("apply")
    assert ("systemctl reload ssh.service" in machine.told()) == (shutil.which("sshd", path="/usr/sbin:/usr/bin") is not None)


def test_another_word_is_refused(tmp_path: Path) -> None:
    done = Machine(tmp_path).run("remove")
    assert (done.returncode, done.stderr) == (2, "ibcc_host_setup: 'remove' is no command; apply and undo are\n")


def test_the_files_are_those_of_the_page(tmp_path: Path, root: Path) -> None:
    page = (root / "docs/operate/hosts.md").read_text()
    machine = Machine(tmp_path)
    machine.run("apply")
    files = machine.files()
    (sshd,) = re.findall(r"^```sshd\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert files[OURS[2]].partition("\n")[2] == sshd
    assert "ibcc - memlock 16777216\nibcc - nproc   4096\n" in page
    assert files[OURS[0]].partition("\n")[2] == "ibcc - memlock 16777216\nibcc - nproc   4096\n"
    assert files[OURS[1]].splitlines()[1] in page


def test_sshd_takes_the_part_and_gives_others_no_less(tmp_path: Path) -> None:
    sshd = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if sshd is None:
        pytest.skip("no sshd: Debian's package openssh-server has it")
    machine = Machine(tmp_path)
    machine.run("apply")
    make_separation_folder()
    key, config = tmp_path / "key", tmp_path / "sshd_config"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    config.write_text(f"Include {machine.root}/etc/ssh/sshd_config.d/*.conf\nHostKey {key}\nPermitTTY yes\n")

    def effective(user: str) -> set[str]:
        asked = [sshd, "-T", "-f", str(config), "-C", f"user={user},host=h,addr=127.0.0.1"]
        return set(subprocess.run(asked, check=True, capture_output=True, text=True).stdout.splitlines())

    assert {"permittty no", "forcecommand /usr/bin/python3 -IS /usr/lib/ibcc/ibcc_agent.py"} <= effective("ibcc")
    assert {"permittty yes", "forcecommand none"} <= effective("other")


def test_the_ansible_role_writes_the_page_s_key_line_and_names_each_step(root: Path) -> None:
    role = root / "configs/hosts/ansible/ibcc_host"
    tasks = yaml.safe_load((role / "tasks/main.yml").read_text())
    settings = yaml.safe_load((role / "defaults/main.yml").read_text())
    used = set(re.findall(r"\bibcc_host_\w+", (role / "tasks/main.yml").read_text())) - {"ibcc_host_writable"}
    assert used == set(settings)
    modules = [next(key for key in task if key.startswith("ansible.builtin.")) for task in tasks]
    assert all(task["name"] for task in tasks)
    assert len(modules) == len(tasks)
    (key_task,) = (task for task in tasks if "key" in task["name"])
    content = key_task["ansible.builtin.copy"]["content"]
    page = (root / "docs/operate/hosts.md").read_text()
    assert content.partition("{{")[0] + "ssh-ed25519 AAAA… ibcc" in page
    assert "install the package" in " ".join(task["name"].lower() for task in tasks)
