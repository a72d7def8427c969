# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Suggestions for fabrics where no profile works at some hosts, for several subnets, and for hosts of many rates."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from tuner.document_base.model import build_model
from tuner.documents.fabric import FabricDocument
from tuner.documents.workload import Workload
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric, build
from tuner.fabric.subnets import of_subnet
from tuner.suggest.devices import DEVICE_MODELS
from tuner.suggest.incast import Incasts, Measured
from tuner.suggest.incast_traffic import IncastTraffic
from tuner.suggest.outlook import outlook
from tuner.suggest.suggestion import Suggestion, suggest

OLD = ("viz0", "viz1", "viz2")
OLD_HOST = OLD[0]
_ALL = list(DEVICE_MODELS.values())


def site(
    *,
    hosts: int = 6,
    rates: Sequence[str] = (),
    old: bool = True,
    planes: bool = False,
    unknown: Sequence[str] = OLD,
    dialect: str = "unknown",
) -> BuiltFabric:
    """Two leaves with a spine and `hosts` at each leaf, n1, n2 and so on in turn, of 100 Gb/s or of `rates`; slow hosts at the
    first leaf (`old`); nodes of whose congestion control nothing is known (`unknown`), or that are of another `dialect`; the same
    again that no link joins (`planes`)."""
    switches: list[dict[str, Any]] = []
    ends: list[dict[str, Any]] = []
    links: list[dict[str, Any]] = []
    for plane in ("", "b-") if planes else ("",):
        switches += [{"name": f"{plane}{name}", "ports": 36} for name in ("leaf0", "leaf1", "spine")]
        links += [{"a": f"{plane}leaf{i}/30", "b": f"{plane}spine/{i + 1}", "rate": "4xHDR"} for i in range(2)]
        for i, rate in enumerate(rates or ["4xEDR"] * (2 * hosts)):
            ends.append({"name": f"{plane}n{i + 1}"})
            links.append({"a": f"{plane}leaf{i % 2}/{1 + i // 2}", "b": f"{plane}n{i + 1}/1", "rate": rate})
    for i, name in enumerate(OLD if old else ()):
        ends.append({"name": name})
        links.append({"a": f"leaf0/{20 + i}", "b": f"{name}/1", "rate": "4xQDR"})
    names = [node["name"] for node in (*switches, *ends)]
    document = {
        "ibcc_fabric": 1,
        "name": "site",
        "mtu_bytes": 4096,
        "switches": switches,
        "hosts": ends,
        "links": links,
        "congestion_control": [{"nodes": [name], "dialect": dialect} for name in unknown if name in names],
    }
    return build(build_model(FabricDocument, document))


def _incast(destination: str, *more: str) -> Workload:
    flows = [
        {"name": f"F{i}-{j}", "src": f"n{i + 3 * j}", "dst": to, "role": "contributor"}
        for j, to in enumerate([destination, *more])
        for i in range(1, 4)
    ]
    return build_model(Workload, {"ibcc_workload": 1, "name": "to-storage", "fabric": "site", "duration_s": 0.1, "flows": flows})


@pytest.mark.parametrize("dialect", ["unknown", "none", "nvidia-ppcc"])
def test_values_are_for_the_receivers_at_which_a_profile_works(dialect: str) -> None:
    whole, without = suggest(site(dialect=dialect), contributors=4), suggest(site(old=False), contributors=4)
    assert (whole.receive_gbps, whole.values) == (without.receive_gbps, without.values)
    assert any("answer no marks" in sentence for sentence in whole.unknowns)


def test_simulated_incasts_are_at_receivers_at_which_a_profile_works() -> None:
    built = site(hosts=10)
    made = suggest(built, contributors=6)
    traffic = IncastTraffic(built, receive_gbps=made.receive_gbps, seed=3)
    for contributors in range(2, 9):
        workload = traffic.workload(contributors, settles_ms=1, timer_us=1)
        ends = {end for flow in workload.flows if flow.role == "contributor" for end in (flow.src, flow.dst)}
        assert not ends & set(OLD)
    measured = Incasts(built, made).measure(6, {}, settles_ms=2)
    assert measured.victims_without is not None
    assert measured.victims is not None
    assert measured.victims_without < 0.8 < 0.95 < measured.victims


@pytest.mark.parametrize("dialect", ["unknown", "nvidia-ppcc"])
def test_a_profile_for_a_receiver_that_answers_no_marks_does_nothing(dialect: str) -> None:
    """The reason for all of the above, by the simulator."""
    built = site(hosts=10, dialect=dialect)
    made = suggest(built, contributors=6)
    incasts = Incasts(built, made)
    incasts._traffic._targets = [built.hosts.find(OLD_HOST)]
    measured = incasts.measure(6, {}, settles_ms=2)
    assert measured.victims is not None
    assert measured.victims == pytest.approx(measured.victims_without, abs=0.02)


