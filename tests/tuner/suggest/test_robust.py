# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Values for devices that nobody knows: what holds by forecast holds in simulations, on fabrics that did not make the rule."""

import pytest

from tuner.document_base.model import build_model
from tuner.documents.fabric import load_fabric
from tuner.documents.workload import Workload
from tuner.fabric.built_fabric import BuiltFabric, build
from tuner.fabric.topologies.base import generate
from tuner.suggest import Suggestion, suggest
from tuner.suggest.devices import DEVICE_MODELS
from tuner.suggest.forecast import Verdict, forecast, notifiers
from tuner.suggest.outlook import outlook
from tuner.suggest.robust import robust

ALL = list(DEVICE_MODELS.values())


@pytest.fixture(scope="module")
def stranger() -> BuiltFabric:
    """16 hosts of 32 Gb/s on a cube of eight switches: neither this topology nor these rates made a constant of the rule."""
    return build(generate("hypercube", n=3, hosts_per_switch=2, host_rate="4xQDR", mtu_bytes=1024))


def suggestion(built: BuiltFabric, contributors: int | tuple[int, int]) -> Suggestion:
    return suggest(built, contributors=contributors, variants=ALL)


@pytest.mark.long
@pytest.mark.parametrize("contributors", [3, pytest.param(7, marks=pytest.mark.thorough)])
def test_what_holds_by_forecast_holds_in_simulations(stranger: BuiltFabric, contributors: int) -> None:
    found = outlook(robust(suggestion(stranger, contributors)), built=stranger)
    served = 0
    for device in found.devices:
        for ahead, measured in zip(device.forecasts, device.measured, strict=True):
            if ahead.losers is None:
                assert measured is not None
                served += 1
                assert measured.kept >= 0.96, (device.device, ahead.contributors)
                assert measured.victims is None or measured.victims >= 0.95, (device.device, ahead.contributors)
    assert served >= 0.8 * sum(len(device.forecasts) for device in found.devices)


def test_a_workload_of_a_stranger_gets_what_serves_more_scenarios_than_the_rule(stranger: BuiltFabric) -> None:
    hosts = stranger.document.hosts
    names = [host.name for host in hosts]
    document = {
        "ibcc_workload": 1,
        "name": "backup",
        "fabric": "hypercube",
        "duration_s": 0.01,
        "flows": [{"name": f"b{i}", "src": names[i], "dst": names[15], "role": "contributor"} for i in range(5)],
    }
    made = suggest(stranger, workload=build_model(Workload, document), variants=ALL)
    assert made.made_for == 5

    def served(one: Suggestion) -> int:
        return sum(ahead.losers is None for device in outlook(one).devices for ahead in device.forecasts)

    chosen = robust(made)
    assert served(chosen) > served(made)
    assert chosen.document == chosen.with_values(chosen.values).document
    assert any(f"CCTI_Timer {chosen.values.ccti_timer} " in reason for reason in chosen.reasons)
    assert outlook(chosen).holds.startswith("It holds by forecast for all 5 models of the devices ")


@pytest.mark.parametrize("contributors", [2, 5, 15, (2, 15), (3, 9)])
def test_victims_of_as_many_contributors_as_are_expected_come_first(
    stranger: BuiltFabric, contributors: int | tuple[int, int]
) -> None:
    chosen = robust(suggestion(stranger, contributors))
    low, high = chosen.contributors
    for notifier in notifiers(chosen).values():
        for number in {low, high}:
            assert forecast(chosen, number, notifier).verdict is Verdict.CURES


def test_adapters_that_run_dcqcn_keep_the_rules_values() -> None:
    document = load_fabric("leaf-spine-64-dcqcn")
    made = suggest(build(document), contributors=8, variants=ALL)
    assert robust(made) is made
