# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A fabric behind the control socket of the OpenSM plugin, emulated or real."""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from api.fabric_drivers.base import (
    NOT_REPORTED,
    Adopted,
    AsFound,
    Attribute,
    BusyError,
    Change,
    Congested,
    Device,
    Experiment,
    FabricState,
    Held,
    NothingToUndoError,
    OnProgress,
    Outcome,
    Plan,
    Step,
)
from api.fabric_drivers.dialects import in_words, reported_dialects
from api.fabric_drivers.simulated import counted
from ccsim.policy import Profile, ProfileError
from tuner.documents.fabric import FabricDocument
from tuner.errors import ApplyFailedError, BadInputError, NeedsPersonError, UnreachableError
from tuner.fabric.built_fabric import BuiltFabric
from tuner.fabric.importers.base import Imported
from tuner.opensm.adopted_profile import adopt, not_said
from tuner.opensm.device_remarks import device_remarks
from tuner.opensm.device_states import NOT_READY, counted_wrong, known_state, names_away, not_holding, remarks_on, told_away
from tuner.opensm.held_fabric import MAX_OWNER_BYTES
from tuner.opensm.nowhere import held_by_none
from tuner.opensm.plugin_client import UNASKED, Accepted, PluginClient
from tuner.opensm.subnet_document import of_subnet
from tuner.rpc import protocol as rpc
from tuner.rpc.protocol import RpcError

_SILENCE_S = 120.0
"""Longest silence, in seconds, of a plugin that is not stuck: it reports its progress while a profile goes to devices."""
_NAMED = 20
_FOUND = "what devices were found with (revision 0)"
_RENEW_S = 60
_TRIES = 5
_OLDER = (
    "the OpenSM plugin is older than this ibcc and cannot plan from the base: the plan begins with the trial run, and is another "
    "one at its end; install the plugin of this ibcc, or plan after the trial run"
)


