# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The meter under Debian's stock programs, on soft RoCE in a virtual machine: real verbs, real completions.

An emulated processor sends some tenths of a gigabit a second, and its timers are late: nothing here is about how fast or how
punctual it is, but about what the lines say of it.
"""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.perftest_mods.vm.machine import Machine

pytestmark = pytest.mark.thorough  # an emulated machine takes a minute of CPU to boot

INTERVAL_NS = 100_000_000
Line = dict[str, Any]

# A function of bash for each side of a flow. Ports in /proc/net/tcp are hexadecimal, and 0A is LISTEN. A nap changes $!, so the
# server is remembered.
PRELUDE = """
export LD_PRELOAD=$METER
nap() { read -rt "$1" <> <(:); }
listening() {
    local port
    printf -v port ':%04X ' "$1"
    until ! kill -0 $server || [[ $(< /proc/net/tcp)$(< /proc/net/tcp6) =~ $port[^:]+:0000\\ 0A ]]; do nap 0.05; done
}
server() {
    IBCC_METER_OUTPUT=/tmp/$1.server IBCC_METER_ID=$1.server "${@:3}" >/tmp/$1.server.out 2>&1 &
    server=$!
    listening "$2"
}
client() { IBCC_METER_OUTPUT=/tmp/$1.client IBCC_METER_ID=$1.client "${@:2}" >/tmp/$1.client.out 2>&1; }
rm -f /tmp/*.server /tmp/*.client /tmp/*.out
"""


def run(machine: Machine, meter: Path, script: str, names: Sequence[str]) -> dict[str, tuple[list[Line], str]]:
    """The lines and the output of each side of each flow, as "NAME.server" and "NAME.client"."""
    show = "".join(
        f"; echo '@@ {name}.{side}'; cat /tmp/{name}.{side}; echo @@; cat /tmp/{name}.{side}.out"
        for name in names
        for side in ("server", "client")
    )
    finished = machine.run(f"{PRELUDE}\n{script}\nunset LD_PRELOAD{show}", environment={"METER": str(meter)})
    found = re.findall(r"^@@ (\S+)\n(.*?)^@@\n(.*?)(?=^@@|\Z)", finished.output, re.MULTILINE | re.DOTALL)
    assert len(found) == 2 * len(names), finished.output
    return {name: ([json.loads(line) for line in lines.splitlines()], output) for name, lines, output in found}


def check(lines: list[Line], reason: str = "exit") -> Line:
    """What holds of every program's lines: deadlines on their grid, true lengths, and sums. Its totals."""
    start, *intervals, final = lines
    assert (start["kind"], final["kind"], final["reason"]) == ("start", "final", reason)
    assert final["error"] is None
    began = start["mono_ns"] + start["start_ns"] - start["wall_ns"]
    until = max(began, start["mono_ns"])
    for line in intervals:
        assert line["kind"] == "interval"
        assert line["length_ns"] == line["mono_ns"] - until
        until = line["mono_ns"]
        seconds = line["length_ns"] / 1e9
        gbps = 8e-9 * (line["completed_bytes"] + line["received_bytes"]) / seconds if seconds else 0.0
        assert line["gbps"] == pytest.approx(gbps, abs=1e-6)
        assert line["posted_bytes"] >= 0
    for line in intervals[:-1]:
        assert line["late_ns"] >= 0
        assert (line["mono_ns"] - line["late_ns"] - began) % INTERVAL_NS == 0
    totals: Line = final["totals"]
    for key, total in totals.items():
        assert sum(line[key] for line in intervals) == total
    assert intervals[-1]["total_completed_bytes"] == totals["completed_bytes"]
    assert intervals[-1]["total_received_bytes"] == totals["received_bytes"]
    return totals


def transports(lines: list[Line]) -> set[str]:
    """Those that intervals name; one that is over before the program has made a queue pair names none."""
    return {line["transport"] for line in lines[1:-1]} - {None}


def reported_bytes(output: str) -> int:
    """Returns what perftest's table reports: bytes of a message times iterations."""
    found = re.search(r"#bytes +#iterations.*\n +(\d+) +(\d+) ", output)
    assert found, output
    return int(found[1]) * int(found[2])


@pytest.mark.parametrize(
    ("program", "sends", "receives"),
    [
        ("ib_write_bw", ("client", "completed_bytes"), None),
        ("ib_send_bw", ("client", "completed_bytes"), ("server", "received_bytes")),
        ("ib_read_bw", ("client", "received_bytes"), None),
    ],
)
def test_stock_perftest_is_counted_to_the_byte(
    rxe_vm: Machine, meter: Path, program: str, sends: tuple[str, str], receives: tuple[str, str] | None
) -> None:
    options = "-d rxe0 -F -s 32768 -n 600 -p 18600"
    sides = run(rxe_vm, meter, f"server a 18600 {program} {options}; client a {program} {options} 127.0.0.1; wait", ["a"])
    for side in (sends, receives):
        if side:
            lines, output = sides[f"a.{side[0]}"]
            totals = check(lines)
            assert totals[side[1]] == pytest.approx(reported_bytes(output), rel=0.01)
            assert totals[side[1]] == 600 * 32768
    assert sides["a.client"][0][0]["device"] == "rxe0"
    assert sides["a.client"][0][0]["id"] == "a.client"
    assert "duplicate_request" in sides["a.client"][0][-2]["counters"]


def test_programs_of_libibverbs_itself_are_counted_by_both_interfaces(rxe_vm: Machine, meter: Path) -> None:
    """ibv_rc_pingpong sends as many messages as it receives; -N has it use ibv_wr_send and its like."""
    script = """
    for kind in 'rc old ibv_rc_pingpong' 'new new ibv_rc_pingpong -N' 'uc old ibv_uc_pingpong' 'ud old ibv_ud_pingpong'; do
        set -- $kind
        server $1 18610 "${@:3}" -d rxe0 -g 1 -p 18610 -n 50 -s 1024
        client $1 "${@:3}" -d rxe0 -g 1 -p 18610 -n 50 -s 1024 127.0.0.1
        wait
    done
    """
    for name, (lines, output) in run(rxe_vm, meter, script, ["rc", "new", "uc", "ud"]).items():
        totals = check(lines)
        assert totals["completed_bytes"] == totals["received_bytes"] == 50 * 1024, f"{name}: {output}"
        assert totals["completed_messages"] == totals["received_messages"] == 50
        kind = name.split(".")[0]
        assert transports(lines) == {{"new": "RC"}.get(kind, kind.upper())}


def test_two_flows_at_once_start_on_time_and_follow_their_schedules(rxe_vm: Machine, meter: Path) -> None:
    """Both are held until the same moment; one sends in a burst, the other at a rate; the meter ends both."""
    options = "-d rxe0 -F -s 4096 -D 100 -t 16"
    script = f"""
    server a 18620 ib_write_bw {options} -p 18620
    server b 18621 ib_write_bw {options} -p 18621
    export IBCC_METER_START_NS=$(( $(date +%s%N) + 6000000000 )) IBCC_METER_STOP_S=1.5
    IBCC_METER_SCHEDULE=0=max,0.5=off,1=max client a ib_write_bw {options} -p 18620 127.0.0.1 &
    first=$!
    IBCC_METER_SCHEDULE=0=0.004 client b ib_write_bw {options} -p 18621 127.0.0.1
    echo $? >/tmp/b.code
    wait $first; echo $? >/tmp/a.code; wait
    [ "$(cat /tmp/a.code /tmp/b.code)" = $'0\\n0' ] && ! pgrep -x ib_write_bw && echo both ended >>/tmp/a.client.out
    """
    sides = run(rxe_vm, meter, script, ["a", "b"])
    bursts = check(sides["a.client"][0], "stop")
    paced = check(sides["b.client"][0], "stop")
    assert "both ended" in sides["a.client"][1]
    assert bursts["completed_bytes"] > 0
    # 0.5 kB a ms for 1500 ms, 1 ms caught up and one message in advance.
    assert 0 < paced["posted_bytes"] <= 1.501 * 500_000 + 2 * 4096
    start = sides["a.client"][0][0]
    began = start["mono_ns"] + start["start_ns"] - start["wall_ns"]
    assert start["start_ns"] == sides["b.client"][0][0]["start_ns"]
    for line in sides["a.client"][0][1:-1]:
        since, until = line["mono_ns"] - line["length_ns"] - began, line["mono_ns"] - began
        # A thread of an emulated processor may close the gate late; a second half of the pause is none too soon.
        if since >= 750_000_000 and until <= 1_000_000_000:
            assert line["posted_bytes"] == 0


def test_term_at_any_moment_leaves_no_process_and_a_last_line_that_can_be_read(rxe_vm: Machine, meter: Path) -> None:
    """From before the first queue pair until well into the traffic; a program without queue pairs says nothing."""
    moments = ("nap 0.05", "spoken", "spoken; nap 1.1")
    script = "mkdir -p /tmp/term; rm -f /tmp/term/*\n" + "".join(
        f"""
        spoken() {{ until [ -s /tmp/term/{number} ] || ! kill -0 $one; do nap 0.01; done; }}
        server t {18630 + number} ib_write_bw -d rxe0 -F -D 60 -p {18630 + number}; other=$server
        IBCC_METER_OUTPUT=/tmp/term/{number} ib_write_bw -d rxe0 -F -D 60 -p {18630 + number} 127.0.0.1 >/dev/null 2>&1 & one=$!
        {moment}
        kill -TERM $one; wait $one; echo "code $?" >>/tmp/term/codes
        kill -TERM $other 2>/dev/null; wait
        """
        for number, moment in enumerate(moments)
    )
    finished = rxe_vm.run(
        f"{PRELUDE}\n{script}\nunset LD_PRELOAD; pgrep -x ib_write_bw && echo left; cat /tmp/term/codes; cd /tmp/term\n"
        'for file in [0-9]; do echo "file $file"; cat $file; done',
        environment={"METER": str(meter)},
    )
    assert "left" not in finished.output
    assert finished.output.count("code 143") == len(moments), finished.output
    _, *files = re.split(r"^file \d\n", finished.output, flags=re.MULTILINE)
    spoke = 0
    for text in files:
        lines = [json.loads(line) for line in text.splitlines()]
        if lines:
            spoke += 1
            check(lines, "SIGTERM")
    assert spoke >= 2


def test_a_wrong_setting_ends_the_program_with_one_sentence(rxe_vm: Machine, meter: Path) -> None:
    finished = rxe_vm.run("LD_PRELOAD=$METER ibv_devices", environment={"METER": str(meter), "IBCC_METER_SCHEDULE": "0=fast"})
    assert finished.code == 2
    assert finished.output.strip() == (
        "libibcc_meter: IBCC_METER_SCHEDULE has the step '0=fast'; "
        "SECONDS=RATE with a rate of max, off or Gb/s up to 10000 would be right"
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "transport"), [("-c UD", "UD"), ("-c UC", "UC"), ("--use_old_post_send", "RC"), ("-Q 16 -q 2", "RC")]
)
def test_other_transports_and_options_of_perftest(rxe_vm: Machine, meter: Path, options: str, transport: str) -> None:
    words = f"-d rxe0 -F -s 1024 -n 320 -p 18640 {options}"
    sides = run(rxe_vm, meter, f"server a 18640 ib_send_bw {words}; client a ib_send_bw {words} 127.0.0.1; wait", ["a"])
    lines, output = sides["a.client"]
    totals = check(lines)
    assert totals["completed_bytes"] == reported_bytes(output)
    assert transports(lines) == {transport}
