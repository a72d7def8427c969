# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Kind congestion_impact on an emulated fabric that runs, with a real OpenSM and the real plugin."""

from dataclasses import replace

import pytest

from tests.emulator.conftest import Emulate
from tests.opensm_plugin.plugin_process import Load
from tests.tuner.backends.standing import SITE, Standing
from tests.tuner.checks.test_kinds import NIGHT
from tuner.checks.observe import observed
from tuner.documents.check_kinds import CongestionImpact
from tuner.documents.fabric import load_fabric
from tuner.emulator.server import ControlServer

FABRIC = "two-switch-16"


@pytest.mark.slow
def test_the_impact_is_measured_under_the_profile_in_force_which_stays(emulate: Emulate, load: Load) -> None:
    bed = load(emulate(load_fabric(FABRIC)))
    night = replace(NIGHT, fabric=FABRIC)
    with ControlServer(bed.bed.emulated), bed.opensm(SITE) as process:
        process.await_done()
        standing = Standing(bed, process)
        options = CongestionImpact(backend="emulated", socket=standing.name, plugin=str(standing.plugin), rings=2, seed=2)
        observation = observed(options, night)
        assert observation.not_run is None
        assert observation.facts[0].startswith(f"profile '{SITE.name}' on fabric '{FABRIC}'")
        values = {metric.name: value for metric, value in observation.metrics}
        assert len(values) == 12
        simulated = observed(CongestionImpact(profile="off", rings=2, seed=2), night)
        without = {metric.name: value for metric, value in simulated.metrics}
        for name in ("impact_bandwidth_average", "impact_latency_average"):
            value, other = values[name], without[name]
            assert value is not None
            assert other is not None
            assert 1.0 <= value < other
        assert observed(options, night) == observation
        assert standing.holds(SITE)
        assert standing.is_free()


@pytest.mark.slow
def test_another_fabric_than_the_check_s_is_not_measured(standing: Standing) -> None:
    options = CongestionImpact(backend="emulated", socket=standing.name, plugin=str(standing.plugin), rings=1)
    not_run = observed(options, replace(NIGHT, fabric=FABRIC)).not_run
    assert not_run is not None
    assert "is two-switch, not 'two-switch-16'" in not_run
    assert standing.is_free()