class SocketFabric:
    """Speaks to one plugin."""

    def __init__(self, path: Path, built: BuiltFabric | None) -> None:
        """`built`: the wiring, where it is known. Raises UnreachableError."""
        self._client = PluginClient(path, silence_s=_SILENCE_S)
        self._built = built

    def state(self) -> FabricState:
        with _sentences():
            status = self._client.status()
            experiment = status["experiment"]
            return FabricState(
                sm_state=status["role"],
                base=None if status["base"] is None else self._held("base", status["base"]),
                former=None if status["base"] is None else self._former(),
                experiment=None if experiment is None else self._experiment(experiment),
                devices=_counts(status),
                dialects=reported_dialects(status),
                warnings=list(filter(None, (_unasked(status), status["complaint"], _unkept(status), *status["warnings"]))),
                as_found=_as_found(status),
            )

    def document(self) -> FabricDocument | None:
        return None if self._built is None else self._built.document

    def wiring(self) -> BuiltFabric | None:
        return self._built

    def devices(self) -> list[Device]:
        with _sentences():
            return [_device(row) for row in self._client.devices()]

    def stamp(self) -> str | None:
        with _sentences():
            status = self._client.status()
        job, keys = status["job"] or {}, ("role", "base", "wanted", "on_fabric", "devices")
        return json.dumps([*(status[key] for key in keys), status["sweeps"]["ended"], job.get("id"), job.get("state")])

    def attributes(self, guid: str, port: int) -> list[Attribute]:
        with _sentences():
            tables = self._client.tables(guid, port or None)
            rows = self._client.as_found(guid) if _as_found(self._client.status()) is not None else []
        items = {(one["attribute"], one["block"]): one for row in rows if row["port"] == port for one in row["items"]}
        found = {key: one["held"] for key, one in items.items()}
        known = [
            Attribute(
                attribute=item["attribute"],
                block=item["block"],
                wanted=item["wanted"],
                held=item["held"],
                found=found.pop((item["attribute"], item["block"]), None),
            )
            for item in tables["items"]
        ]
        others = [
            Attribute(attribute=key[0], block=key[1], wanted=None, held=None, found=held)
            for key, held in found.items()
            if held is not None and items[key]["has_effect"]  # blocks beyond the CCTI_Limit have none, and are not set again
        ]
        return [*known, *others]

    def congestion(self) -> list[Congested]:
        with _sentences():
            rows, _ = self._client.congestion()
        return [
            Congested(
                guid=row["guid"],
                port=row["port"],
                kind="ca" if row["port"] else "switch",
                name=row["description"],
                readings=row["readings"],
                congested=row["congested"],
                events=row["events"],
                ports={one["port"]: one["readings"] for one in row["ports"]},
            )
            for row in rows
        ]

    def plan(self, profile: Profile) -> Plan:
        with _sentences(profile):
            state, text = self.state(), profile.to_yaml()
            found = self._client.plan(text)
            now = _step(state.active, found)
            warnings = [*found["warnings"], *_not_asked(state, profile)]
            based = now
            if state.base is not None:
                try:
                    based = _step(state.base, self._client.plan(text, origin="base"))
                except RpcError as error:
                    # The profile was planned above, so that the plugin is older and refuses the parameter.
                    if error.code != rpc.INVALID_PARAMS:
                        raise
                    if state.experiment is not None:
                        warnings.append(_OLDER)
            return Plan(**vars(based), wanted=text, now=now, warnings=tuple(warnings))

    def apply(self, profile: Profile, *, ttl_s: int, owner: str, on_progress: OnProgress) -> Outcome:
        if not self._can_return():
            raise BadInputError(
                f"profile '{profile.name}' cannot be tried: the fabric has no base profile to which a trial run could return; "
                "a promotion would be right"
            )

        def put(if_revision: int | None) -> Accepted:
            return self._client.apply(profile.to_yaml(), ttl_s=ttl_s, if_revision=if_revision, owner=_short(owner))

        return self._bring(put, profile, owner, on_progress, undo=self.restore)

    def promote(self, profile: Profile, *, owner: str, on_progress: OnProgress) -> Outcome:
        base = self._base()
        if base is not None and Profile.from_text(base["document"]) == profile:
            # A second run of the same promotion does nothing; the owner's own experiment beside it has served its purpose.
            self._refuse_others(owner)
            return self.restore(on_progress)

        def put(if_revision: int | None) -> Accepted:
            if if_revision is None:
                return self._client.apply(profile.to_yaml())
            tried = self._client.profile("experiment")
            if Profile.from_text(tried["document"]) == profile:
                return self._client.commit(tried["revision"])
            again = self._client.apply(profile.to_yaml(), ttl_s=_RENEW_S, if_revision=if_revision, owner=_short(owner))
            assert again.revision is not None, "an experiment has a revision"
            return self._client.commit(again.revision)

        return self._bring(put, profile, owner, on_progress, undo=self.rollback if self._can_return() else None)

    def verify(self, on_progress: OnProgress) -> Outcome:
        with _sentences():
            self._subscribe()
            before = self._client.status()["devices"]["drifts"]
            job = self._client.wait(self._client.verify(), _told(on_progress, "reading back"))
            status = self._client.status()
            drifted = status["devices"]["drifts"] - before
            doubtful = counted_wrong(status["devices"]["states"]) or status["devices"].get("not_ready")
            rows = self._client.devices() if doubtful else []
            away = self._away(status)
            nowhere = held_by_none(self._client, status)
        wrong = [_device(row) for row in rows if (row["present"] or row.get("not_ready")) and not known_state(row["state"]).check]
        message = f"{status['devices']['states'].get('applied', 0):,} devices hold the wanted tables"
        message += remarks_on(counted_wrong(status["devices"]["states"]))
        if not_ready := status["devices"].get("not_ready"):
            message += f"; {not_ready:,} {NOT_READY}"
        if drifted:
            message += f"; {drifted:,} values differed and were set again"
        if job["state"] != "done":
            message += f"; not all were read: {job['message']}"
        if nowhere is not None:
            message += f"; {nowhere}"
        return Outcome(
            revision=_revision(status),
            message=message + told_away(away),
            devices=_counts(status),
            drifted=drifted,
            wrong=wrong[:_NAMED],
            away=away,
            nowhere=nowhere is not None,
        )

    def ask_devices(self, on_progress: OnProgress) -> Outcome:
        with _sentences():
            self._subscribe()
            job = self._client.wait(self._client.probe_nvidia(), _told(on_progress, "asking devices"))
            status = self._client.status()
        message = f"of the devices, {in_words(reported_dialects(status) or {})}"
        if job["state"] != "done":
            message += f"; not all were asked: {job['message']}"
        return Outcome(revision=_revision(status), message=message, devices=_counts(status))

    def clear_foreign(self, on_progress: OnProgress) -> Outcome:
        with _sentences():
            self._subscribe()
            status = self._client.status()
            if not status["devices"]["states"].get("foreign"):
                return Outcome(revision=_revision(status), message="no device is foreign", devices=_counts(status))
            try:
                count, job = self._client.clear_foreign()
            except RpcError as error:
                if error.code == rpc.NOTHING:
                    raise BadInputError(error.message) from error
                raise
            if job is None:
                raise BusyError(f"{count:,} devices are to be cleared as soon as something can be sent")
            ended = self._client.wait(job, _told(on_progress, "clearing NVIDIA's attributes"))
            status = self._client.status()
            return self._brought(f"{count:,} foreign devices: {ended['message']}", status, self._not_holding())

    def restore(self, on_progress: OnProgress) -> Outcome:
        with _sentences():
            self._subscribe()
            experiment = self._client.status()["experiment"]
            if experiment is not None and self._still_runs(experiment["revision"]):
                self._settle(self._client.rollback(experiment["revision"]), on_progress, "restoring the base profile")
            status = self._client.status()
            if status["base"] is None and _as_found(status) is None:  # then there is nothing that devices should hold
                return Outcome(revision=0, message="there is no base profile yet", devices=_counts(status))
            if status["base"] is None:
                return self._brought(f"{_FOUND} is in force", status, self._not_holding())
            return self._brought(f"the base profile '{status['base']['name']}' is in force", status, self._not_holding())

    def rollback(self, on_progress: OnProgress) -> Outcome:
        with _sentences():
            self._subscribe()
            self._refuse_others(None)
            try:
                accepted = self._client.rollback(self._client.status()["wanted"] or 1)
            except RpcError as error:
                if error.code == rpc.NOTHING:
                    raise NothingToUndoError(error.message) from error
                raise
            self._settle(accepted, on_progress, "going back to the former base profile")
            status = self._client.status()
            base = status["base"]
            now = f"{_FOUND} is in force again" if base is None else f"the base profile is '{base['name']}' again"
            return self._brought(now, status, self._not_holding())

    def adopted(self, name: str) -> Adopted:
        with _sentences():
            try:
                adopted = adopt(self._client, name)
            except RpcError as error:
                if error.code in (rpc.NOTHING, rpc.METHOD_NOT_FOUND):
                    raise BadInputError(error.message) from error
                raise
        sentences = [f"No profile says all that {one.sentence}" for one in not_said(adopted.plan)[:_NAMED]]
        if adopted.unread:
            sentences.insert(0, f"{adopted.unread[0].upper()}{adopted.unread[1:]}")
        return Adopted(profile=adopted.profile, not_said=sentences, devices_not_said=adopted.plan["devices"])

    def discovered(self, name: str) -> Imported:
        with _sentences():
            return of_subnet(self._client.subnet(), name=name, devices=self._client.devices())

    def close(self) -> None:
        self._client.close()

    def _bring(
        self,
        put: Callable[[int | None], Accepted],
        profile: Profile,
        owner: str,
        on_progress: OnProgress,
        *,
        undo: Callable[[OnProgress], Outcome] | None,
    ) -> Outcome:
        """Has the devices hold it, or undoes it: devices that failed before are no reason for that, but the outcome names them as
        well. Without `undo`, as of a first base, which nothing can take the place of, it stays in force whatever devices do, and
        the plugin keeps trying."""
        with _sentences(profile):
            self._require_master()
            self._subscribe()
            lame = {(device.guid, device.port) for device in self._not_holding()}
            mine = self._refuse_others(owner)
            ended = self._settle(put(mine), on_progress, f"applying '{profile.name}'")
            status = self._client.status()
            failing = self._not_holding()
            # A foreign device was so before, though it may not have been asked.
            wrong = [device for device in failing if (device.guid, device.port) not in lame and device.state != "foreign"]
            failed = ended is not None and ended["state"] == "failed"
            why = str(ended["message"] if ended is not None and failed else status["pending"])
            if undo is None and (failed or status["pending"]):
                now = "is not in force" if status["base"] is None else "is the base profile now, but is not in force"
                raise NeedsPersonError(f"profile '{profile.name}' {now}: {why}; there is no former base profile to go back to")
            if undo is not None and (failed or wrong or status["pending"]):
                what = f"'{wrong[0].name}' ({wrong[0].guid}) is {wrong[0].state}" if wrong else why
                more = f" and {len(wrong) - 1} more devices do not hold it either" if len(wrong) > 1 else ""
                if not failed:  # then the plugin has gone back by itself; it may also have by now
                    with suppress(NothingToUndoError):
                        undo(on_progress)
                again = _FOUND if self._client.status()["base"] is None else "the base profile"
                raise ApplyFailedError(f"profile '{profile.name}' is not in force: {what}{more}; {again} is in force again")
            return self._brought(f"profile '{profile.name}' is in force", status, failing)

    def _brought(self, message: str, status: Mapping[str, Any], wrong: Sequence[Device]) -> Outcome:
        away, nowhere = self._away(status), held_by_none(self._client, status)
        message += remarks_on(counted_wrong(status["devices"]["states"], apply=True)) + told_away(away)
        return Outcome(
            revision=_revision(status),
            message=message if nowhere is None else f"{message}; {nowhere}",
            devices=_counts(status),
            wrong=wrong[:_NAMED],
            away=away,
            nowhere=nowhere is not None,
        )

    def _away(self, status: Mapping[str, Any]) -> list[str]:
        return names_away(self._client.devices()) if status["devices"]["away"] else []

    def _base(self) -> dict[str, Any] | None:
        """The base profile with its document; None: there is none yet."""
        with _sentences():
            return None if self._client.status()["base"] is None else self._client.profile("base")

    def _can_return(self) -> bool:
        """There is a base, or what devices were found with is kept."""
        with _sentences():
            status = self._client.status()
        return status["base"] is not None or _as_found(status) is not None

    def _require_master(self) -> None:
        role = self._client.status()["role"]
        if role not in ("master", "sweep-failed", "halted"):
            raise UnreachableError(f"the OpenSM plugin is {role}; its OpenSM must be MASTER to change a fabric")

    def _refuse_others(self, owner: str | None) -> int | None:
        """The revision of the owner's experiment. Raises BusyError if it is somebody else's."""
        experiment = self._client.status()["experiment"]
        if experiment is None:
            return None
        if owner is not None and experiment["owner"] == _short(owner):
            return int(experiment["revision"])
        left = experiment["remaining_s"]
        until = "until it is ended" if left is None else f"for {left:.0f} s more"
        raise BusyError(
            f"{experiment['owner'] or 'somebody'} has a trial run of profile '{experiment['name']}' on this fabric "
            f"{until}; restore ends it"
        )

    def _still_runs(self, revision: int) -> bool:
        """A rollback without an experiment would undo the base, so this one is kept from ending between two calls."""
        try:
            self._client.renew(revision, _RENEW_S)
        except RpcError:
            return False
        return True

    def _settle(self, accepted: Accepted, on_progress: OnProgress, text: str) -> dict[str, Any] | None:
        """Waits until the plugin has done what it can: a job may give way to another, as after a sweep."""
        job, ended = accepted.job, None
        for _ in range(_TRIES):
            if job is None:
                break
            ended = self._client.wait(job, _told(on_progress, text))
            latest = self._client.status()["job"]
            job = latest["id"] if latest is not None and latest["id"] > job and latest["state"] == "running" else None
        return ended

    def _subscribe(self) -> None:
        self._client.subscribe(["applied", "restored", "progress"])

    def _not_holding(self) -> list[Device]:
        """Devices that do not hold the profile in force, as the commands count them."""
        if not counted_wrong(self._client.status()["devices"]["states"], apply=True):
            return []
        return [_device(row) for row in not_holding(self._client.devices())]

    def _held(self, which: Any, row: Mapping[str, Any]) -> Held:
        found = self._client.profile(which)
        document = Profile.from_text(found["document"]).to_yaml()
        return Held(name=row["name"], document=document, revision=row["revision"], since_s=row["since_s"])

    def _former(self) -> Held | None:
        history = self._client.profile("base")["history"]
        try:
            found = self._client.profile(revision=history[0]["revision"]) if history else None
        except RpcError:  # somebody has gone back to it just now
            return None
        if found is None:
            return None
        document = found["document"]
        with suppress(ProfileError):  # of another version of the plugin, say: it is shown by its name then
            document = Profile.from_text(document).to_yaml()
        return Held(name=found["name"], document=document, revision=found["revision"], since_s=found["since_s"])

    def _experiment(self, row: Mapping[str, Any]) -> Experiment | None:
        try:
            profile = self._held("experiment", row)
        except RpcError:  # it has ended just now
            return None
        left = row["remaining_s"]
        return Experiment(profile=profile, owner=row["owner"], ends_at_s=None if left is None else time.time() + left)


