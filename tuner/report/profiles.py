# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""One profile for each model of the devices, where the recommendation does not serve them all."""

import re
from collections.abc import Mapping
from typing import Any

from tuner.campaign.result import CampaignResult, Confirmed
from tuner.report.confirmed import figures_document
from tuner.report.device_names import devices_name, own_name

OWN = "own-devices"
_MODELLED = ("simulated", "emulated")
"""Backends whose devices have the model's parameters; what real devices do is not known."""


def profiles_document(result: CampaignResult) -> list[dict[str, Any]]:
    """Returns for each model `{file, variant, settings, devices, origin, trial, profile_yaml}` and the profile's figures there.

    `variant` is null, and `settings` empty, for the campaign's own devices; `devices` names the model in words; `origin` is
    `trial 7`, that of a suggestion, or the expert's name. Empty where the recommendation is the best for the campaign's own
    devices and holds in every variant."""
    found = []
    home, recommended = result.best_at_home, result.recommended
    lacking = any(variant.best is not None for variant in result.variants)
    passed_over = home is not None and recommended is not None and home.record.number != recommended.record.number
    if home is not None and result.variants and (lacking or passed_over):
        name = f"trial {home.record.number}"
        found.append(_document(None, {}, name, home.record.number, home.confirmed) | {"devices": own_devices(result)})
    for variant in result.variants:
        if variant.best is not None:
            best = variant.best
            found.append(_document(variant.name, variant.settings, best.origin, best.trial, best.confirmed))
    files = file_names([variant.name for variant in result.variants])
    return [one | {"file": files[one["variant"]]} for one in found]


def own_devices(result: CampaignResult) -> str:
    """Returns the name of the campaign's own devices."""
    setup = result.setup
    if setup.campaign.backend not in _MODELLED:
        return "the fabric's own devices"
    return own_name(setup.backend_settings, setup.campaign.variants)


def file_names(variants: list[str]) -> dict[str | None, str]:
    """Returns the file of each variant's profile, and under None that for the campaign's own devices. A name may be any text."""
    taken: dict[str | None, str] = {}
    for name in (None, *variants):
        stem = OWN if name is None else re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")[:100] or "variant"
        numbered = (stem if number == 1 else f"{stem}-{number}" for number in range(1, len(variants) + 2))
        taken[name] = next(file for one in numbered if (file := f"profile-{one}.yaml") not in taken.values())
    return taken


def _document(
    variant: str | None, settings: Mapping[str, Any], origin: str, trial: int | None, confirmed: Confirmed
) -> dict[str, Any]:
    return {
        "variant": variant,
        "settings": dict(settings),
        "devices": devices_name(settings),
        "origin": origin,
        "trial": trial,
        "profile_yaml": confirmed.profile.to_yaml(),
        **figures_document(confirmed),
    }
