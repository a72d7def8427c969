# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Nights of a fabric with a fault each."""

from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import pytest

from tests.tuner.checks.links.fake_fabric import FakeFabric
from tests.tuner.checks.links.nights import Nights, only, values
from tuner.checks.decisions import DecisionKind, Decisions
from tuner.checks.expected import Expected
from tuner.mads.request import GET, SET

DAY_S = 86_400
TICKS_A_DAY = 2**32 - 2
"""Nearly the largest PortXmitWait that PortCounters shows."""


@pytest.fixture
def nights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Nights]:
    """Nights of a fabric, of which the first one is over."""

    def begin(fabric: FakeFabric | None = None, **options: object) -> Nights:
        begun = Nights(fabric or FakeFabric(), tmp_path, monkeypatch, **options)
        first = begun.night()
        assert first.not_run is None
        assert first.findings == ()
        return begun

    return begin


def test_a_first_night_has_no_rates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = Nights(FakeFabric(), tmp_path, monkeypatch).night()
    found = values(seen)
    assert (found["links"], found["links_gone"], found["unread_ports"]) == (8, 0, 0)
    assert (found["error_links"], found["flaps"], found["worst_wait_share"]) == (None, None, None)
    assert "there is no earlier reading" in seen.facts[-1]


def test_a_quiet_night_has_nothing_to_report(nights: Callable[..., Nights]) -> None:
    begun = nights()
    seen = begun.night()
    assert seen.findings == ()
    assert values(seen)["error_links"] == 0
    assert all(request.method == GET for request in begun.fabric.sent)


def test_one_mad_is_sent_for_each_port(nights: Callable[..., Nights]) -> None:
    begun = nights()
    # Ports, devices, PortSamplesControl of switches, and PortXmitData of switches' ports to hosts.
    assert len(begun.fabric.sent) == 16 + 8 + 2 + 6


def test_a_cable_that_was_pulled_is_a_finding_until_it_is_back(nights: Callable[..., Nights]) -> None:
    begun = nights()
    before = [dict(row) for row in begun.fabric.rows]
    begun.fabric.pull(1, 36)
    for _ in range(2):
        seen = begun.night()
        finding = only(seen)
        assert (finding.code, finding.severity) == ("link-gone", "fail")
        assert finding.place == "leaf 1/36 – leaf 2/36"
        assert finding.evidence == "leaf 1/36 is down (polling); leaf 2/36 is down (polling)"
        assert finding.next_step.startswith("iblinkinfo --line -G 0x")
        assert values(seen)["links_gone"] == 1
    begun.fabric.rows[:] = before
    assert begun.night().findings == ()


def test_a_cable_that_was_moved_says_to_where(nights: Callable[..., Nights]) -> None:
    begun = nights()
    moved, host = begun.fabric.row(1, 36), begun.fabric.row(10, 1)
    begun.fabric.pull(2, 36)
    moved.update(peer_guid=host["guid"], peer_port=1, state="active", width="4x", speed="EDR")
    begun.fabric.pull(1, 1)
    host.update(peer_guid=moved["guid"], peer_port=36, state="active", width="4x", speed="EDR")
    seen = begun.night().findings
    assert {finding.severity for finding in seen} == {"fail"}  # the host's too: it is somewhere else
    evidence = {finding.place: finding.evidence for finding in seen}
    assert evidence["leaf 1/36 – leaf 2/36"] == "leaf 1/36 is connected to node10 mlx5_0/1; leaf 2/36 is down (polling)"


def test_a_node_that_is_gone_takes_its_links_along(nights: Callable[..., Nights]) -> None:
    begun = nights(FakeFabric(hosts=30))
    begun.fabric.rows[:] = [row for row in begun.fabric.rows if row["lid"] != 2 and not 20 <= row["lid"] < 50]
    for port in (35, 36):
        begun.fabric.row(1, port).update(state="down", peer_guid=None, peer_port=None)
    seen = begun.night()
    assert values(seen)["links_gone"] == 32
    assert [one.sentence for one in seen.findings] == [
        "link leaf 1/35 – leaf 2/35 is gone",
        "link leaf 1/36 – leaf 2/36 is gone",
        "30 hosts at leaf 2 are gone, such as node20 mlx5_0",
    ]