@contextmanager
def _sentences(profile: Profile | None = None) -> Iterator[None]:
    """The plugin's refusals as what the service knows."""
    try:
        yield
    except RpcError as error:
        if error.code == rpc.INVALID_PARAMS:
            what = "" if profile is None else f"profile '{profile.name}': "
            raise BadInputError(what + error.message) from error
        if error.code == rpc.BUSY:
            raise BusyError(error.message) from error
        raise UnreachableError(f"the OpenSM plugin reports: {error.message}") from error


def _told(on_progress: OnProgress, text: str) -> Callable[[dict[str, Any]], None]:
    return lambda event: on_progress(event["settled"], event["devices"], text)


def _short(owner: str) -> str:
    return owner.encode()[:MAX_OWNER_BYTES].decode(errors="ignore")


def _revision(status: Mapping[str, Any]) -> int:
    row = status["experiment"] or status["base"]
    return 0 if row is None else int(row["revision"])


def _counts(status: Mapping[str, Any]) -> dict[str, int]:
    return counted({state.replace("-", "_"): count for state, count in status["devices"]["states"].items()})


def _as_found(status: Mapping[str, Any]) -> AsFound | None:
    """None: the plugin does not keep it, or is of 0.1."""
    found = status.get("as_found")
    if found is None:
        return None
    return AsFound(devices=found["devices"], unread=found["unread"], since_s=found["since_s"], in_force=found["in_force"])


