# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What the congested link still delivers."""

from tuner.objectives.base import OBJECTIVES, Objective

CONTRIBUTOR_TOTAL = Objective(
    name="contributor_total",
    metric="contributor_total_gbps",
    unit="Gb/s",
    direction="maximise",
    meaning="payload received by all contributors together, mean over the window",
    source="Gran et al. 2010, section VII",
)

OBJECTIVES.add(CONTRIBUTOR_TOTAL.name, CONTRIBUTOR_TOTAL)
