# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Memory of this machine that a run may need, told before the run starts."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import ccsim
from tuner.documents.byte_sizes import bytes_text
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric

MEMINFO = Path("/proc/meminfo")
GO_ON = "--allow-low-memory"
"""Option of `ibcc simulate` that starts such a run."""


def tell_memory(
    built: BuiltFabric,
    flows: Sequence[ccsim.Flow],
    model: ccsim.Model,
    *,
    allow_low_memory: bool,
    on_warning: Callable[[str], None],
) -> None:
    """Tells `on_warning` what the scheme says of the run's memory, if it says anything.

    Raises BadInputError if that is more than this machine has available, unless `allow_low_memory`.
    """
    note = ccsim.scheme_note(built.fabric, flows, model=model)
    if note is None:
        return
    available = available_bytes()
    if available is not None and note["bytes"] > available and not allow_low_memory:
        raise BadInputError(
            f"{note['sentence']}; {bytes_text(available)} are available (MemAvailable in {MEMINFO}): choose a smaller fabric, "
            f"fewer flows or another scheme, or let `ibcc simulate` start it anyway with {GO_ON}"
        )
    on_warning(note["sentence"])


def available_bytes() -> int | None:
    """Returns the memory that a program can take without swapping, as the kernel estimates it; None where it does not say."""
    try:
        found = re.search(r"^MemAvailable:\s+([0-9]+) kB$", MEMINFO.read_text(encoding="ascii"), flags=re.MULTILINE)
    except (OSError, UnicodeDecodeError):
        return None
    return None if found is None else int(found[1]) * 1024
