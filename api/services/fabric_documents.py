# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Documents about a fabric: its state, devices and plans, as JSON."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from sqlalchemy.orm import Session

from api.base.times import now
from api.database.models.fabric import Fabric
from api.documents.fabrics import (
    AsFoundOut,
    DeviceCounts,
    DialectCounts,
    Dialects,
    ExperimentOut,
    FabricStateOut,
    PlanDevice,
    PlanNow,
    PlanOut,
    PlanTotals,
    ProfileRef,
)
from api.fabric_drivers.base import FabricState, Held, Plan, Step, digest_of
from api.fabric_drivers.dialects import document_dialects
from api.services.fabric_access import kind_of, spec_of
from api.services.profiles import VersionedProfile, known_versions

_SHORT = 120
"""Characters of an option that a list shows whole."""


_NO_DEVICES = DeviceCounts(**dict.fromkeys(DeviceCounts.model_fields, 0))


def options_summary(options: Mapping[str, Any]) -> str:
    """`fabric two-switch, socket /run/x.sock`; of a long value only its length."""
    return ", ".join(f"{key} {_in_short(value)}" for key, value in options.items())


def _in_short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHORT and "\n" not in text else f"of {len(text):,} characters"


def moment(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)


def unreachable_document(fabric: Fabric, reason: str) -> FabricStateOut:
    return FabricStateOut(
        fabric=fabric.name,
        kind=fabric.kind,
        reachable=False,
        reason=reason,
        sm_state=None,
        active_profile=None,
        base_profile=None,
        former_profile=None,
        experiment=None,
        devices=_NO_DEVICES,
        dialects=_dialects(fabric, None),
        warnings=[],
        checked_at=now(),
    )


def state_document(session: Session, fabric: Fabric, state: FabricState) -> FabricStateOut:
    held = [one for one in (state.active, state.base, state.former) if one is not None]
    names = known_versions(session, (one.digest for one in held))
    experiment = state.experiment
    return FabricStateOut(
        fabric=fabric.name,
        kind=fabric.kind,
        reachable=True,
        sm_state=state.sm_state,
        asks=not state.is_unasked,
        active_profile=profile_ref(state.active, names),
        base_profile=profile_ref(state.base, names),
        former_profile=profile_ref(state.former, names),
        experiment=None if experiment is None else ExperimentOut(owner=experiment.owner, ends_at=moment(experiment.ends_at_s)),
        devices=DeviceCounts(**state.devices),
        dialects=_dialects(fabric, state),
        warnings=list(state.warnings),
        checked_at=now(),
        as_found=None
        if (found := state.as_found) is None
        else AsFoundOut(devices=found.devices, unread=found.unread, since=moment(found.since_s), in_force=found.in_force),
    )


def _dialects(fabric: Fabric, state: FabricState | None) -> Dialects:
    """`state`: None where the fabric cannot be reached."""
    kind, reported = kind_of(fabric), None if state is None else state.dialects
    document = kind.wiring(spec_of(fabric)) if kind.made_by_document else None
    return Dialects(
        reported=None if reported is None else DialectCounts(**reported),
        documented=None if document is None else DialectCounts(**document_dialects(document)),
    )


def profile_ref(held: Held | None, names: Mapping[str, tuple[str, int]]) -> ProfileRef | None:
    return None if held is None else _held_ref(held, names)


def _held_ref(held: Held, names: Mapping[str, tuple[str, int]]) -> ProfileRef:
    known = names.get(held.digest)
    version = known[1] if known is not None and known[0] == held.name else None
    return ProfileRef(name=held.name, version=version, digest=held.digest, revision=held.revision, since=moment(held.since_s))


def plan_document(session: Session, plan: Plan, wanted: VersionedProfile | Held) -> PlanOut:
    """`wanted`: the profile that the plan leads to, as the service or as the fabric knows it."""
    held = [one for one in (plan.current, plan.now.current, wanted) if isinstance(one, Held)]
    names = known_versions(session, [one.digest for one in held])
    now = PlanNow(**_step(plan.now, names))
    based = _step(plan, names)
    return PlanOut(
        digest=plan.digest,
        **based,
        now=None if now == PlanNow(**based) else now,
        wanted=_held_ref(wanted, names)
        if isinstance(wanted, Held)
        else ProfileRef(name=wanted.name, version=wanted.version, digest=digest_of(plan.wanted), revision=None),
        warnings=list(plan.warnings),
    )


def _step(step: Step, names: Mapping[str, tuple[str, int]]) -> dict[str, Any]:
    return {
        "devices": [
            PlanDevice(guid=change.guid, port=change.port, name=change.name, attributes=list(change.attributes), mads=change.mads)
            for change in step.changes
        ],
        "totals": PlanTotals(devices=step.devices, mads=step.mads, unknown=step.unknown),
        "current": profile_ref(step.current, names),
    }