def test_links_between_switches_are_never_those_that_are_cut(nights: Callable[..., Nights]) -> None:
    begun = nights(FakeFabric(hosts=8))
    for lid in (10, 11, 12, 20, 21, 22):  # of each switch less than a rack
        begun.fabric.rows[:] = [row for row in begun.fabric.rows if row["lid"] != lid]
    begun.fabric.pull(1, 36)
    found = begun.night().findings
    assert [one.place for one in found][:1] == ["leaf 1/36 – leaf 2/36"]
    assert len(found) == 7


@pytest.mark.parametrize(("hosts", "code"), [(1, "link-gone"), (5, "hosts-gone")])
def test_a_host_that_is_off_is_a_warning_and_is_no_fault_when_it_is_back(
    nights: Callable[..., Nights], hosts: int, code: str
) -> None:
    begun = nights(FakeFabric(hosts=8))
    before = [dict(row) for row in begun.fabric.rows]
    for lid in range(10, 10 + hosts):
        begun.fabric.rows[:] = [row for row in begun.fabric.rows if row["lid"] != lid]
        begun.fabric.row(1, lid - 9).update(state="down", peer_guid=None, peer_port=None)
    told = [only(begun.night()) for _ in range(4)]
    assert {one.code for one in told} == {code}
    assert [one.severity for one in told] == ["warn"] * 4
    assert [one.sentence.count("since 2026-01-03") for one in told] == [0, 1, 1, 1]
    begun.fabric.rows[:] = before
    assert begun.night().findings == ()
    begun.fabric.rows[:] = [row for row in before if row["lid"] != 10]
    assert only(begun.night()).severity == "warn"


def test_a_host_that_was_taken_away_is_no_fault_once_a_person_accepts_a_night_without_it(nights: Callable[..., Nights]) -> None:
    begun = nights()
    begun.fabric.rows[:] = [row for row in begun.fabric.rows if row["lid"] != 10]
    begun.fabric.row(1, 1).update(state="down", peer_guid=None, peer_port=None)
    assert [only(begun.night()).severity for _ in range(2)] == ["warn", "warn"]
    begun.accept()
    assert begun.night().findings == ()
    assert begun.night().findings == ()


def test_a_link_that_has_lost_lanes_fails_though_its_ends_enable_no_more(nights: Callable[..., Nights]) -> None:
    begun = nights()
    for lid in (1, 2):
        begun.fabric.row(lid, 35).update(width="1x", width_enabled="1x")
        begun.fabric.row(lid, 36).update(speed="QDR", speed_enabled="QDR", speed_supported="QDR")
    for _ in range(2):
        narrow, slow = sorted(begun.night().findings, key=lambda one: one.code)
        assert (narrow.code, narrow.severity) == ("link-narrow", "fail")
        assert narrow.sentence == "link leaf 1/35 – leaf 2/35 is narrow: 1x, and was 4x on 2026-01-02"
        assert slow.sentence == "link leaf 1/36 – leaf 2/36 is slow: QDR, and was EDR on 2026-01-02"


