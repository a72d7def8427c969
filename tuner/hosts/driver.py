# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The seam between a campaign and a cluster: hosts that send and count, and the fabric between them.

A driver brings hosts to send what a workload says and hands on what the receivers have counted, as it is: late, uneven in
time, with gaps. What samples and metrics are made of it is the backend's business, and so is when to try again.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from ccsim.policy import Profile
from tuner.documents.workload import Workload
from tuner.errors import UnreachableError
from tuner.measuring.options import BackendOptions
from tuner.registry import Registry


class HostLostError(UnreachableError):
    """A host has failed while it was needed. The measurement is worth nothing, and another one may go well."""

    def __init__(self, host: str, reason: str) -> None:
        super().__init__(f"host '{host}' was lost: {reason}")
        self.host = host


@dataclass(frozen=True)
class Reading:
    """Bytes that the receiver of one flow has counted up to a time."""

    flow: int
    """Its position in the workload."""
    t_s: float
    """Time of the workload, whose start is 0 on all hosts: the driver knows how their clocks differ."""
    received_bytes: int
    """Payload since the start; never falls."""


class TrafficRun(Protocol):
    """A workload under way."""

    def readings(self) -> Iterator[Reading | None]:
        """Yields readings as they come, of each flow in order of time, the last one at the workload's end or after it; None at
        least once a second while there are none, so that whoever waits can look up. Ends when all flows have ended and been read.
        Raises HostLostError."""

    def stop(self) -> None:
        """Returns when no host sends any more. Idempotent, and safe after any failure."""

    def facts(self) -> Mapping[str, Any]:
        """Returns further facts about the run, such as the offsets of the hosts' clocks, for the measurement's counters. Those
        that its readers must know are in `notes`, a list of sentences."""


class FabricControl(Protocol):
    """The one hold on the fabric, as `tuner.opensm.held_fabric.HeldFabric` has it, with its errors; the plugin's socket is on the
    host of OpenSM, and it is the driver that reaches it."""

    base: str
    """Name of the profile that is in force while none is tried."""

    def take(self) -> None:
        """Nobody else experiments with the fabric from now on. Idempotent. Raises UnreachableError, and NeedsPersonError,
        which names who holds it."""

    def require(self, profile: Profile) -> None:
        """Raises BadInputError if the devices cannot take a section of the profile. Nothing is sent to them but questions."""

    def put(self, profile: Profile) -> None:
        """Returns when the devices hold it. Raises ApplyFailedError with the base in force again."""

    def check(self) -> None:
        """Raises ApplyFailedError if the hold has ended before its time."""

    def restore(self) -> None:
        """The base is in force again. Idempotent."""

    def release(self) -> None:
        """The base is in force, and somebody else may take the fabric. Idempotent."""


class ClusterDriver(Protocol):
    """One cluster. Lifetime: `open`, any number of `start` to the end of each run, `close`. One run at a time."""

    def open(self) -> None:
        """Reaches the hosts. Idempotent. Raises UnreachableError, and WindowClosedError if that is not allowed now."""

    def hosts(self) -> frozenset[str]:
        """Returns the names of the hosts that are available now, as the fabric's document has them."""

    def fabric(self, options: BackendOptions, *, ttl_s: int) -> FabricControl:
        """Returns the fabric's control, which holds nothing yet."""

    def start(self, workload: Workload, *, seed: int) -> TrafficRun:
        """Begins a workload whose patterns are expanded and whose hosts there are. Raises HostLostError, and
        WindowClosedError if it would not end while that is allowed."""

    def wait(self, seconds: float, should_stop: Callable[[], bool]) -> None:
        """Waits for `seconds` seconds, or less once `should_stop()` is true. Time is the driver's, as its runs are."""

    def close(self) -> None: ...


CLUSTER_DRIVERS: Registry[Callable[[BackendOptions], ClusterDriver]] = Registry("cluster driver", "tuner.hosts")
"""A file of this package that has a driver adds it in its last line."""
