# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Devices of a fabric with what its watcher knows: those that should be there too, and, of a fabric that cannot be reached, those
that were there."""

from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from threading import Lock
from time import monotonic

from sqlalchemy.orm import Session

from api.base.times import now
from api.database.engine import Database
from api.database.models.fabric import Fabric
from api.database.models.fabric_watch import FabricWatch
from api.documents.fabrics import DeviceOut
from api.fabric_drivers.base import Device, FabricPicture
from api.fabric_drivers.documents import WiringOptions, wiring
from api.fabric_drivers.registry import connect
from api.fabric_drivers.remembered import RememberedFabric
from api.fabric_drivers.sight import Key
from api.services.device_documents import device_document, device_facts
from api.services.fabric_access import DatabaseMemory, spec_of
from api.services.fabric_watches import is_current, known_of, watch_of
from api.services.topology_marks import Watched
from api.watch.imported import imported
from api.watch.known import Known, KnownDevice
from api.watch.marks import device_marks, node_marks
from tuner.errors import UnreachableError


def fabric_devices(session: Session, database: Database, fabric: Fabric) -> list[DeviceOut]:
    """Raises UnreachableError for a fabric that cannot be reached and whose wiring is unknown."""
    with connected_or_remembered(session, database, fabric) as driver:
        stamp = driver.stamp()
        row = session.get(FabricWatch, fabric.name)
        watched = None if row is None else (row.revision, is_current(row, now()))
        version = None if stamp is None else (fabric.created_at, fabric.revision, watched, stamp)
        return _recent.of(fabric.name, version, lambda: _documents(driver, _known_now(session, fabric.name)))


def _documents(driver: FabricPicture, known: Known | None) -> list[DeviceOut]:
    facts, devices = device_facts(driver.document()), driver.devices()
    if known is None:
        return [device_document(one, facts) for one in devices]
    marks, there = device_marks(known), {(one.guid, one.port) for one in devices}
    gone = {key: one for key, one in known.devices.items() if one.state == "missing"}
    devices = [
        replace(device, remarks=(_gone(gone[device.guid, device.port]), *device.remarks))
        if (device.guid, device.port) in gone
        else device
        for device in devices
    ]
    away = [_device(key, one, _gone(one)) for key, one in gone.items() if key not in there]
    return [device_document(one, facts, marks.get((one.guid, one.port), ())) for one in (*devices, *away)]


class _Recent:
    """The last list of each of a few fabrics for two seconds, for all threads of a server: who reads a large one page by page,
    or several people who were told of the same event, need one list, which takes a second."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: OrderedDict[str, tuple[object, float, list[DeviceOut]]] = OrderedDict()

    def of(self, fabric: str, version: object | None, make: Callable[[], list[DeviceOut]]) -> list[DeviceOut]:
        """`version`: equal ones have equal lists; None: nothing is kept."""
        if version is None:
            return make()
        with self._lock:
            kept = self._kept.get(fabric)
        if kept is not None and kept[0] == version and monotonic() - kept[1] < _FRESH_S:
            return kept[2]
        began, made = monotonic(), make()
        with self._lock:
            self._kept[fabric] = version, began, made
            self._kept.move_to_end(fabric)
            while len(self._kept) > _FABRICS:
                self._kept.popitem(last=False)
        return made


_FABRICS = 4
_FRESH_S = 2.0
_recent = _Recent()


def missing_devices(session: Session, fabric: str) -> list[Device]:
    """Returns the devices that should be there, and that OpenSM does not find now."""
    known = _known_now(session, fabric)
    gone = {} if known is None else {key: one for key, one in known.devices.items() if one.state == "missing"}
    return [_device(key, one, _gone(one)) for key, one in gone.items()]


def watched_now(session: Session, fabric: str) -> Watched:
    """Returns what the fabric's watcher knows now."""
    known = _known_now(session, fabric)
    if known is None:
        return Watched()
    return Watched(node_marks(known), {end for ends, link in known.links.items() if not link.up for end in ends})


@contextmanager
def connected_or_remembered(session: Session, database: Database, fabric: Fabric) -> Iterator[FabricPicture]:
    """A connection of the caller's own; of a fabric that cannot be reached, what its watcher has last seen, or else its
    wiring, with every state unknown. Raises UnreachableError for one of which neither is known."""
    try:
        driver = connect(spec_of(fabric), DatabaseMemory(database, fabric.name))
    except UnreachableError:
        remembered = _remembered(session, fabric)
        if remembered is None:
            raise
        yield remembered
        return
    try:
        yield driver
    finally:
        driver.close()


def _remembered(session: Session, fabric: Fabric) -> RememberedFabric | None:
    """None: neither its devices nor its wiring are known."""
    options = WiringOptions(**{key: fabric.options.get(key) for key in WiringOptions.model_fields})
    row = watch_of(session, fabric.name)
    known = None if row is None else known_of(row)
    if row is None or known is None:
        document = wiring(options)
        if document is None:
            return None
        there = imported(document).devices
        return RememberedFabric(options, [_device(key, one, "never seen") for key, one in there.items()])
    when = "never seen" if row.as_of is None else f"as of {_text(row.as_of)}"
    devices = [
        _device(
            key,
            known_device,
            f"{when}: {known_device.state}" if known_device.state != "missing" else f"{when}: OpenSM did not find it",
        )
        for key, known_device in known.devices.items()
    ]
    return RememberedFabric(options, devices)


def _known_now(session: Session, fabric: str) -> Known | None:
    row = watch_of(session, fabric)
    return None if row is None or not is_current(row, now()) else known_of(row)


def _gone(one: KnownDevice) -> str:
    since = "" if one.since_s is None else f" since {_text(datetime.fromtimestamp(one.since_s, UTC))}"
    return f"OpenSM does not find it{since}"


def _device(key: Key, one: KnownDevice, remark: str) -> Device:
    return Device(
        guid=key[0],
        port=key[1],
        kind=one.kind,
        name=one.name,
        lid=None,
        present=one.state != "missing",
        state="unknown",
        remarks=(remark,),
        drifts=one.drifts,
    )


def _text(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S} UTC"
