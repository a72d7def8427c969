# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The suggested profile in a campaign's space."""

from collections.abc import Mapping

from tuner.campaign.setup import Setup
from tuner.documents.parameter import Scalar
from tuner.fabric.built_fabric import build
from tuner.suggest import space_values, suggest


def suggested(setup: Setup, *, for_variants: bool = False) -> tuple[Mapping[str, Scalar], str]:
    """Returns the values, and a sentence on where they are from. `for_variants`: the profile is to serve the devices of the
    campaign's variants as well.

    Of several workloads the one counts at whose hotspot a contributor waits longest between two packets: what holds back many
    contributors costs few of them little, and what is for few does nothing for many. Raises BadInputError if there is none for
    them, or if it cannot be expressed in the space.
    """
    variants = [setup.variant_settings(name) for name in setup.campaign.variants] if for_variants else []
    found = [
        suggest(build(setup.fabrics[workload.fabric]), workload=workload, model=setup.backend_settings, variants=variants)
        for workload in setup.workloads
    ]
    chosen = max(found, key=lambda one: one.gap_ns)
    fitted = space_values(chosen, setup.space)
    words = [
        f"Suggested by the rule of balance and room, for {chosen.made_for} contributors to a receiver of "
        f"{chosen.receive_gbps:.4g} Gb/s{', with the devices of each variant' if variants else ''}.",
        *(f"{changed}." for changed in fitted.changed),
    ]
    setup.space.profile(fitted.params, name="suggestion")  # the fields may contradict one another
    return fitted.params, " ".join(words)
