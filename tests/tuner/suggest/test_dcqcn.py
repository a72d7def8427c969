# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Suggested profiles for adapters that run DCQCN."""

from collections.abc import Sequence
from functools import cache

import pytest

from ccsim.policy import Profile
from tuner.documents.congestion_control import CongestionControlRow, Dialect
from tuner.documents.fabric import FabricDocument
from tuner.documents.parameter import Parameter
from tuner.documents.profile import load_profile
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric, build
from tuner.fabric.topologies.base import generate
from tuner.search.space import Space
from tuner.suggest import rule
from tuner.suggest.dcqcn_outlook import DCQCN_MODELS, dcqcn_outlook
from tuner.suggest.devices import DEVICE_MODELS
from tuner.suggest.incast import Incasts
from tuner.suggest.suggestion import Suggestion, suggest
from tuner.suggest.values import space_values

PAYLOAD_GBPS = 400 * 4096 / 4122


@cache
def fabric(*rows: tuple[str, Dialect]) -> BuiltFabric:
    """A leaf-spine of 400 Gb/s; `rows`: kinds of nodes with their dialects."""
    document = generate("leaf-spine", leaves=4, spines=2, hosts_per_leaf=6, host_rate="4xNDR", mtu_bytes=4096, name="small")
    kinds = tuple(CongestionControlRow(kind=kind, dialect=dialect) for kind, dialect in rows)  # type: ignore[arg-type]
    return build(document.model_copy(update={"congestion_control": kinds}))


@cache
def _base(rate: str) -> FabricDocument:
    mtu = 4096 if rate == "4xNDR" else 2048
    return generate("leaf-spine", leaves=4, spines=2, hosts_per_leaf=6, host_rate=rate, mtu_bytes=mtu, name="small")


def mixed(switches: Sequence[str], adapters: Sequence[str], rate: str = "4xNDR") -> BuiltFabric:
    """A leaf-spine whose switches, and whose adapters, are of these dialects in turn."""
    document = _base(rate)
    rows = [
        CongestionControlRow(nodes=tuple(node.name for node in nodes[i :: len(dialects)]), dialect=dialect)  # type: ignore[arg-type]
        for nodes, dialects in ((document.switches, switches), (document.hosts, adapters))
        for i, dialect in enumerate(dialects)
    ]
    return build(document.model_copy(update={"congestion_control": tuple(rows)}))


QUANTUM: tuple[tuple[str, Dialect], ...] = (("switch", "nvidia-dcqcn"), ("host", "nvidia-dcqcn"))


def made(contributors: int = 8, **model: float) -> Suggestion:
    return suggest(fabric(*QUANTUM), contributors=contributors, model={f"switch.{key}": value for key, value in model.items()})


def test_values_follow_from_the_share_the_buffer_and_the_round_trip() -> None:
    nvidia = made(8).document["nvidia"]
    rp, thresholds = nvidia["adapter"]["rp"], nvidia["switch"]["thresholds"][0]
    share_mbps = 1e3 * PAYLOAD_GBPS / 8
    assert rp["rpg_ai_rate"] == round(0.01 * share_mbps)
    assert rp["rpg_min_rate"] == round(share_mbps / 4)
    assert rp["rpg_hai_rate"] == 400_000 * 55 / 5000  # back within 5 ms
    assert (rp["rpg_time_reset"], rp["rate_reduce_monitor_period"]) == (55, 4)  # a round trip is shorter
    packet_kib = 4160 / 1024
    assert thresholds["profile1_min"] == round(4 * packet_kib)
    assert thresholds["profile1_max"] == round(4 * packet_kib + 264 / 2)
    assert thresholds["profile1_percent"] == 100


def test_a_small_buffer_has_low_thresholds_and_a_long_way_long_times() -> None:
    thresholds = made(8, input_buffer_bytes=16384).document["nvidia"]["switch"]["thresholds"][0]
    assert (thresholds["profile1_min"], thresholds["profile1_max"]) == (4, 12)
    slow = made(8, routing_latency_ns=5000).document["nvidia"]["adapter"]["rp"]
    assert slow["rate_reduce_monitor_period"] > 30  # three switches, there and back
    assert slow["rpg_time_reset"] > 300


