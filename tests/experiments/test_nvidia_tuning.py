# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Both kinds of congestion control on the same beds."""

from dataclasses import replace
from pathlib import Path

import pytest

from experiments.nvidia_tuning.beds import BEDS, Bed
from experiments.nvidia_tuning.campaigns import lay_out, tune
from experiments.nvidia_tuning.dialects import A10, DCQCN, KINDS, PUBLISHED, Kind, published
from experiments.nvidia_tuning.experiment import EXPERIMENT
from experiments.nvidia_tuning.ndr import Outcome
from experiments.registry import Options
from tuner.documents.profile import load_profile
from tuner.fabric.built_fabric import build


def test_the_long_flow_shares_one_link_with_the_incast_and_not_its_receiver_s() -> None:
    bed = BEDS[-1]
    built = build(bed.fabric())
    flows = bed.workload().expanded(built.hosts).flows

    def way(src: str, dst: str) -> set[tuple[int, int]]:
        ends = [built.fabric.endport(one.node, one.port) for one in (built.hosts.find(src), built.hosts.find(dst))]
        return set(built.fabric.route(ends[0], ends[1])[1:])

    (long,) = (way(flow.src, flow.dst) for flow in flows if flow.role == "victim")
    contributors = [way(flow.src, flow.dst) for flow in flows if flow.role == "contributor"]
    assert len(contributors) == 64
    assert [len(long & one) for one in contributors] == [1] * 16 + [0] * 48


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.dialect)
@pytest.mark.parametrize("bed", [bed for bed in BEDS if bed.name != "forest-windy"], ids=lambda bed: bed.name)
def test_a_campaign_of_two_trials(bed: Bed, kind: Kind, tmp_path: Path) -> None:
    expert = published(PUBLISHED[0], bed.rate_gbps) if kind is DCQCN else load_profile(bed.a10)
    lay_out(tmp_path, bed.fabric(), bed.workload(), kind, expert)
    result = tune(
        tmp_path,
        kind,
        bed.rate_gbps,
        name="brief",
        trials=2,
        objectives=bed.objectives,
        constraints={"contributor_total": {"at_least": 0.1}},
        confirmed=(101,),
        time_scale=bed.quick_scale / 2,
        on_progress=lambda done: None,
    )
    assert len(result.trials) == 2
    sections = set(result.setup.space.base.to_dict())
    assert ("nvidia" in sections, "cct" in sections) == (kind is DCQCN, kind is A10)


def test_beating_is_for_both_objectives() -> None:
    one = Outcome(victims_gbps=2, variation=1, spread_gbps=0, total_gbps=0)
    assert one.beats(replace(one, victims_gbps=1, variation=2))
    assert not one.beats(replace(one, victims_gbps=1))
    assert not one.beats(replace(one, variation=2))


@pytest.mark.slow
def test_what_the_readme_says_holds(tmp_path: Path, shared: Path) -> None:
    fabric = shared / "data/fabrics/superpod-ndr-40sw-582ca.ibnetdiscover"
    findings = EXPERIMENT.run(Options(folder=tmp_path, fabric=fabric))
    assert findings.holds, [claim for claim in findings.claims if not claim.holds]
