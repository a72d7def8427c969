# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Kind congestion_impact in the simulator: GPCNeT's recipe, and factors that are what they must be."""

from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tuner.checks.impact.hosts import CONGESTORS, parts_of
from tuner.checks.impact.metrics import IMPACT_METRICS
from tuner.checks.kind import KINDS, GoodRecord, Night
from tuner.checks.kinds import congestion_impact
from tuner.checks.observation import Observation
from tuner.checks.observe import observed
from tuner.documents.check import load_check
from tuner.documents.check_kinds import CongestionImpact
from tuner.errors import BadInputError


def fabric(folder: Path, hosts: int, *, trunks: int | None = None) -> str:
    """All on one switch, or half of them on each of two with `trunks` links between these."""
    switches = ["S1"] if trunks is None else ["S1", "S2"]
    links = [{"a": f"H{i}/1", "b": f"{switches[i % len(switches)]}/{i + 1}", "rate": "4xDDR"} for i in range(hosts)]
    links += [{"a": f"S1/{50 + k}", "b": f"S2/{50 + k}", "rate": "4xDDR"} for k in range(trunks or 0)]
    document = {
        "ibcc_fabric": 1,
        "name": "made-up",
        "mtu_bytes": 2048,
        "switches": [{"name": name, "ports": 64} for name in switches],
        "hosts": [{"name": f"H{i}", "inject_gbps": 13.5, "receive_gbps": 13.6} for i in range(hosts)],
        "links": links,
    }
    path = folder / f"{hosts}-{trunks}.yaml"
    path.write_text(yaml.safe_dump(document))
    return str(path)


def observe(where: str, profile: str = "off", *, day: int = 31, **options: Any) -> Observation:
    chosen = CongestionImpact(profile=profile, **{"rings": 2, **options})
    return observed(chosen, Night(fabric=where, date=date(2026, 1, day)))


def values(observation: Observation) -> dict[str, float]:
    assert observation.not_run is None
    return {metric.name: value for metric, value in observation.metrics if value is not None}


@given(st.integers(10, 700), st.integers(0, 2**62))
def test_hosts_are_divided_as_gpcnet_divides_them(count: int, seed: int) -> None:
    hosts = [f"H{i}" for i in range(count)]
    parts = parts_of(hosts, seed)
    assert sum(map(len, parts.congestors.values())) == int(0.8 * count + 1e-9)
    assert Counter([*parts.canaries, *(host for group in parts.congestors.values() for host in group)]) == Counter(hosts)
    sizes = [len(group) for group in parts.congestors.values()]
    assert tuple(parts.congestors) == CONGESTORS
    assert max(sizes) - min(sizes) <= 1
    assert min(*sizes, len(parts.canaries)) >= 2
    for ring in parts.rings(3, seed):
        assert sorted(ring) == sorted(parts.canaries)


def test_below_ten_hosts_it_could_not_be_run(tmp_path: Path) -> None:
    sentence = observe(fabric(tmp_path, 9)).not_run
    assert sentence is not None
    assert "has 9 hosts; at least 10 are needed: 2 canaries, and 2 of each of 4 kinds" in sentence
    assert observe(fabric(tmp_path, 10)).not_run is None


@pytest.mark.long
@pytest.mark.parametrize("profile", ["off", "gran-2010"])
def test_on_one_switch_nobody_suffers(tmp_path: Path, profile: str) -> None:
    """A crossbar that does not block: 28 of 32 nodes on one switch had no congestion in the issues of GPCNeT either."""
    found = values(observe(fabric(tmp_path, 16), profile))
    assert len(found) == len(IMPACT_METRICS)
    for name, value in found.items():
        if name.startswith("impact_"):
            assert value == pytest.approx(1.0, abs=0.01), name
    assert found["isolated_bandwidth_average"] == pytest.approx(13.5e9 / 8 / 2**20, rel=0.01)
    assert 1.0 < found["isolated_latency_average"] < 1.5
    assert found["isolated_allreduce_average"] == pytest.approx(4 * found["isolated_latency_average"], rel=0.02)


@pytest.mark.long
def test_where_links_are_shared_jobs_suffer_and_less_with_congestion_control(tmp_path: Path) -> None:
    where = fabric(tmp_path, 20, trunks=1)
    without, with_control = values(observe(where)), values(observe(where, "gran-2010"))
    for name in ("latency_average", "latency_p99", "bandwidth_average", "bandwidth_p99", "allreduce_average"):
        assert without[f"impact_{name}"] > 1.2, name
    for name in ("latency_average", "bandwidth_average", "allreduce_average"):
        assert 0.99 < with_control[f"impact_{name}"] < without[f"impact_{name}"], name


