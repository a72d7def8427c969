# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A profile, and the parameters of simulated devices that a study varies beside it."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ccsim.policy import Profile


@dataclass(frozen=True)
class Configuration:
    """Settings that a trial measures. The model is never a part of the profile: no administrator can set it."""

    profile: Profile
    model: Mapping[str, Any] = field(default_factory=dict)
    """Parameters that differ from those of the simulated devices, which the fabric document and the backend's settings give; by
    dotted name without `model.`. Empty: the devices as they are."""

    @property
    def name(self) -> str:
        """Name of the profile."""
        return self.profile.name

    @property
    def digest(self) -> str:
        """Tells configurations apart by what they set; the profile's name makes no difference to a fabric."""
        settings: dict[str, Any] = {key: value for key, value in self.profile.to_dict().items() if key != "name"}
        if self.model:
            settings["model"] = dict(self.model)
        return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:16]
