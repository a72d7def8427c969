# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What the whole fabric delivers: the figure by which large fabrics are compared."""

from tuner.objectives.base import OBJECTIVES, Objective

TOTAL_THROUGHPUT = Objective(
    name="total_throughput",
    metric="total_throughput_gbps",
    unit="Gb/s",
    direction="maximise",
    meaning="payload received by all flows together, whatever their roles, mean over the window",
    source="Gran et al. 2012, Table II (total network throughput)",
)

OBJECTIVES.add(TOTAL_THROUGHPUT.name, TOTAL_THROUGHPUT)
