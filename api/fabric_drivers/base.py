# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Interface of every kind of fabric to the service.

A fabric holds a *base* profile (production) and at most one *experiment* at a time, which ends by itself. Whatever fails, one of
the two is in force: a driver that cannot bring a profile to every device restores the base before it reports the failure. Only
OpenSM's plugin may have no base yet: then what its devices were found with takes its place, or, where an older plugin does not
keep that, there is nothing to restore, and no experiment.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

from ccsim.policy import Profile
from tuner.documents.fabric import FabricDocument
from tuner.errors import IbccError
from tuner.fabric.built_fabric import BuiltFabric
from tuner.fabric.importers.base import Imported
from tuner.opensm.plugin_client import UNASKED

OnProgress: TypeAlias = Callable[[int, int, str], None]
"""Told how many of how many devices are done with, and what is being done."""

MAX_TTL_S = 7 * 86400
"""An experiment that nobody remembers after a week is none."""


NOT_REPORTED = "not reported"
NO_FIRMWARE = "not applicable"
"""Reason why a simulated device has no firmware."""


class BusyError(IbccError):
    """Somebody else's experiment holds the fabric; the sentence names them."""

    exit_code = 5


class NothingToUndoError(IbccError):
    """There is no former base profile to go back to, or no experiment to end."""


@dataclass(frozen=True, kw_only=True)
class Held:
    """A profile as a fabric knows it."""

    name: str
    document: str
    """The canonical text, which reads back equal."""
    revision: int
    since_s: float
    """Seconds since 1970."""

    @property
    def digest(self) -> str:
        return digest_of(self.document)


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """A profile that is tried."""

    profile: Held
    owner: str | None
    ends_at_s: float | None
    """Seconds since 1970; None if it does not end by itself."""


@dataclass(frozen=True, kw_only=True)
class AsFound:
    """Revision 0 of a fabric: what its devices held before the plugin set anything on them."""

    devices: int
    unread: int
    """Devices that were not read yet, as they have not answered."""
    since_s: float | None
    """Seconds since 1970; None: none was read."""
    in_force: bool
    """There is no base and no trial run."""


@dataclass(frozen=True, kw_only=True)
class Adopted:
    """A profile of what devices were found with."""

    profile: Profile
    not_said: Sequence[str]
    """A sentence for each of the first devices that hold what no profile can say."""
    devices_not_said: int


@dataclass(frozen=True, kw_only=True)
class FabricState:
    """Profiles of a fabric, and the numbers of its devices by state."""

    sm_state: str
    """`master`, `standby`, `starting`, … as the plugin says; `simulated` where there is no subnet manager."""
    base: Held | None
    """None: there is none yet, as with a plugin that is new to its fabric."""
    former: Held | None
    """The base that a rollback brings back; None: there is none."""
    experiment: Experiment | None
    devices: Mapping[str, int]
    """Number of devices by state, as `tuner.opensm.device_states.COUNTED` names them, and their `total`."""
    dialects: Mapping[str, int] | None = None
    """Number of devices by the attributes that the plugin knows them to have: `a10`, `nvidia`, `both`, `none`, `unknown`. None:
    there is no plugin, or it does not ask."""
    warnings: Sequence[str] = ()
    as_found: AsFound | None = None
    """None: there is no plugin, or it does not keep that."""

    @property
    def can_return(self) -> bool:
        """A trial run could return to something."""
        return self.base is not None or self.as_found is not None

    @property
    def is_unasked(self) -> bool:
        """Another OpenSM is master, or may be, or OpenSM's own congestion control is on: nothing is known here of what devices
        hold."""
        return self.sm_state in UNASKED

    @property
    def active(self) -> Held | None:
        """None also where that is not known."""
        if self.is_unasked:
            return None
        return self.base if self.experiment is None else self.experiment.profile