def test_a_workload_whose_hotspot_no_profile_helps_gets_none() -> None:
    with pytest.raises(
        BadInputError, match=f"'to-storage' congests nothing else: no profile holds back contributors to {OLD_HOST}"
    ):
        suggest(site(), workload=_incast(OLD_HOST))


def test_a_workload_to_an_adapter_of_algorithms_in_its_firmware_gets_none() -> None:
    with pytest.raises(BadInputError, match=f"no profile holds back contributors to {OLD_HOST}.* none, PPCC or not known"):
        suggest(site(dialect="nvidia-ppcc"), workload=_incast(OLD_HOST))


def test_switches_beside_such_adapters_mark() -> None:
    made = suggest(site(unknown=("leaf0", "leaf1", "spine"), dialect="nvidia-ppcc", old=False), contributors=4)
    assert made.kinds.nvidia_marks
    assert made.receive_gbps == suggest(site(old=False), contributors=4).receive_gbps


def test_of_several_hotspots_those_that_no_profile_helps_are_told() -> None:
    made = suggest(site(), workload=_incast(OLD_HOST, "n9"))
    assert made.contributors == (3, 3)
    assert "contributors to n9" in made.reasons[0]
    assert any(sentence.startswith(f"No profile holds back contributors to {OLD_HOST}, as") for sentence in made.unknowns)


def test_a_fabric_where_no_sender_learns_of_congestion_gets_none() -> None:
    with pytest.raises(BadInputError, match="fabric 'site' has no host at which a profile works: .* say it"):
        suggest(site(unknown=("leaf0", "leaf1")), contributors=4)


def test_hosts_of_other_subnets_are_no_contributors() -> None:
    planes = site(planes=True, old=False)
    made = suggest(planes)
    assert made.expected.most == 11
    assert "the most that the largest of its 2 subnets allows" in " ".join(made.reasons)
    with pytest.raises(BadInputError, match="'site' has hosts with a link in one subnet; there can be at most 11"):
        suggest(planes, contributors=12)


def test_several_subnets_of_different_hosts_need_a_choice() -> None:
    """The second has no slow hosts: values for the slowest of both would be wrong there."""
    planes = site(planes=True, unknown=())
    for more in ({}, {"contributors": 4}, {"workload": _incast("n9")}):
        with pytest.raises(BadInputError, match=r"fabric 'site' has 2 subnets.* 1 has 3 switches and 15 adapters.* choose one"):
            suggest(planes, **more)
    chosen = [suggest(build(of_subnet(planes.document, number)), contributors=4) for number in (1, 2)]
    assert [made.receive_gbps for made in chosen] == [pytest.approx(gbps, abs=0.05) for gbps in (31.8, 99.37)]


def test_subnets_of_two_hosts_each_are_no_place_for_congestion() -> None:
    with pytest.raises(BadInputError, match="no subnet of fabric 'site' has more than 2 hosts with a link"):
        suggest(site(planes=True, hosts=1, old=False))


def test_the_receivers_that_are_left_out_are_the_fewer() -> None:
    rates = ["4xNDR"] * 4 + ["4xFDR", "4xQDR", "4xFDR10"] * 2 + ["1xSDR"]
    reasons = suggest(site(rates=rates, old=False), contributors=3).reasons
    assert [sentence for sentence in reasons if "left out" in sentence] == [
        "1 of 11 receivers are more than 4 times slower than the median of 54.2 Gb/s, and left out: with as many contributors "
        "there, the profile does nothing."
    ]


def test_a_forecast_of_several_rates_says_for_which_it_is() -> None:
    """At faster receivers the same contributors wait less, and lose more."""
    mixed = outlook(suggest(site(rates=["4xFDR", "4xHDR"] * 6, old=False), contributors=(2, 8), variants=_ALL)).holds
    assert mixed.startswith("It holds by forecast, at receivers of 54.2 Gb/s, ")
    alike = outlook(suggest(site(old=False), contributors=(2, 8), variants=_ALL)).holds
    assert "receivers" not in alike


def test_three_hosts_have_no_mean_of_two_and_two() -> None:
    reasons = suggest(site(rates=["4xEDR"] * 3, old=False)).reasons
    assert "2 contributors are taken, the most that the fabric allows." in reasons
    assert any(sentence.endswith("with a pause of 1 packet time.") for sentence in reasons)


def _with_victims(made: Suggestion, victims: float) -> list[str]:
    found = outlook(made, numbers=[4])
    measured = Measured(contributors=4, victims=victims, total=1.0, victims_without=victims, total_without=1.0)
    return replace(found, devices=tuple(replace(device, measured=(measured,)) for device in found.devices[:1])).stops


def test_a_forecast_that_the_simulation_refutes_is_said_to_be() -> None:
    made = suggest(site(), contributors=4)
    assert not any("Against the forecast" in sentence for sentence in _with_victims(made, 0.97))
    (told,) = [sentence for sentence in _with_victims(made, 0.226) if "Against the forecast" in sentence]
    assert "4 contributors: with 4 they get 22.6 % of what they ask for" in told
