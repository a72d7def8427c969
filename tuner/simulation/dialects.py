# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Parts of a profile that no device of a fabric takes, as its dialect of congestion control has no attributes for them."""

from collections.abc import Iterator

from ccsim.policy import Profile
from tuner.fabric.built_fabric import BuiltFabric

ANNEX_A10 = ("switch", "ca", "cct")
"""Sections of a profile whose values devices get by annex A10's attributes."""


def without_effect(profile: Profile, built: BuiltFabric) -> Iterator[str]:
    """A sentence if the profile enables annex A10's congestion control and no device of the fabric has that.

    The section `nvidia` without such a device is an error of the run itself (ccsim.check_nvidia).
    """
    written = profile.to_dict()
    sections = [section for section in ANNEX_A10 if section in written]
    fabric = built.fabric
    if not profile.enable or not sections:
        return
    if any(fabric.node_dialect(node) in ("a10", "both") for node in range(fabric.num_nodes)):
        return
    yield (
        f"profile '{profile.name}': no device of fabric '{built.document.name}' has annex A10's congestion control, so that "
        f"{', '.join(sections)} have no effect; NVIDIA's devices take the section nvidia (docs/profiles.md)"
    )