@pytest.mark.parametrize(
    ("changes", "code", "severity", "part"),
    [
        ({"speed": "QDR"}, "link-slow", "fail", "QDR, while both ends have EDR enabled"),
        ({"speed": "QDR", "speed_enabled": "QDR"}, "link-slow", "warn", "QDR, while both ends support EDR, which is not enabled"),
        ({"width": "1x"}, "link-narrow", "fail", "1x, while both ends have 4x enabled"),
        ({"width": "1x", "width_enabled": "1x"}, "link-narrow", "warn", "1x, while both ends support 4x, which is not enabled"),
    ],
)
def test_a_link_below_what_both_ends_can_is_a_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: dict[str, str], code: str, severity: str, part: str
) -> None:
    begun = Nights(FakeFabric(), tmp_path, monkeypatch)
    for lid in (1, 2):
        begun.fabric.row(lid, 35).update(changes)
    seen = begun.night()
    finding = only(seen)
    assert (finding.code, finding.severity, finding.place) == (code, severity, "leaf 1/35 – leaf 2/35")
    assert part in finding.sentence
    assert finding.next_step == "smpquery portinfo 1 35"
    assert values(seen)["slow_links" if code == "link-slow" else "narrow_links"] == 1


def test_an_end_that_cannot_do_better_is_no_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun = Nights(FakeFabric(), tmp_path, monkeypatch)
    begun.fabric.row(1, 1).update(speed="QDR")
    begun.fabric.row(10, 1).update(speed="QDR", speed_enabled="QDR", speed_supported="QDR")
    assert begun.night().findings == ()


@pytest.mark.parametrize("factor", [0.9, 1.1])
def test_symbol_errors_are_judged_by_the_rate_of_bits(nights: Callable[..., Nights], factor: float) -> None:
    begun = nights(FakeFabric(speed="QDR"))  # 32 Gb/s, so that IBA allows 2,764.8 a day
    begun.fabric.count(1, 35, SymbolErrorCounter=int(2764.8 * factor))
    seen = begun.night()
    assert values(seen)["error_links"] == (1 if factor > 1 else 0)
    if factor > 1:
        assert "SymbolErrorCounter has grown by 3041 within 24.0 h (127 an hour, the limit is 115)" in only(seen).evidence
        assert only(seen).next_step == "perfquery 1 35"


@pytest.mark.parametrize(
    ("counter", "limit"), [("PortRcvErrors", 10), ("LinkErrorRecoveryCounter", 10), ("PortXmitDiscards", 100)]
)
def test_other_errors_are_judged_by_their_number_a_day(nights: Callable[..., Nights], counter: str, limit: int) -> None:
    begun = nights()
    begun.fabric.count(20, 1, **{counter: limit})
    assert begun.night().findings == ()
    begun.fabric.count(20, 1, **{counter: limit + 1})
    assert only(begun.night()).code == "link-errors"


def test_errors_of_a_night_are_not_those_of_the_next(nights: Callable[..., Nights]) -> None:
    """The rates are since the last reading, though that night was not good."""
    begun = nights()
    begun.fabric.count(20, 1, PortRcvErrors=5000)
    assert only(begun.night()).code == "link-errors"
    assert begun.night().findings == ()


def test_a_counter_at_its_end_counts_as_at_least_that(nights: Callable[..., Nights]) -> None:
    begun = nights()
    begun.fabric.count(20, 1, LinkErrorRecoveryCounter=300)
    seen = begun.night()
    assert "has grown by at least 255" in only(seen).evidence
    assert seen.facts[1] == (
        "1 counter of 1 port at the largest value, of no meaning for tonight; `clear_saturated: true` clears them"
    )
    assert begun.night().findings == ()


def test_counters_at_their_end_are_cleared_if_that_is_wanted(nights: Callable[..., Nights]) -> None:
    begun = nights(clear_saturated=True)
    begun.fabric.count(20, 1, LinkErrorRecoveryCounter=300, PortRcvErrors=3)
    begun.night()
    assert begun.fabric.counters[20, 1] | {} == {"LinkErrorRecoveryCounter": 0, "PortRcvErrors": 3}
    assert sum(request.method == SET for request in begun.fabric.sent) == 1
    begun.fabric.count(20, 1, LinkErrorRecoveryCounter=40)
    assert "has grown by 40 " in only(begun.night()).evidence


