# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The frozen parameters of simulated devices: that they are the defaults, are documented, and are accepted by the rule."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

import ccsim
from experiments._common.runs import measure_all
from experiments.calibration import candidates
from experiments.calibration.experiment import is_default
from experiments.calibration.score import Score, runs

DOCUMENT = Path(__file__).resolve().parents[2] / "docs/research/calibration.md"
GOOD = Score(
    victim_gbps=13.0,
    deviation=0.05,
    total=0.98,
    pair_total=0.97,
    same_input_share=0.5,
    drop=0.03,
    sd_gbps=0.3,
    victim_at_small_timer_gbps=2.2,
    settle_at_long_timer_s=None,
)


def test_the_simulators_defaults_are_the_frozen_set() -> None:
    frozen = candidates.carriers_and_hystereses()[candidates.FROZEN]
    assert is_default(frozen), f"{frozen} is not what {ccsim.Model().to_dict()} has"


def test_the_document_says_every_default() -> None:
    documented = dict(re.findall(r"^\| `([a-z_.]+)` \| `([^`]*)` \|", DOCUMENT.read_text(), flags=re.MULTILINE))
    default = ccsim.Model().to_dict()
    flat = {f"{group}.{leaf}": value for group in ("switch", "ca") for leaf, value in default[group].items()}
    assert documented == {name: f"{value:g}" if isinstance(value, float) else f"{value}" for name, value in flat.items()}


def test_the_rule_names_what_a_candidate_breaks() -> None:
    assert GOOD.failures == []
    assert GOOD.directions == 2
    assert replace(GOOD, victim_gbps=12.6).failures == ["victim"]
    assert replace(GOOD, deviation=0.11).failures == ["shares"]
    assert replace(GOOD, total=0.96).failures == ["total"]
    assert replace(GOOD, drop=0.001).failures == []  # 10.52 Gb/s for a printed 10.06
    assert replace(GOOD, drop=0.2, total=0.9).failures == ["total", "mean"]
    assert replace(GOOD, drop=0.001).from_printed_drop > GOOD.from_printed_drop
    assert replace(GOOD, victim_at_small_timer_gbps=13.0, settle_at_long_timer_s=0.1).directions == 0


@pytest.mark.slow
def test_the_frozen_set_is_accepted_and_the_simplest_one_bears_out_less() -> None:
    tried = candidates.carriers_and_hystereses()
    scores = {
        name: Score.of(measure_all(runs(tried[name], quick=False)))
        for name in (candidates.FROZEN, "CNP, distance 2", "CNP 20 us, distance 0")
    }
    assert scores[candidates.FROZEN].failures == []
    assert scores[candidates.FROZEN].directions == 2
    assert scores["CNP, distance 2"].directions < 2
    assert scores["CNP 20 us, distance 0"].failures != []
