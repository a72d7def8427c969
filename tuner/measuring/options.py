# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Options that a person chose for a backend."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ccsim.policy import Profile

if TYPE_CHECKING:  # it imports NumPy, which takes time
    from tuner.measuring.port_series import PortSeries


@dataclass(frozen=True, kw_only=True)
class BackendOptions:
    """Options that a person chose for a backend."""

    fabric: str | None = None
    """A fabric by path or name, instead of the one that each workload names."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Settings by dotted name: `model.…` of the simulated devices, such as `model.switch.read_ports`, and `backend.…`, of which
    each backend says which it takes."""
    later: Sequence[tuple[float, Profile]] = ()
    """Profiles to put in force in the middle of each run: (at second of the workload's time, profile)."""
    profiles: Sequence[Profile] = ()
    """Profiles that are to be applied, as far as they are known beforehand: open() refuses a fabric whose devices cannot take
    their sections."""
    allow_credit_loops: bool = False
    """Simulate fabrics too whose routes can deadlock."""
    allow_low_memory: bool = False
    """Simulate too where the run may need more memory than this machine has available."""
    as_it_is: bool = False
    """Measure under the profile in force: nothing is applied. A fabric that runs is not held while a person tries a profile,
    which is measured then. Backends whose fabrics are their own have no use for it."""
    owner: str = "ibcc"
    """Name of the command that measures, for others that find the fabric taken: `ibcc tune scenario-1`."""
    on_port_series: "Callable[[PortSeries], None] | None" = field(default=None, compare=False)
    """Given the queues of all ports over time after each run. Only the backend `simulated` records them, and only if asked."""
    on_warning: Callable[[str], None] = field(default=lambda sentence: None, compare=False)
    """Told in a sentence what a profile asks for and the fabric has no use for; maybe often, and from several threads."""
