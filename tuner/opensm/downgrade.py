# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What has to be done before a former release of the plugin takes over a state folder and a fabric."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tuner.errors import BadInputError
from tuner.opensm.device_states import first_names

OLDEST = (0, 1)
"""First release of the plugin."""
_NEW = (0, 2)
"""First release that knows NVIDIA's attributes, revision 0 and base files."""
_NEW_OPTIONS = "--base-file, --ppcc-algorithms, --nvidia-write and --when-sweep-failed"


def release(text: str, installed: str) -> tuple[int, int]:
    """Returns the release that a text such as `0.1` or `v0.1.0` names. Raises BadInputError if it is none, or newer than the
    plugin that runs (`installed`)."""
    found = re.fullmatch(r"v?(\d+)\.(\d+)(?:\.\d+)?", text.strip())
    own = re.match(r"(\d+)\.(\d+)", installed)
    if found is None or (wanted := (int(found[1]), int(found[2]))) < OLDEST:
        raise BadInputError(f"IBCC0872: '{text}' is no release of the plugin; 0.1 would be right")
    if own is not None and wanted > (int(own[1]), int(own[2])):
        raise BadInputError(f"IBCC0872: {text} is newer than the plugin that runs, {installed}; a downgrade is to an older one")
    return wanted


def steps(
    wanted: tuple[int, int], status: Mapping[str, Any], base: Mapping[str, Any] | None, devices: Sequence[Mapping[str, Any]]
) -> Iterator[str]:
    """Yields what to do first, in this order, as sentences; nothing where the release `wanted` knows all that is in use. `status`
    and `devices`: as the plugin has them; `base`: the document of the base profile."""
    if wanted >= _NEW:
        return
    if status["experiment"] is not None:
        yield "end the trial run by `ibcc profile rollback`, or keep it by `ibcc profile commit`"
    if base is not None and "nvidia" in base:
        yield (
            "apply a base without the section nvidia: the former plugin does not know it, sets state.json aside, and leaves "
            f"NVIDIA's congestion control on where it is (the base is '{base.get('name', 'without a name')}')"
        )
    if foreign := [row["description"] for row in devices if row["state"] == "foreign"]:
        yield f"have NVIDIA's congestion control switched off by `ibcc profile clear-foreign`: {first_names(foreign)}"
    if missing := [row["description"] for row in devices if row["present"] and row["state"] in ("timing-out", "withheld")]:
        yield f"wait for these devices, which may hold values that the former plugin cannot clear: {first_names(missing)}"
    if status["as_found"] is not None and status["as_found"]["kept"] and status["base"] is None:
        yield "apply a base: the former plugin has no revision 0, and without a base leaves devices as they are"
    if status["base_file"] is not None:
        yield "downgrade the standby first, and begin no trial run until both nodes are of one release: it reads no base file"
    yield f"take {_NEW_OPTIONS} out of event_plugin_options, as the former plugin is not loaded with them"
    yield "stop OpenSM, keep a copy of the state folder, and install the former plugin together with the ibcc of that release"