def _unasked(status: Mapping[str, Any]) -> str | None:
    if status["role"] != "standby":
        return UNASKED["conflict"] if status["role"] == "conflict" else None
    return (
        "another subnet manager is master, and this OpenSM is standby: which profile is active, and what devices hold, is not "
        "known here, and the base is what this OpenSM would bring to them as master; give the fabric the socket of the plugin at "
        "the master to see and change it"
    )


def _unkept(status: Mapping[str, Any]) -> str | None:
    """Why devices are not set, as the disk does not have what they were found with; None: it has, or nobody keeps that."""
    reason = status.get("as_found_reason")
    if reason is None or status.get("as_found") is None:
        return None
    return f"devices are not set, as what they were found with cannot be kept: {reason}"


def _not_asked(state: FabricState, profile: Profile) -> Iterator[str]:
    """The plugin asks devices for NVIDIA's attributes when a profile in force needs that; a plan asks nobody."""
    unknown = (state.dialects or {}).get("unknown", 0)
    if unknown and profile.enable and "nvidia" in profile.to_dict():
        yield (
            f"{unknown:,} devices were not asked yet whether they have NVIDIA's attributes, or have not answered, and the plan "
            "lacks what they would be sent of these; ask the devices, and plan again"
        )


def _step(current: Held | None, found: Mapping[str, Any]) -> Step:
    return Step(
        current=current,
        changes=[_change(row) for row in found.get("changes", ())],  # an older plugin only counts them
        devices=found["devices"],
        mads=found["sets"],
        unknown=found["unknown"],
    )


def _change(row: Mapping[str, Any]) -> Change:
    return Change(
        guid=row["guid"],
        port=row["port"],
        name=row["description"],
        attributes=tuple(row["attributes"]),
        mads=row["sets"],
    )


def _device(row: Mapping[str, Any]) -> Device:
    return Device(
        guid=row["guid"],
        port=row["port"],
        kind=row["kind"],
        name=row["description"],
        lid=row["lid"],
        present=row["present"],
        state=row["state"].replace("-", "_"),
        vendor_id=row.get("vendor_id"),  # the plugins of 0.2 have neither these nor the firmware
        device_id=row.get("device_id"),
        firmware=row.get("firmware"),
        firmware_reason=row.get("firmware_reason", NOT_REPORTED),
        dialect=row.get("dialect"),
        withheld=row.get("withheld"),
        remarks=tuple(device_remarks(row)),
        throttles=row["throttles"],
        drifts=row["drifts"],
        timeouts=row["timeouts"],
        applied_at_s=row["applied_at_s"],
    )
