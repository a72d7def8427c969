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


def held_by_none(profile: Profile, built: BuiltFabric) -> bool:
    """True if the profile enables congestion control, and no device of the fabric has attributes for any of its sections."""
    if not profile.enable or "nvidia" in profile.to_dict():  # the section without such a device is an error of the run itself
        return False
    return not _some_device_has(built, "a10", "both")


def _some_device_has(built: BuiltFabric, *dialects: str) -> bool:
    return any(built.fabric.node_dialect(node) in dialects for node in range(built.fabric.num_nodes))


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
    if not profile.enable or not sections or _some_device_has(built, "a10", "both"):
        return
    yield (
        f"profile '{profile.name}': no device of fabric '{built.document.name}' has annex A10's congestion control, so that "
        f"{', '.join(sections)} have no effect; NVIDIA's devices take the section nvidia (docs/use/profiles.md)"
    )