@pytest.mark.long
def test_it_cures_incasts_whatever_devices_do_but_where_switches_mark_nothing_above_max() -> None:
    found = {one.device: one.measured for one in dcqcn_outlook(made(12), fabric(*QUANTUM))}
    assert found.keys() == DCQCN_MODELS.keys()
    for device, measured in found.items():
        at_12 = next(one for one in measured if one.contributors == 12)
        assert at_12.victims is not None
        assert at_12.victims_without is not None
        assert at_12.victims_without < 0.7
        if device != "marks-none":
            assert at_12.victims > 0.99
            assert at_12.kept > 0.95


A10, DCQCN, BOTH = "a10", "nvidia-dcqcn", "both"
ANNEX, MARKS, REACTS = {"switch", "ca", "cct"}, {"nvidia.switch"}, {"nvidia.adapter"}


def parts(made: Suggestion) -> set[str]:
    return {*made.document, *(f"nvidia.{part}" for part in made.document.get("nvidia", {}))} & (ANNEX | MARKS | REACTS)


@pytest.mark.parametrize(
    ("switches", "adapters", "wanted"),
    [
        ([A10], [A10], ANNEX),
        ([A10], [DCQCN], ANNEX | REACTS),  # switches take annex A10's sections, which go together
        ([A10], [BOTH], ANNEX),
        ([A10], [A10, DCQCN], ANNEX | REACTS),
        ([DCQCN], [A10], ANNEX | MARKS),
        (["nvidia-ppcc"], [A10], ANNEX | MARKS),
        ([DCQCN], [DCQCN], MARKS | REACTS),
        ([DCQCN], [BOTH], MARKS | REACTS),
        ([DCQCN], [A10, BOTH], ANNEX | MARKS | REACTS),
        ([BOTH], [A10], ANNEX),
        ([BOTH], [DCQCN], MARKS | REACTS),
        ([BOTH], [BOTH], MARKS | REACTS),
        ([BOTH], [A10, BOTH], ANNEX),
        ([A10, BOTH], [DCQCN], ANNEX | REACTS),
        ([A10, DCQCN], [BOTH], ANNEX | MARKS | REACTS),
        ([A10, "none"], [DCQCN, "none"], ANNEX | REACTS),
    ],
)
def test_what_marks_and_what_reacts_gets_values(switches: list[str], adapters: list[str], wanted: set[str]) -> None:
    assert parts(suggest(mixed(switches, adapters), contributors=8)) == wanted


@pytest.mark.parametrize("adapters", [[A10], [DCQCN], [A10, DCQCN]])
@pytest.mark.parametrize("switches", [[A10], [DCQCN], [A10, DCQCN]])
@pytest.mark.parametrize("rate", ["4xDDR", "4xNDR"])
def test_adapters_of_each_kind_are_held_back_behind_switches_of_each(switches: list[str], adapters: list[str], rate: str) -> None:
    built = mixed(switches, adapters, rate)
    made = suggest(built, contributors=12, variants=list(DEVICE_MODELS.values()))
    measured = Incasts(built, made).measure(12, {}, settles_ms=5 if rate == "4xNDR" else 60)
    assert measured.victims is not None
    assert measured.victims > 0.98
    assert measured.kept > 0.93
    assert measured.victims_without is not None
    assert measured.victims_without < 0.4


def test_annex_a10s_switches_mark_more_often_than_rates_of_dcqcn_rise() -> None:
    """At 16 Gb/s twelve contributors that are marked once in eight packets grow between two marks, and nobody is cured."""
    slow, fast = (suggest(mixed([A10], [DCQCN], rate), contributors=12) for rate in ("4xDDR", "4xNDR"))
    assert slow.document["switch"]["marking_rate"] == 0
    assert fast.document["switch"]["marking_rate"] == 7
    assert slow.dcqcn is not None
    assert slow.values.mark_every * slow.gap_ns <= 1e3 * slow.dcqcn.increase_us / 4