@dataclass(frozen=True, kw_only=True)
class Device:
    """A switch, or a port of a channel adapter."""

    guid: str
    """`0x` and 16 digits."""
    port: int
    """0 for a switch."""
    kind: Literal["switch", "ca"]
    name: str
    lid: int | None
    present: bool
    state: str
    """As in `FabricState.devices`."""
    vendor_id: str | None = None
    """OUI of the maker, `0x` and 6 digits."""
    device_id: str | None = None
    """Number of the device among the maker's, `0x` and 4 digits."""
    firmware: str | None = None
    """Version; None: not known, or the device has none."""
    firmware_reason: str | None = NOT_REPORTED
    """Reason why the version is None; None: it is known."""
    dialect: str | None = None
    """Congestion-control attributes that it has: `a10`, `nvidia`, `both` or `none`; None: not known."""
    withheld: str | None = None
    """Reason why it is not sent what the profile's section `nvidia` says; None: it is sent that."""
    remarks: Sequence[str] = ()
    """Problems of the device, in words, `withheld` among them."""
    throttles: str = "unknown"
    """`yes` if an adapter was seen to throttle, else `no` or `unknown`."""
    drifts: int = 0
    timeouts: int = 0
    applied_at_s: float | None = None


@dataclass(frozen=True, kw_only=True)
class Attribute:
    """One MAD's worth of a device's settings."""

    attribute: str
    """Name in the specification, such as `CongestionControlTable`."""
    block: int
    wanted: Mapping[str, Any] | None
    held: Mapping[str, Any] | None
    """None: not known."""
    found: Mapping[str, Any] | None = None
    """Values that it held before anything was set; None: not kept, or not read."""


@dataclass(frozen=True, kw_only=True)
class Change:
    """Attributes that a plan would send to one device."""

    guid: str
    port: int
    name: str
    attributes: Sequence[str]
    mads: int


@dataclass(frozen=True, kw_only=True)
class Step:
    """Changes from one profile to another. Nothing is sent to the devices to compute them."""

    current: Held | None
    """The profile that devices come from; None: there is no base yet."""
    changes: Sequence[Change]
    devices: int
    """Devices that would be sent something; more than `changes` has where an older plugin only counts them."""
    mads: int
    unknown: int = 0
    """Devices of which it is not known what they hold; they are sent everything."""


@dataclass(frozen=True, kw_only=True)
class Plan(Step):
    """Changes from the base to a profile, whatever a trial run has in force meanwhile."""

    wanted: str
    """The profile's canonical text."""
    now: Step
    """Changes from what devices hold now: those that applying the profile would send."""
    warnings: Sequence[str] = ()

    @property
    def digest(self) -> str:
        """Changes from the base, as a person who confirms the plan was shown them. A trial run leaves it as it is, and so does a
        device that drifts."""
        shown = [
            None if self.current is None else self.current.document,
            self.wanted,
            [[one.guid, one.port, list(one.attributes), one.mads] for one in self.changes],
            [self.devices, self.mads],
        ]
        return hashlib.sha256(json.dumps(shown).encode()).hexdigest()


