# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Parts of a profile that no device of a fabric takes, as its dialect of congestion control has no attributes for them."""

from collections.abc import Iterator

from ccsim.policy import Profile
from tuner.documents.known_dialects import ASKED, unknown_devices
from tuner.fabric.built_fabric import BuiltFabric

ANNEX_A10 = ("switch", "ca", "cct")
"""Sections of a profile whose values devices get by annex A10's attributes."""


def nvidia_without_device(profile: Profile, built: BuiltFabric) -> str | None:
    """A sentence if the profile enables NVIDIA's congestion control and no device of the fabric has that; None if one has."""
    fabric = built.fabric
    if not profile.enable or "nvidia" not in profile.to_dict():
        return None
    if any(fabric.node_dialect(node) not in ("a10", "none") for node in range(fabric.num_nodes)):
        return None
    return (
        f"profile '{profile.name}' has the section nvidia, and no device of fabric '{built.document.name}' has NVIDIA's "
        "congestion control; leave the section out, or give devices a congestion_control in the fabric document "
        "(docs/use/fabrics.md)"
    )


def without_effect(profile: Profile, built: BuiltFabric) -> Iterator[str]:
    """A sentence if the profile enables annex A10's congestion control and no device of the fabric has that.

    The section `nvidia` without such a device is an error of the run itself (ccsim.check_nvidia).
    """
    if profile.enable:
        for plural, (count, total) in unknown_devices(built.document).items():
            yield (
                f"profile '{profile.name}': of {count} of {total} {plural} of fabric '{built.document.name}' the congestion "
                f"control is not known, and nothing is set on these; {ASKED}"
            )
    written = profile.to_dict()
    sections = [section for section in ANNEX_A10 if section in written]
    fabric = built.fabric
    if not profile.enable or not sections:
        return
    if any(fabric.node_dialect(node) in ("a10", "both") for node in range(fabric.num_nodes)):
        return
    yield (
        f"profile '{profile.name}': no device of fabric '{built.document.name}' has annex A10's congestion control, so that "
        f"{', '.join(sections)} have no effect; NVIDIA's devices take the section nvidia (docs/use/profiles.md)"
    )
