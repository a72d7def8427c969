# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The suggested profile in a campaign's space."""

from collections.abc import Mapping, Sequence
from typing import Any

from tuner.campaign.setup import Setup
from tuner.documents.parameter import Scalar
from tuner.fabric.built_fabric import build
from tuner.suggest import space_values
from tuner.suggest.several import suggest_for_all


def suggested(
    setup: Setup, *, model: Mapping[str, Any] | None = None, variants: Sequence[Mapping[str, Any]] = ()
) -> tuple[Mapping[str, Scalar], str]:
    """Returns the values, and a sentence on where they are from.

    `model`: settings of the devices that they are for, by default the campaign's own; `variants`: of further devices that they
    are to serve as well. Raises BadInputError if there is none for the workloads, or if it cannot be expressed in the space.
    """
    chosen = suggest_for_all(
        [(build(setup.fabrics[workload.fabric]), workload) for workload in setup.workloads],
        model=setup.backend_settings if model is None else model,
        variants=variants,
    )
    fitted = space_values(chosen, setup.space)
    words = [
        f"Suggested by the rule of balance and room, for {chosen.made_for} contributors to a receiver of "
        f"{chosen.receive_gbps:.4g} Gb/s{', with the devices of each variant' if variants else ''}.",
        *(f"{changed}." for changed in fitted.changed),
    ]
    setup.space.profile(fitted.params, name="suggestion")  # the fields may contradict one another
    return fitted.params, " ".join(words)