@dataclass(frozen=True, kw_only=True)
class Congested:
    """Summary of the readings of one device's CongestionLog."""

    guid: str
    port: int
    kind: Literal["switch", "ca"]
    name: str
    readings: int
    congested: int
    """Readings with congestion."""
    events: int
    ports: Mapping[int, int] = field(default_factory=dict)
    """Readings with congestion at each port of a switch, by port."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """Result of an action on a fabric."""

    revision: int
    message: str
    devices: Mapping[str, int]
    """Number of devices by state, as in FabricState."""
    drifted: int = 0
    """Found by a verify: settings that differed, and were set again."""
    wrong: Sequence[Device] = ()
    """Devices that do not hold what they should, the first of them; also those that did not before either. After a verify,
    those count as well that took other values than they were sent, or that nothing can be sent to."""

    away: Sequence[str] = ()
    """Names of devices that the subnet manager does not find now; they do not count as wrong."""
    nowhere: bool = False
    """No device has the attributes that the profile writes, so that it is in force on none; the message says so."""

    @property
    def good(self) -> bool:
        return not self.wrong and not self.drifted and not self.nowhere


class Memory(Protocol):
    """Stored state of a fabric that the service itself holds; it outlives the process."""

    def read(self) -> dict[str, Any]:
        """Empty at first."""

    def change(self, how: Callable[[dict[str, Any]], dict[str, Any]]) -> dict[str, Any]:
        """Replaces the state by `how` of it, as if nobody else were there; what `how` raises leaves it as it was."""


class FabricPicture(Protocol):
    """Data for a list or a drawing of a fabric. Every method raises UnreachableError when the fabric cannot be reached."""

    def state(self) -> FabricState: ...

    def document(self) -> FabricDocument | None:
        """Nodes and links; None where they are not known."""

    def devices(self) -> list[Device]: ...

    def wiring(self) -> BuiltFabric | None:
        """The document made into a fabric, and routed; None where `document` is."""

    def congestion(self) -> list[Congested]:
        """Returns a summary of each device whose CongestionLog was read; empty where none is."""

    def attributes(self, guid: str, port: int) -> list[Attribute]:
        """Returns the wanted and the held values of a device. Raises BadInputError if there is no such device."""

    def stamp(self) -> str | None:
        """Returns a text that differs from an earlier one if the states of devices do; in milliseconds. Their counters and times
        may differ under the same stamp. None: it is not known."""


class FabricDriver(FabricPicture, Protocol):
    """One connection to one fabric, for one thread. Every method raises UnreachableError when the fabric cannot be reached."""

    def plan(self, profile: Profile) -> Plan:
        """Raises BadInputError if the profile contradicts itself on this fabric."""

    def apply(self, profile: Profile, *, ttl_s: int, owner: str, on_progress: OnProgress) -> Outcome:
        """Tries a profile for `ttl_s` seconds, 1 to MAX_TTL_S. The same owner's experiment is replaced; somebody else's raises
        BusyError. Raises BadInputError, also without a base to return to, and ApplyFailedError with the base in force."""

    def verify(self, on_progress: OnProgress) -> Outcome:
        """Reads back what every device holds; what differs is set again and counted."""

    def ask_devices(self, on_progress: OnProgress) -> Outcome:
        """Asks all devices which congestion-control attributes they have; nothing is set for it. Raises BadInputError if no
        OpenSM knows the fabric, and BusyError while devices cannot be asked."""

    def clear_foreign(self, on_progress: OnProgress) -> Outcome:
        """Clears NVIDIA's attributes of devices that somebody else has switched on. Does nothing where there are none. Raises
        BadInputError if no OpenSM knows the fabric or nothing may be written there, and BusyError while nothing can be sent."""

    def restore(self, on_progress: OnProgress) -> Outcome:
        """Ends the experiment now, whoever's it is. Does nothing without one."""

    def promote(self, profile: Profile, *, owner: str, on_progress: OnProgress) -> Outcome:
        """Makes a profile the base. The owner's experiment ends with it; somebody else's raises BusyError. Raises
        ApplyFailedError with the former base in force. A first base has none before it: it stays, and the outcome names devices
        that do not hold it; raises NeedsPersonError if nothing can be sent now or too many devices stop answering."""

    def rollback(self, on_progress: OnProgress) -> Outcome:
        """The former base is the base again; of the first base, what devices were found with is in force again. Raises BusyError
        during an experiment, and NothingToUndoError."""

    def adopted(self, name: str) -> Adopted:
        """Makes a profile of what devices were found with; nothing is sent. Raises BadInputError where that is not kept."""

    def discovered(self, name: str) -> Imported:
        """Returns the fabric as OpenSM has it at this moment, with its forwarding tables, as a document of that name. Raises
        BadInputError if no OpenSM knows the fabric."""

    def close(self) -> None:
        """Idempotent. Nothing on the fabric changes."""


def silent(done: int, total: int, text: str) -> None:
    """Nobody watches."""


def digest_of(document: str) -> str:
    """Tells profiles' contents apart, by their canonical text."""
    return hashlib.sha256(document.encode()).hexdigest()


def guid_text(guid: int) -> str:
    return f"0x{guid:016x}"