@pytest.mark.parametrize(("downs", "severity"), [(1, "warn"), (3, "fail")])
def test_a_link_that_went_down_and_came_up_is_a_finding(nights: Callable[..., Nights], downs: int, severity: str) -> None:
    begun = nights()
    for lid in (1, 2):
        begun.fabric.count(lid, 35, LinkDownedCounter=downs)
    begun.fabric.count(1, 35, SymbolErrorCounter=60_000)  # of the training
    seen = begun.night()
    assert (only(seen).code, only(seen).severity) == ("link-flapping", severity)
    assert "SymbolErrorCounter has grown by 60000" in only(seen).evidence
    assert values(seen)["flaps"] == downs


def test_a_host_that_was_restarted_is_a_warning_and_has_no_errors_of_training(nights: Callable[..., Nights]) -> None:
    begun = nights()
    begun.fabric.count(20, 1, PortRcvErrors=5)
    begun.night()
    begun.fabric.counters[20, 1].clear()
    begun.fabric.count(2, 1, SymbolErrorCounter=60_000, LinkDownedCounter=1)
    finding = only(begun.night())
    assert (finding.code, finding.severity) == ("link-flapping", "warn")


def test_errors_are_found_though_somebody_clears_the_counters(nights: Callable[..., Nights]) -> None:
    begun = nights()
    begun.fabric.count(20, 1, PortRcvErrors=9)
    begun.night()
    begun.fabric.counters[20, 1].clear()
    begun.fabric.count(20, 1, SymbolErrorCounter=60_000)
    seen = begun.night()
    assert only(seen).code == "link-errors"
    assert "SymbolErrorCounter has grown by 60000" in only(seen).evidence


def test_a_device_that_does_not_answer_is_a_finding_and_the_others_are_read(nights: Callable[..., Nights]) -> None:
    begun = nights()
    begun.fabric.silent.add(20)
    seen = begun.night()
    finding = only(seen)
    assert (finding.code, finding.severity, finding.place) == ("counters-unread", "fail", "node20 mlx5_0/1")
    assert values(seen)["unread_ports"] == 1
    assert values(seen)["error_links"] == 0


def test_a_device_that_refuses_is_a_warning(nights: Callable[..., Nights]) -> None:
    begun = nights()
    begun.fabric.refusing.add(2)
    finding = only(begun.night())
    assert (finding.place, finding.severity) == ("leaf 2", "warn")
    assert finding.sentence == "leaf 2 refused with status 0x000c when it was asked for its counters"
    assert finding.evidence == "5 ports of LID 2: 1, 2, 3, 35, 36"


def test_nobody_answers(nights: Callable[..., Nights]) -> None:
    begun = nights()
    begun.fabric.silent |= {row["lid"] for row in begun.fabric.rows}
    not_run = begun.night().not_run
    assert not_run is not None
    assert not_run.startswith("no device told its counters: leaf 1 did not answer")


def test_no_link_is_active(nights: Callable[..., Nights]) -> None:
    begun = nights()
    begun.fabric.rows.clear()
    assert "no link is active" in (begun.night().not_run or "")


def test_a_clock_that_has_gone_back_gives_no_rates(nights: Callable[..., Nights]) -> None:
    begun = nights()
    begun.fabric.count(20, 1, PortRcvErrors=5000)
    seen = begun.night(after=timedelta(hours=-3))
    assert seen.findings == ()
    assert values(seen)["error_links"] is None
    assert "which is later than now" in seen.facts[-1]


