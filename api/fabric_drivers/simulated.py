# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A simulated fabric: the service itself holds the profile, and simulated devices hold what ccpolicy says it means there.

An experiment's end is a moment in the state, not a timer: whoever looks later sees the base, also after a restart. It is kept
twice, as the time of day and as the time since the machine was started: should somebody set the clock back, the latter ends it.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

import ccsim
from api.base.identifiers import this_host
from api.fabric_drivers.base import (
    NO_FIRMWARE,
    Adopted,
    Attribute,
    BusyError,
    Congested,
    Device,
    Experiment,
    FabricDriver,
    FabricState,
    Held,
    Memory,
    NothingToUndoError,
    OnProgress,
    Outcome,
    Plan,
    Step,
    guid_text,
)
from api.fabric_drivers.device_tables import as_plugin_reports, changes, device_tables, listed_places
from api.fabric_drivers.dialects import document_dialects, node_dialects
from api.fabric_drivers.documents import WiringOptions, built_wiring, check_wiring, own_options, wiring
from api.fabric_drivers.registry import FABRIC_KINDS, FabricSpec
from api.fabric_drivers.sight import Lookout
from ccsim.policy import Profile, ProfileError, Tables
from tuner.documents.fabric import FabricDocument, Host
from tuner.documents.known_dialects import require_known
from tuner.documents.profile import load_profile
from tuner.errors import BadInputError, UnreachableError
from tuner.fabric.built_fabric import BuiltFabric
from tuner.fabric.importers.base import Imported
from tuner.opensm.device_states import COUNTED

BASE_PROFILE = "off"
"""Base profile of a new fabric."""
_FORMER = 20
"""Bases that are remembered."""
_WITHOUT = ("none", "unknown")
"""Dialects of devices on which nothing is set."""


_CLOCK_STEP_S = 1.0
"""The clock of the day may differ that much from that since the start before the latter counts for what is shown."""


def since_start() -> tuple[str, float]:
    """The machine with its boot, and the seconds since that; they pass while it sleeps, and nobody sets them."""
    return this_host(), time.clock_gettime(time.CLOCK_BOOTTIME)