def test_a_space_of_annex_a10_gets_values_where_devices_have_both() -> None:
    made = suggest(mixed([BOTH], [BOTH]), contributors=8)
    space = Space({"switch.threshold": Parameter(low=0, high=15)}, load_profile("gran-2010"))
    assert space_values(made, space).params == {"switch.threshold": made.values.threshold}
    assert made.values.threshold != 15


def test_aggregation_nodes_are_no_adapters_that_want_values() -> None:
    """They carry no flows, and importers leave them at annex A10."""
    document = mixed([DCQCN], [DCQCN]).document
    name = document.hosts[-1].name
    hosts = (*document.hosts[:-1], document.hosts[-1].model_copy(update={"kind": "aggregation"}))
    rows = (*document.congestion_control, CongestionControlRow(nodes=(name,), dialect="a10"))
    built = build(document.model_copy(update={"hosts": hosts, "congestion_control": rows}))
    assert parts(suggest(built, contributors=8)) == MARKS | REACTS


def test_a_table_is_for_the_rate_of_the_adapters_that_have_one() -> None:
    """An old cluster of QDR beside a new one of NDR, as sites join them: packets of the old adapters take 12.5 times as long."""
    whole = mixed([A10], [A10, DCQCN]).document
    old = {node for row in whole.congestion_control if row.dialect == "a10" for node in row.nodes}
    links = (
        link.model_copy(update={"rate": "4xQDR"})
        if {link.a.split("/")[0], link.b.split("/")[0]} & {h.name for h in whole.hosts} & old
        else link
        for link in whole.links
    )
    built = build(whole.model_copy(update={"links": tuple(links)}))
    some = suggest(built, contributors=20)
    assert (some.path.rate_gbps, some.path.alone_gbps) == (32, 400)
    assert some.document["link"]["rate_gbps"] == 32
    share_gbps = some.receive_gbps / 20
    assert some.values.full_scale_packet_times == pytest.approx(
        max(1.0, rule.ROOM * (32 * 4096 / 4122 / share_gbps - 1)), rel=1e-3
    )
    rates = [one.document["nvidia"]["adapter"]["rp"]["rpg_hai_rate"] for one in (some, made(20))]
    assert rates[0] == rates[1]


def test_switches_that_mark_nothing_are_told() -> None:
    some = suggest(mixed(["none", A10], [A10]), contributors=8)
    told = "3 of 6 switches have no congestion control and mark nothing, so that nobody is held back from the hosts behind them"
    assert some.unknowns[-1] == f"{told} (12)."
    sentence = "fabric 'small' has 6 switches without congestion control .* marked for its adapters .12 a10, 12 nvidia-dcqcn. to"
    with pytest.raises(BadInputError, match=sentence):
        suggest(mixed(["none"], [A10, DCQCN]), contributors=8)


def test_adapters_that_nothing_can_be_suggested_for_are_told() -> None:
    document = fabric(*QUANTUM).document
    rows = (*document.congestion_control, CongestionControlRow(nodes=("H1", "H2"), dialect="nvidia-ppcc"))
    some = suggest(build(document.model_copy(update={"congestion_control": rows})), contributors=8)
    assert some.unknowns[-1].startswith("2 of 24 adapters run algorithms of their firmware (PPCC)")
    with pytest.raises(BadInputError, match="fabric 'small' has 24 adapters that run algorithms of their firmware and 0 without"):
        suggest(fabric(("switch", "nvidia-ppcc"), ("host", "nvidia-ppcc")), contributors=8)


@pytest.mark.parametrize(("unit", "wanted"), [("kilobytes", 16), ("bytes", 16640), ("percent", 6)])
def test_a_space_gets_thresholds_in_its_unit(unit: str, wanted: int) -> None:
    document = load_profile("hpcc-dcqcn-400g").to_dict()
    document["nvidia"]["switch"]["thresholds"][0] |= {"unit": unit, "profile1_min": 1, "profile1_max": 90}
    path = "nvidia.switch.thresholds.0.profile1_min"
    space = Space({path: Parameter(low=1, high=20000)}, Profile.from_dict(document))
    assert space_values(made(8), space).params == {path: wanted}
