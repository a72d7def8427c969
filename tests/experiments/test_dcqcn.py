# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""DCQCN's fixed points, by other ways of computing them, and the engine beside them."""

import math
from dataclasses import replace

import pytest

from experiments.dcqcn.bed import steady
from experiments.dcqcn.experiment import CLOSE, EXPERIMENT, FAST
from experiments.dcqcn.fluid import fluid_share, joining, queue_bytes, renewal_share
from experiments.dcqcn.settings import LINE_GBPS, PAPER, WIRE_BYTES
from experiments.registry import Options


def test_the_fluid_models_fixed_point_is_near_the_cube_root_of_print_for_few_marks() -> None:
    # Zhu et al., CoNEXT 2016: p* is about the cube root of (R_AI N^2 / (tau' C^2)) (1/B + N/(T C))^2, rates in packets.
    packets = LINE_GBPS * 1e9 / 8 / WIRE_BYTES
    step = PAPER.ai_gbps * 1e9 / 8 / WIRE_BYTES
    slow = replace(PAPER, ai_gbps=PAPER.ai_gbps / 1000)  # p* falls with R_AI, and with it what the root leaves out
    for settings, tolerance in ((PAPER, 0.25), (slow, 0.04)):
        ai = step * settings.ai_gbps / PAPER.ai_gbps
        for flows in (2, 4):
            counters = WIRE_BYTES / settings.byte_counter + flows / (settings.increase_us * 1e-6 * packets)
            root = (ai * flows**2 / (settings.alpha_us * 1e-6 * packets**2) * counters**2) ** (1 / 3)
            assert fluid_share(settings, flows) == pytest.approx(root, rel=tolerance)


@pytest.mark.long
def test_the_fluid_model_stands_still_at_its_fixed_point() -> None:
    last = None
    for _, rates in joining(PAPER, settled=2, seconds=0.3, dt_s=5e-6):
        last = rates
    assert last is not None
    assert last == pytest.approx([LINE_GBPS / 3] * 3, rel=0.02)


def test_the_distance_of_cnps_matters_only_if_it_is_near_the_timer() -> None:
    short = replace(PAPER, cnp_us=1, byte_counter=0.0, ai_gbps=PAPER.ai_gbps / 1000)
    assert renewal_share(short, 4) == pytest.approx(fluid_share(short, 4), rel=0.03)
    long = replace(short, cnp_us=50)
    assert renewal_share(long, 4) > 1.2 * fluid_share(long, 4)


def test_the_engine_is_at_the_fixed_points() -> None:
    for settings, share in ((FAST, fluid_share(FAST, 4)), (PAPER, renewal_share(PAPER, 4))):
        found = steady(settings, 4, warmup_s=0.03, seconds=0.1)
        assert found.share == pytest.approx(share, rel=CLOSE)
        assert found.mean_queue_bytes == pytest.approx(queue_bytes(settings, share), rel=CLOSE)
        assert found.run.total_gbps == pytest.approx(LINE_GBPS * 1024 / WIRE_BYTES, rel=0.005)
        assert math.isfinite(found.run.apart)


@pytest.mark.slow
def test_a_quick_look_bears_out_its_claims() -> None:
    found = EXPERIMENT.run(Options(quick=True, workers=1))
    assert found.holds, [claim for claim in found.claims if not claim.holds]
