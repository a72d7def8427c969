# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The timer and the service of checks under systemd itself, in a virtual machine."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.perftest_mods.vm import machine as vm

pytestmark = pytest.mark.slow

CHECK = """ibcc_check: 1
name: site
fabric: two-switch
kinds:
- {kind: fairness, workload: scenario-1, profile: gran-2010, time_scale: 0.02}
"""
SET_UP = """set -e
useradd --system --home-dir /var/lib/ibcc/service --shell /usr/sbin/nologin ibcc
mkdir -p /opt/ibcc/bin /etc/ibcc/checks
ln -s PROGRAM /opt/ibcc/bin/ibcc
cat >/etc/ibcc/checks/site.yaml <<'END'
CHECK
END
cp UNITS/ibcc-check@.service UNITS/ibcc-check@.timer UNITS/ibcc-handover@.service /etc/systemd/system/
# OpenSM with the plugin ran before, which makes its folder so.
install -d -m 0755 /var/lib/ibcc
install -d -m 0700 /var/lib/ibcc/opensm
systemctl daemon-reload
"""


@pytest.fixture(scope="module")
def machine(root: Path, ibcc: Path) -> Iterator[vm.Machine]:
    try:
        started = vm.start(root / "build/vm", memory_mib=1024, manager="systemd")
    except vm.NoImageError as error:
        pytest.skip(str(error))
    try:
        script = SET_UP.replace("CHECK\n", CHECK).replace("PROGRAM", str(ibcc)).replace("UNITS", str(root / "configs/systemd"))
        done = started.run(script)
        assert done.code == 0, done.output
        yield started
    finally:
        started.close()


def nights(machine: vm.Machine) -> list[dict[str, str]]:
    history = machine.run("runuser -u ibcc -- /opt/ibcc/bin/ibcc check history /etc/ibcc/checks/site.yaml --output json")
    assert history.code == 0, history.output
    found: list[dict[str, str]] = json.loads(history.output)
    return found


def test_the_service_runs_a_night_in_its_confinement(machine: vm.Machine) -> None:
    done = machine.run("systemctl start ibcc-check@site; systemctl show -p Result --value ibcc-check@site")
    journal = machine.run("journalctl -u ibcc-check@site -o cat --no-pager").output
    assert (done.code, done.output.split()) == (0, ["success"]), journal
    assert "learning: 1 of 10 nights" in journal
    (night,) = nights(machine)
    assert night["state"] == "pass"
    owned = machine.run("stat --format '%U %a' /var/lib/ibcc/checks /var/lib/ibcc/checks/site/*.json").output.split("\n")
    assert owned[:2] == ["ibcc 700", "ibcc 600"]


def test_the_folders_of_the_plugin_and_of_the_units_stay_their_owners(machine: vm.Machine) -> None:
    """The plugin is not loaded where its state folder is another user's, and a service cannot use what is root's."""
    machine.run("systemctl start ibcc-check@site")
    done = machine.run(
        "systemctl start ibcc-handover@localhost; systemctl show -p ExecMainStatus --value ibcc-handover@localhost"
    )
    assert done.output.split()[-1] == "3", done.output  # nobody answers there
    owners = machine.run("cd /var/lib/ibcc; stat --format '%n %U %a' . opensm handover checks").output.splitlines()
    assert owners == [". root 755", "opensm root 700", "handover root 700", "checks ibcc 700"]
    done = machine.run("systemctl start ibcc-check@site; systemctl show -p Result --value ibcc-check@site")
    assert done.output.split() == ["success"]


def test_the_timer_runs_a_night_and_one_that_was_missed(machine: vm.Machine) -> None:
    """The machine is off over a night: the timer is stopped, and the clock is set on."""
    before = len(nights(machine))
    machine.run("""set -e
    mkdir -p /etc/systemd/system/ibcc-check@site.timer.d
    printf '[Timer]\\nRandomizedDelaySec=0\\nAccuracySec=1s\\n' >/etc/systemd/system/ibcc-check@site.timer.d/at-once.conf
    systemctl daemon-reload
    date -s '2027-03-01 04:16:55'
    systemctl start ibcc-check@site.timer""")
    machine.run(waiting_for(before + 1))
    assert nights(machine)[-1]["date"] == "2027-03-01"
    machine.run("systemctl stop ibcc-check@site.timer; date -s '2027-03-02 09:30:00'; systemctl start ibcc-check@site.timer")
    machine.run(waiting_for(before + 2))
    assert [night["date"] for night in nights(machine)][-2:] == ["2027-03-01", "2027-03-02"]


def waiting_for(count: int) -> str:
    return f"""for i in $(seq 100); do
        [ $(ls /var/lib/ibcc/checks/site/*.json | wc -l) = {count} ] && ! systemctl is-active ibcc-check@site && exit
        sleep 0.5
    done
    journalctl -u ibcc-check@site -o cat --no-pager"""


def test_what_is_stopped_in_the_middle_leaves_no_process_and_no_half_night(machine: vm.Machine) -> None:
    before = nights(machine)
    machine.run("sed -i 's/time_scale: .*}/time_scale: 10}/' /etc/ibcc/checks/site.yaml")
    done = machine.run("""
    systemctl stop ibcc-check@site.timer
    systemctl start --no-block ibcc-check@site
    until [ -s /var/lib/ibcc/checks/.lock ] && pgrep -u ibcc >/dev/null; do sleep 0.2; done
    sleep 5
    systemctl stop ibcc-check@site
    pgrep -u ibcc; systemctl show -p ActiveState --value ibcc-check@site""")
    assert done.output.split()[0] in ("inactive", "failed"), done.output
    assert nights(machine) == before
