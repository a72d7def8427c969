# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The JSON documents that say what the service knows of a fabric that it watches, and events that are kept."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from api.base.times import Time
from api.documents.texts import NodeName, Sentence
from api.events.severities import Severity
from api.watch.states import Mark, Reach


class WatchCounts(BaseModel):
    """Numbers of devices and links, as last seen. Devices are switches, and ports of adapters."""

    devices: int = Field(description="Devices that are there or should be there.")
    present: int
    missing: int
    missing_switches: int
    timing_out: int
    drifted: int
    not_ready: int = Field(description="Devices whose ports OpenSM has not brought up.")
    flapping: int = Field(0, description="Devices and links that come and go again and again.")
    new: int = Field(description="Devices that the fabric's document does not name.")
    not_cabled_as_imported: int
    links: int
    links_down: int = Field(description="Links that are down though the devices at both ends are there.")


class LastChange(BaseModel):
    """Event about a device, a link or a subnet manager."""

    at: Time
    kind: str
    severity: Severity
    headline: str


class WatchSummary(BaseModel):
    """Whether a fabric is as it should be, as its watcher knows it."""

    reach: Reach = Field(description="`unseen`: nobody has looked yet; `starting`: the server is starting the fabric.")
    reach_since: Time | None
    reason: Sentence | None = Field(description="Why the fabric is unreachable.")
    sm_state: str | None = Field(
        description="Role of the subnet manager that is asked: `master`, `standby`, `halted`, `conflict`."
    )
    current: bool = Field(
        description="False: the counts and marks are those of `as_of`, and it is unknown what has changed since: the fabric is "
        "unreachable, another subnet manager is master, or nobody watches."
    )
    as_of: Time | None = Field(description="Last time at which devices and links were known; null: never.")
    audited_at: Time | None = Field(
        description="Each device that supports congestion control has reported its tables at this time or later."
    )
    severity: Severity | None = Field(description="Severity of the gravest state; null: everything is as it should be.")
    counts: WatchCounts | None = Field(description="Null: devices were never seen.")
    last: LastChange | None = Field(description="The last kept event; null: there is none.")


class MarkedDevice(BaseModel):
    guid: str
    port: int = Field(description="Port of an adapter, or 0 for a switch.")
    name: NodeName
    kind: str = Field(description="`switch` or `ca`.")
    marks: list[Mark] = Field(description="The gravest first.")
    since: Time | None = Field(description="Time since which the device is in its state; null: it was never seen.")


class WatchedEnd(BaseModel):
    guid: str
    port: int
    name: NodeName


class MarkedLink(BaseModel):
    """A link that is down, or that the fabric's document does not name."""

    a: WatchedEnd
    b: WatchedEnd
    up: bool
    as_imported: bool | None = Field(description="Null: the fabric has no document to compare with.")
    flapping: bool = Field(description="It goes down and comes up again and again.")
    rate: str | None = Field(description="Width and speed.")
    since: Time | None


class WatchOut(WatchSummary):
    fabric: str
    marked_devices: int
    marked_links: int
    devices: list[MarkedDevice] = Field(description="At most 1,000 devices that have a mark, the gravest first.")
    links: list[MarkedLink] = Field(description="At most 1,000 links.")


class KeptEvent(BaseModel):
    """An event that has a severity."""

    model_config = ConfigDict(from_attributes=True)

    id: int
    at: Time
    topic: str
    kind: str
    severity: Severity
    fabric: str | None
    text: str = Field(description="The event as a sentence, without its fabric.")
    data: dict[str, Any]