class SimulatedFabric:
    """A simulated fabric. Any number of these may share one memory; each change is made as if it were the only one."""

    def __init__(
        self,
        built: BuiltFabric,
        memory: Memory,
        clock: Callable[[], float] = time.time,
        uptime: Callable[[], tuple[str, float]] = since_start,
    ) -> None:
        """`clock`: seconds since 1970. `uptime`: as `since_start`."""
        self._built, self._memory, self._clock, self._uptime = built, memory, clock, uptime
        if "base" not in memory.read():
            memory.change(self._settled)

    def state(self) -> FabricState:
        memory = self._memory.read()
        base, experiment = self._look(memory)
        former = self._settled(memory)["former"]
        return FabricState(
            sm_state="simulated",
            base=base,
            former=Held(**former[-1]) if former else None,
            experiment=experiment,
            devices=self._counts(),
            warnings=self._tables((experiment.profile if experiment else base).document).warnings,
        )

    def document(self) -> FabricDocument:
        return self._built.document

    def wiring(self) -> BuiltFabric:
        return self._built

    def stamp(self) -> None:
        return None

    def devices(self) -> list[Device]:
        active = self._active()
        document, n_switches = self._built.document, len(self._built.document.switches)
        dialects, found = node_dialects(document), []
        for node, port in listed_places(document):
            one = document.nodes[node]
            lid = one.lid
            if isinstance(one, Host) and one.endports:
                lid = next((endport.lid for endport in one.endports if endport.port == port), None)
            found.append(
                Device(
                    guid=guid_text(document.guid_of(node)),
                    port=port,
                    kind="switch" if node < n_switches else "ca",
                    name=one.name,
                    lid=lid,
                    present=True,
                    state="unsupported" if dialects[node] in _WITHOUT else "applied",
                    firmware_reason=NO_FIRMWARE,
                    dialect=dialects[node],
                    throttles="yes" if one.kind == "host" else "unknown",
                    applied_at_s=active.since_s,
                )
            )
        return found

    def attributes(self, guid: str, port: int) -> list[Attribute]:
        document = self._built.document
        for node, own_port in listed_places(document):
            if own_port == port and guid_text(document.guid_of(node)) == guid:
                tables = device_tables(self._tables(self._active().document), document).get((node, port))
                return [
                    Attribute(attribute=attribute, block=block, wanted=as_plugin_reports(value), held=as_plugin_reports(value))
                    for (attribute, block), value in ({} if tables is None else tables.parts).items()
                ]
        raise BadInputError(f"fabric '{document.name}' has no device {guid} with port {port}")

    def congestion(self) -> list[Congested]:
        return []

    def plan(self, profile: Profile) -> Plan:
        base, experiment = self._look(self._memory.read())
        wanted = self._resolved(profile)
        step = self._step(base, wanted)
        return Plan(
            **vars(step),
            wanted=profile.to_yaml(),
            now=step if experiment is None else self._step(experiment.profile, wanted),
            warnings=tuple(wanted.warnings),
        )

    def _step(self, current: Held, wanted: Tables) -> Step:
        found = changes(self._built, self._tables(current.document), wanted)
        return Step(current=current, changes=found, devices=len(found), mads=sum(change.mads for change in found))

    def apply(self, profile: Profile, *, ttl_s: int, owner: str, on_progress: OnProgress) -> Outcome:
        self._resolved(profile)
        now_s = self._clock()
        boot, up_s = self._uptime()

        def begin(memory: dict[str, Any]) -> dict[str, Any]:
            self._refuse_others(memory, owner)
            revision = memory["revision"] + 1
            return memory | {
                "revision": revision,
                "experiment": {
                    "profile": _held(profile, revision, now_s),
                    "owner": owner,
                    "ends_at_s": now_s + ttl_s,
                    "ends_on": [boot, up_s + ttl_s],
                },
            }

        return self._done(self._change(begin), on_progress, f"profile '{profile.name}' is in force for {ttl_s} s")

    def verify(self, on_progress: OnProgress) -> Outcome:
        """Finds nothing wrong: a simulated fabric does not drift, since its devices hold what is resolved at the moment of
        asking."""
        return self._done(self._settled(self._memory.read()), on_progress, "all devices hold what they should")

    def ask_devices(self, on_progress: OnProgress) -> Outcome:
        raise BadInputError(
            f"fabric '{self._built.document.name}' is simulated, so its document says which attributes devices have"
        )

    def adopted(self, name: str) -> Adopted:
        raise BadInputError(
            f"fabric '{self._built.document.name}' is simulated: its devices have held nothing before its first profile"
        )

    def clear_foreign(self, on_progress: OnProgress) -> Outcome:
        raise BadInputError(f"fabric '{self._built.document.name}' is simulated, so nobody else can have switched devices on")

    def restore(self, on_progress: OnProgress) -> Outcome:
        def end(memory: dict[str, Any]) -> dict[str, Any]:
            if memory["experiment"] is None:
                return memory
            return memory | {"revision": memory["revision"] + 1, "experiment": None}

        memory = self._change(end)
        return self._done(memory, on_progress, f"the base profile '{memory['base']['name']}' is in force")

    def promote(self, profile: Profile, *, owner: str, on_progress: OnProgress) -> Outcome:
        self._resolved(profile)
        now_s = self._clock()

        def put(memory: dict[str, Any]) -> dict[str, Any]:
            self._refuse_others(memory, owner)
            if memory["base"]["document"] == profile.to_yaml():
                return memory | {"experiment": None}  # a promotion that is done twice leaves one former base, not two
            revision = memory["revision"] + 1
            return memory | {
                "revision": revision,
                "base": _held(profile, revision, now_s),
                "former": [*memory["former"], memory["base"]][-_FORMER:],
                "experiment": None,
            }

        return self._done(self._change(put), on_progress, f"profile '{profile.name}' is the base profile")

    def rollback(self, on_progress: OnProgress) -> Outcome:
        now_s = self._clock()

        def back(memory: dict[str, Any]) -> dict[str, Any]:
            self._refuse_others(memory, None)
            if not memory["former"]:
                raise NothingToUndoError(f"there is no base profile before '{memory['base']['name']}' to roll back to")
            *former, last = memory["former"]
            revision = memory["revision"] + 1
            return memory | {
                "revision": revision,
                "base": last | {"revision": revision, "since_s": now_s},
                "former": former,
            }

        memory = self._change(back)
        return self._done(memory, on_progress, f"the base profile is '{memory['base']['name']}' again")

    def discovered(self, name: str) -> Imported:
        raise BadInputError(f"fabric '{self._built.document.name}' is simulated, so no OpenSM knows it; import a file")

    def close(self) -> None: ...

    def _change(self, how: Callable[[dict[str, Any]], dict[str, Any]]) -> dict[str, Any]:
        return self._memory.change(lambda memory: how(self._settled(memory)))

    def _settled(self, memory: Mapping[str, Any]) -> dict[str, Any]:
        """With a base, and without an experiment whose time is over."""
        settled = {"revision": 1, "former": [], "experiment": None, **memory}
        if "base" not in settled:
            settled["base"] = _held(load_profile(BASE_PROFILE), 1, self._clock())
        experiment = settled["experiment"]
        if experiment is not None and self._left_s(experiment) <= 0:
            settled |= {"experiment": None, "revision": settled["revision"] + 1}
        return settled

    def _look(self, memory: Mapping[str, Any]) -> tuple[Held, Experiment | None]:
        settled = self._settled(memory)
        experiment = settled["experiment"]
        return Held(**settled["base"]), None if experiment is None else Experiment(
            profile=Held(**experiment["profile"]), owner=experiment["owner"], ends_at_s=self._end_s(experiment)
        )

    def _left_s(self, experiment: Mapping[str, Any]) -> float:
        """Seconds until the end by the clock that is ahead."""
        by_day_s: float = experiment["ends_at_s"] - self._clock()
        boot, up_s = self._uptime()
        ends_boot, ends_up_s = experiment.get("ends_on", (None, 0.0))  # that of a service before this rule has none
        return min(by_day_s, ends_up_s - up_s) if ends_boot == boot else by_day_s

    def _end_s(self, experiment: Mapping[str, Any]) -> float:
        """The end by the clock of the day as it is set now."""
        end_s: float = experiment["ends_at_s"]
        by_both_s = self._clock() + self._left_s(experiment)
        return by_both_s if end_s - by_both_s > _CLOCK_STEP_S else end_s

    def _active(self) -> Held:
        base, experiment = self._look(self._memory.read())
        return base if experiment is None else experiment.profile

    def _refuse_others(self, memory: Mapping[str, Any], owner: str | None) -> None:
        experiment = memory["experiment"]
        if experiment is not None and experiment["owner"] != owner:
            left_s = self._left_s(experiment)
            raise BusyError(
                f"{experiment['owner']} has a trial run of profile '{experiment['profile']['name']}' on fabric "
                f"'{self._built.document.name}' for {left_s:.0f} s more; restore ends it"
            )

    def _resolved(self, profile: Profile) -> Tables:
        try:
            tables = profile.resolve(self._built.fabric)
        except ProfileError as error:
            raise BadInputError(f"profile '{profile.name}' on fabric '{self._built.document.name}': {error.sentence}") from error
        if profile.enable:
            require_known(self._built.document)
        try:
            ccsim.check_nvidia(self._built.fabric, tables)
        except ValueError as error:
            raise BadInputError(f"profile '{profile.name}' on fabric '{self._built.document.name}': {error}") from error
        return tables

    def _tables(self, document: str) -> Tables:
        return Profile.from_text(document).resolve(self._built.fabric)

    def _counts(self) -> dict[str, int]:
        counts = document_dialects(self._built.document)
        unsupported = sum(counts[name] for name in _WITHOUT)
        return counted({"applied": sum(counts.values()) - unsupported, "unsupported": unsupported})

    def _done(self, memory: Mapping[str, Any], on_progress: OnProgress, message: str) -> Outcome:
        counts = self._counts()
        on_progress(counts["total"], counts["total"], message)
        return Outcome(revision=memory["revision"], message=message, devices=counts)


