# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The suggested profile in a campaign's space."""

from collections.abc import Mapping

from tuner.campaign.setup import Setup
from tuner.documents.parameter import Scalar
from tuner.fabric.built_fabric import build
from tuner.suggest import space_values, suggest

SUGGESTION = "suggestion"
FINE = "suggestion, fine steps"


def suggested(setup: Setup) -> dict[str, tuple[Mapping[str, Scalar], str]]:
    """Returns by origin the values, and a sentence on where they are from.

    The rule's own profile comes first, then, if the space leaves CCTI_Increase free, the one with an increase of 1: contributors
    are treated more steadily with it where few of them share a receiver, and cost more where many do. A campaign can afford to
    measure both.

    Of several workloads the one counts at whose hotspot a contributor waits longest between two packets: what holds back many
    contributors costs few of them little, and what is for few does nothing for many. Raises BadInputError if there is none for
    them, or if it cannot be expressed in the space.
    """
    found = [
        suggest(build(setup.fabrics[workload.fabric]), workload=workload, model=setup.backend_settings)
        for workload in setup.workloads
    ]
    chosen = max(found, key=lambda one: one.gap_ns)
    values = {SUGGESTION: space_values(chosen, setup.space), FINE: space_values(chosen, setup.space, increase=1)}
    if values[FINE].params == values[SUGGESTION].params:
        del values[FINE]
    said = f"By the rule of balance and room, for {chosen.made_for} contributors to a receiver of {chosen.receive_gbps:.4g} Gb/s"
    for origin, one in values.items():
        setup.space.profile(one.params, name=origin)  # the fields may contradict one another
    return {
        origin: (one.params, " ".join([f"{said}{_but(origin)}.", *(f"{changed}." for changed in one.changed)]))
        for origin, one in values.items()
    }


def _but(origin: str) -> str:
    return "" if origin == SUGGESTION else ", with a CCTI_Increase of 1"