@pytest.mark.long
def test_nights_differ_little_and_are_repeated_exactly(tmp_path: Path) -> None:
    where = fabric(tmp_path, 12, trunks=1)
    first, again, next_day = observe(where), observe(where), observe(where, day=30)
    assert first == again
    for (metric, one), (_, other) in zip(first.metrics, next_day.metrics, strict=True):
        assert one == pytest.approx(other, rel=metric.least_effect / 2), metric.name
    assert values(observe(where, seed=2)) != values(first)


@pytest.mark.long
def test_where_exchanges_do_not_end_rings_get_more_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Forty hosts share a link of a fifth of one's rate."""
    document = yaml.safe_load(Path(fabric(tmp_path, 40, trunks=1)).read_text())
    document["links"][-1]["rate"] = "1xSDR"
    slow = tmp_path / "slow.yaml"
    slow.write_text(yaml.safe_dump(document))
    enough = observe(str(slow), rings=1)
    monkeypatch.setattr(congestion_impact, "_SLOWER", (1,))
    too_short = observe(str(slow), rings=1)
    assert not any("finished no exchange" in fact for fact in enough.facts)
    assert any("a host finished no exchange in a ring's time" in fact for fact in too_short.facts)
    assert values(enough)["impact_bandwidth_average"] > values(too_short)["impact_bandwidth_average"] > 3


def test_the_plan_names_hosts_and_profile(tmp_path: Path) -> None:
    night = Night(fabric=fabric(tmp_path, 12), date=date(2026, 1, 31))
    sentence = KINDS.get("congestion_impact").plan(CongestionImpact(profile="gran-2010"), night)
    assert "12 hosts" in sentence
    assert "'gran-2010'" in sentence


def test_documents_give_each_backend_what_it_needs(tmp_path: Path) -> None:
    path = tmp_path / "check.yaml"
    head = "ibcc_check: 1\nname: c\nfabric: two-switch\nkinds:\n"
    for options, sentence in (
        ("", "profile is missing; backend 'simulated' needs it"),
        ("backend: gpcnet", "output is missing; backend 'gpcnet' needs it"),
        ("profile: off, output: x", "output is 'x'; only backend 'gpcnet' has it"),
        ("backend: gpcnet, output: x, profile: off", "profile is 'off'; only backend 'simulated' has it"),
        ("profile: off, rings: 31", "rings is 31"),
    ):
        path.write_text(f"{head}- {{kind: congestion_impact, {options.replace('off', chr(39) + 'off' + chr(39))}}}\n")
        with pytest.raises(BadInputError, match=sentence):
            load_check(path)
    path.write_text(f"{head}- {{kind: congestion_impact, backend: gpcnet, output: out/g.txt}}\n")
    (entry,) = load_check(path).kinds
    assert isinstance(entry, CongestionImpact)
    assert entry.output == str(tmp_path / "out/g.txt")


@pytest.mark.long
def test_hosts_that_come_and_go_change_no_role_of_others(tmp_path: Path) -> None:
    """Nights would not be comparable."""
    first = observe(fabric(tmp_path, 14, trunks=2), name="impact")
    assert first.record is not None
    former = GoodRecord(date(2026, 1, 30), first.record)
    chosen = CongestionImpact(profile="off", rings=2)
    grown, smaller = (
        observed(chosen, Night(fabric=fabric(tmp_path, hosts, trunks=2), date=date(2026, 1, 31), latest=former))
        for hosts in (16, 13)
    )
    assert values(grown) == values(first)
    assert smaller.record == first.record
    assert smaller.facts[2].startswith("GPCNeT's recipe on 3 canaries and 10 congestors")


def test_roles_are_dealt_anew_where_too_few_hosts_are_left() -> None:
    hosts = [f"H{i}" for i in range(12)]
    parts = parts_of(hosts, 1)
    others = [one for one in hosts if one not in parts.congestors["put"]]
    assert not parts_of(hosts, 1, there=others).are_enough
    assert parts_of(hosts, 1, there=hosts) == parts


def test_rings_are_as_before_without_who_is_gone() -> None:
    parts = parts_of([f"H{i}" for i in range(40)], 1)
    gone = parts.canaries[2]
    less = parts_of([f"H{i}" for i in range(40)], 1, there=[f"H{i}" for i in range(40) if f"H{i}" != gone])
    assert less.rings(5, 3) == [[one for one in ring if one != gone] for ring in parts.rings(5, 3)]
