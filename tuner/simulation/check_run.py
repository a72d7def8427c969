# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a run is refused for whatever its flows are, so that it is told before other work begins."""

import ccsim
from ccsim.policy import Profile, ProfileError
from tuner.documents.known_dialects import require_known
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric


def check_run(built: BuiltFabric, model: ccsim.Model, profile: Profile) -> None:
    """Raises BadInputError where a run of the profile on a fabric with such devices would be refused: for a scheme that cannot
    carry them, or that needs congestion control where the profile has none, and for a profile that does not fit the fabric, or
    whose devices are not known."""
    if profile.enable:
        require_known(built.document)
    try:
        ccsim.check_run(built.fabric, model=model, tables=profile.resolve(built.fabric))
    except ProfileError as error:
        raise BadInputError(error.sentence) from error
    except ValueError as error:
        raise BadInputError(str(error)) from error