def counted(states: Mapping[str, int]) -> dict[str, int]:
    """Devices by state, all states named, with the total."""
    return {"total": sum(states.values()), **{name: states.get(name, 0) for name in COUNTED}}


def still_fits(memory: Mapping[str, Any], options: Mapping[str, Any]) -> bool:
    """True if all profiles in a simulated fabric's memory can be in force on the wiring of these options."""
    built = built_wiring(WiringOptions(**{key: options.get(key) for key in ("fabric", "document")}))
    if built is None:
        return True
    tried = [memory["experiment"]["profile"]] if memory.get("experiment") else []
    held = [*filter(None, [memory.get("base")]), *memory.get("former", []), *tried]
    try:
        for one in held:
            Profile.from_text(one["document"]).resolve(built.fabric)
    except ProfileError:
        return False
    return True


def _held(profile: Profile, revision: int, now_s: float) -> dict[str, Any]:
    return asdict(Held(name=profile.name, document=profile.to_yaml(), revision=revision, since_s=now_s))


class SimulatedKind:
    name = "simulated"
    hosted = False
    has_opensm = False
    made_by_document = True
    summary = "Simulated devices inside the service; campaigns measure in the simulator."
    no_congestion = (
        "No campaign has measured this fabric yet. A campaign that measures in the simulator shows its congestion here."
    )

    def check(self, options: Mapping[str, Any]) -> None:
        check_wiring(own_options(self.name, options, WiringOptions), needed=True)

    def is_here(self, spec: FabricSpec) -> bool | None:
        return None  # what it holds is in the database

    def connect(self, spec: FabricSpec, memory: Memory) -> FabricDriver:
        built = built_wiring(own_options(self.name, spec.options, WiringOptions))
        if built is None:
            raise BadInputError(f"fabric '{spec.name}' lacks options.fabric or options.document")
        return SimulatedFabric(built, memory)

    def wiring(self, spec: FabricSpec) -> FabricDocument | None:
        return wiring(own_options(self.name, spec.options, WiringOptions))

    def is_starting(self, spec: FabricSpec) -> bool:
        return False

    def lookout(self, spec: FabricSpec) -> Lookout:
        raise UnreachableError(f"fabric '{spec.name}' is simulated: its devices are always there")

    def backend(self, spec: FabricSpec) -> tuple[str, dict[str, Any]]:
        return "simulated", {}


FABRIC_KINDS.add(SimulatedKind.name, SimulatedKind())
