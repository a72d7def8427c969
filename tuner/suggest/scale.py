# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Carries the section `nvidia` of a profile to links of another rate, as HPCC's simulator does (simulation/run.py there).

Steps of an increase and thresholds in bytes go with the rate, so that a flow comes back, and a queue empties, in the same time.
Times stay, and so do shares and the lowest rate, which bounds the number of contributors that a link can hold.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ccsim.policy import Profile, ProfileError, profile_keys
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric
from tuner.suggest.receivers import paths

_RATES = ("rpg_ai_rate", "rpg_hai_rate", "rpg_max_rate", "rate_to_set_on_first_cnp")
_DEFAULTS = {key: profile_keys()[f"nvidia.adapter.rp.{key}"].default for key in _RATES}
"""Mb/s. A profile without a rate has the default at its own link, so that is scaled as a written one is; 0 is no rate."""
_A10 = ("switch", "ca", "cct")


def scaled(profile: Profile, rate_gbps: float, *, name: str | None = None) -> Profile:
    """Returns the profile for links of `rate_gbps` Gb/s (data rate, as in `link`), by default named after it.

    Raises BadInputError for a profile without `link` or without `nvidia`, for one that has annex A10's sections too, and where
    the scaled values do not fit their fields.
    """
    document = profile.to_dict()
    if "nvidia" not in document or any(section in document for section in _A10):
        has = "has annex A10's sections" if "nvidia" in document else "has no section nvidia"
        raise BadInputError(
            f"profile '{profile.name}' {has}, and only nvidia goes with the rate alone; what a table is worth elsewhere depends "
            "on the contributors too: see `ibcc profile suggest`"
        )
    if "link" not in document:
        raise BadInputError(f"profile '{profile.name}' does not say which rate it is for; give it link: {{rate_gbps, mtu_bytes}}")
    ratio = rate_gbps / document["link"]["rate_gbps"]
    document["link"]["rate_gbps"] = rate_gbps
    document["name"] = name or f"{profile.name}-{rate_gbps:g}g"
    overrides = [one["nvidia"] for one in document.get("overrides", []) if "nvidia" in one]
    _name_defaults(document["nvidia"], overrides)
    for settings in (document["nvidia"], *overrides):
        _scale(settings, ratio)
    try:
        return Profile.from_dict(document)
    except ProfileError as error:
        raise BadInputError(f"profile '{profile.name}' at {rate_gbps:g} Gb/s: {error.sentence}") from error


def fastest_gbps(built: BuiltFabric) -> float:
    """Returns the data rate of a fabric's fastest hosts, in Gb/s. Raises BadInputError if it has fewer than three."""
    return next(iter(paths(built).values())).rate_gbps


def _name_defaults(own: Mapping[str, Any], overrides: Sequence[dict[str, Any]]) -> None:
    """Writes the rates that adapters have by an override alone, which makes them run DCQCN beside others that do not; a profile
    that has `rp` itself has all of them."""
    named = {*own.get("adapter", {}).get("rp", {})}
    for settings in overrides:
        adapter = settings.get("adapter", {})
        if adapter.get("type") == "dcqcn":
            adapter["rp"] = {
                **{key: rate for key, rate in _DEFAULTS.items() if rate and key not in named},
                **adapter.get("rp", {}),
            }
        named |= {*adapter.get("rp", {})}


def _scale(nvidia: dict[str, Any], ratio: float) -> None:
    rp = nvidia.get("adapter", {}).get("rp", {})
    for key in _RATES:
        if rp.get(key):
            rp[key] = max(1, round(rp[key] * ratio))
    for thresholds in nvidia.get("switch", {}).get("thresholds", []):
        if thresholds["unit"] != "percent":
            for number in (1, 2, 3):
                for end in ("min", "max"):
                    key = f"profile{number}_{end}"
                    thresholds[key] = round(thresholds.get(key, 0) * ratio)