def test_a_port_that_waits_beyond_its_siblings_is_a_warning_every_night(nights: Callable[..., Nights]) -> None:
    begun = nights()
    begun.fabric.tick = 255  # a byte of a lane at EDR takes 0.32 ns, so that a tick is 81.92 ns
    for night in range(3):
        for port in (1, 2, 3):
            begun.fabric.count(1, port, PortXmitWait=1_000_000)
        begun.fabric.count(1, 2, PortXmitWait=100_000_000 if night else 0)
        seen = begun.night(after=timedelta(seconds=100))
        if night:
            assert only(seen).code == "xmit-wait"
            assert only(seen).place == "leaf 1/2 – node11 mlx5_0/1"
            assert "8.27% of the time" in only(seen).evidence
            assert "0.08% at the middle one of its siblings, 0.08% in the last good night" in only(seen).evidence
            assert values(seen)["worst_wait_share"] == pytest.approx(0.0827, rel=0.01)


def test_a_switch_whose_ports_all_wait_is_in_proportion(nights: Callable[..., Nights]) -> None:
    begun = nights()
    for port in (1, 2, 3):
        begun.fabric.count(1, port, PortXmitWait=2_000_000_000)
    seen = begun.night(after=timedelta(seconds=100))
    assert seen.findings == ()
    assert values(seen)["worst_wait_share"] == pytest.approx(0.08)


def swap(fabric: FakeFabric, a: int, b: int) -> None:
    """Swaps the cables at two ports of leaf 1."""
    first, second = fabric.row(1, a), fabric.row(1, b)
    ends = [
        next(row for row in fabric.rows if (row["guid"], row["port"]) == (one["peer_guid"], one["peer_port"]))
        for one in (first, second)
    ]
    for here, there in ((first, ends[1]), (second, ends[0])):
        here.update(peer_guid=there["guid"], peer_port=there["port"])
        there.update(peer_guid=here["guid"], peer_port=here["port"])


def test_swapped_cables_are_one_finding_that_names_both(nights: Callable[..., Nights]) -> None:
    begun = nights()
    swap(begun.fabric, 1, 2)
    finding = only(begun.night())
    assert (finding.code, finding.severity) == ("cables-swapped", "fail")
    assert finding.place == "leaf 1/1 – node10 mlx5_0/1, leaf 1/2 – node11 mlx5_0/1"
    assert finding.sentence == (
        "cables are swapped: leaf 1/1 – node10 mlx5_0/1 and leaf 1/2 – node11 mlx5_0/1 are now "
        "leaf 1/1 – node11 mlx5_0/1 and leaf 1/2 – node10 mlx5_0/1"
    )
    assert only(begun.night()).place == finding.place
    swap(begun.fabric, 1, 2)
    assert begun.night().findings == ()


def test_an_uplink_that_is_swapped_with_a_host_is_one_finding(nights: Callable[..., Nights]) -> None:
    begun = nights()
    swap(begun.fabric, 1, 36)
    assert only(begun.night()).code == "cables-swapped"


def test_an_adapter_that_was_replaced_is_told_and_then_the_new_one_counts(nights: Callable[..., Nights]) -> None:
    begun = nights()
    switch, host = begun.fabric.row(1, 1), begun.fabric.row(10, 1)
    host.update(guid="0x00000000deadbeef")
    switch.update(peer_guid="0x00000000deadbeef")
    told = [only(begun.night()) for _ in range(2)]
    assert [one.severity for one in told] == ["fail", "warn"]
    assert told[0].sentence == "the adapter of leaf 1/1 – node10 mlx5_0/1 was replaced"
    assert begun.night().findings == ()
    begun.fabric.pull(1, 1)
    assert only(begun.night()).code == "link-gone"


def expected(kind: DecisionKind, what: str) -> Expected:
    made = Decisions().with_new(
        kind, what, because="planned", by="Ada", at="2026-01-01T00:00:00+00:00", after_run=0, today=date(2026, 1, 1)
    )
    return Expected(made.planned(date(2026, 1, 2)))


