# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Profiles as files and names. What a profile may hold is known to ccpolicy alone; this finds and reads them for Python."""

import hashlib
import os
from collections.abc import Mapping

from ccsim.policy import Profile, ProfileError
from tuner.documents import catalogue
from tuner.errors import BadInputError


def load_profile(path_or_name: str | os.PathLike[str], settings: Mapping[str, object] | None = None) -> Profile:
    """Reads a profile by path or by the name of a packaged one, and changes what `settings` says: `{"ca.ccti_timer": 200}`.

    Raises BadInputError.
    """
    path = catalogue.find("profile", path_or_name)
    try:
        profile = Profile.from_file(path)
    except ProfileError as error:
        raise BadInputError(error.sentence, source=error.source, line=error.line) from error
    except OSError as error:
        raise BadInputError(f"cannot be read: {error.strerror}", source=str(path)) from error
    return with_settings(profile, settings)


def with_settings(profile: Profile, settings: Mapping[str, object] | None) -> Profile:
    """Returns the profile with what `settings` says changed. Raises BadInputError."""
    try:
        return profile.with_settings(settings) if settings else profile
    except ProfileError as error:
        raise BadInputError(f"profile '{profile.name}' with {_shown(settings)}: {error.sentence}") from error


def profile_revision(profile: Profile) -> str:
    """Returns an identifier of a profile's content: its name and the first 12 digits of its canonical text's SHA-256."""
    return f"{profile.name}@{hashlib.sha256(profile.to_yaml().encode()).hexdigest()[:12]}"


def _shown(settings: Mapping[str, object] | None) -> str:
    return ", ".join(f"{key}={value}" for key, value in (settings or {}).items())