def test_a_drained_rack_is_one_fact_and_no_failure(nights: Callable[..., Nights]) -> None:
    begun = nights(FakeFabric(hosts=8))
    for lid in range(10, 16):
        begun.fabric.rows[:] = [row for row in begun.fabric.rows if row["lid"] != lid]
        begun.fabric.row(1, lid - 9).update(state="down", peer_guid=None, peer_port=None)
    begun.expected = Expected(off={f"node{lid}": "drained as Slurm says (rack 7)" for lid in range(10, 15)})
    seen = begun.night()
    assert only(seen).place == "leaf 1/6 – node15 mlx5_0/1"
    assert "5 hosts are gone, drained as Slurm says (rack 7): node10 mlx5_0, node11 mlx5_0" in seen.facts[-1]
    begun.expected = expected("gone", "node[10-15]")
    assert begun.night().findings == ()
    begun.expected = Expected()
    again = only(begun.night())
    assert (again.code, again.nodes[1]) == ("hosts-gone", "node10 mlx5_0"), "the plan has ended, and they are still gone"


def test_a_cable_that_is_planned_to_move_is_no_failure(nights: Callable[..., Nights]) -> None:
    begun = nights()
    swap(begun.fabric, 1, 2)
    begun.expected = expected("moved", "leaf 1")
    seen = begun.night()
    assert seen.findings == ()
    assert any("expected to be moved by Ada: planned" in fact for fact in seen.facts)
    begun.expected = Expected()
    assert begun.night().findings == (), "it is where it was planned to be"


def test_a_link_that_gets_worse_says_so_by_its_level(nights: Callable[..., Nights]) -> None:
    begun = nights()
    levels = []
    for width in ("2x", "1x"):
        for lid in (1, 2):
            begun.fabric.row(lid, 35).update(width=width, width_enabled=width)
        levels.append(only(begun.night()).level)
    assert levels == [-2.0, -1.0]


SPARSE_WORDS, FULL_WORDS = 10**12, int(0.97 * 100e9 / 32 * DAY_S)
"""PortXmitData of a day: 0.37 Gb/s, and what 4xEDR carries."""
HOUR_OF_WAITING = 900 * 10**9
"""PortXmitWait, in ticks of 4 ns."""


@pytest.mark.parametrize(
    ("words", "ticks", "symptoms"),
    [
        (SPARSE_WORDS, HOUR_OF_WAITING, [("host-withholds", "node11 mlx5_0")]),
        (SPARSE_WORDS, HOUR_OF_WAITING // 10, []),
        (FULL_WORDS, HOUR_OF_WAITING, []),
    ],
    ids=["withholds", "hardly waits", "is full"],
)
def test_a_host_that_withholds_more_than_in_a_good_night_is_a_symptom(
    nights: Callable[..., Nights], words: int, ticks: int, symptoms: list[tuple[str, str]]
) -> None:
    begun = nights(FakeFabric(extended=True))
    assert begun.night().symptoms is None, "the first night had nothing before it"
    begun.fabric.count(1, 2, PortXmitWait=ticks)
    begun.fabric.words = {(1, 2): words}
    seen = begun.night()
    assert [(symptom.name, symptom.place) for symptom in seen.symptoms or ()] == symptoms
    assert len(begun.fabric.sent) == 3 * (16 + 8 + 2), "the same MAD has both"


def test_counters_of_32_bits_tell_who_withholds_between_readings_that_are_near(nights: Callable[..., Nights]) -> None:
    fabric = FakeFabric()
    fabric.words = {}
    begun = nights(fabric)
    begun.night(after=timedelta(minutes=1))
    fabric.count(1, 2, PortXmitWait=10**9)
    fabric.words[1, 2] = 10**9
    (symptom,) = begun.night(after=timedelta(minutes=1)).symptoms or ()
    assert symptom.sentence == "the switch waits 6.7% of the time to send to node11 mlx5_0, usually 0.0%"


def test_switches_that_refuse_their_data_leave_it_open_who_withholds(nights: Callable[..., Nights]) -> None:
    begun = nights()
    begun.night()
    begun.fabric.count(1, 2, PortXmitWait=TICKS_A_DAY)
    assert begun.night().symptoms is None
