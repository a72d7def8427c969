# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Validation of a workload's text, and its flows on a fabric: for editors, while somebody types."""

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy.orm import Session

from api.access.principal import Principal
from api.database.models.fabric import Fabric
from api.documents.validation import FlowPreview, WorkloadValidation
from api.fabric_drivers.documents import WiringOptions, built_wiring
from api.services.document_findings import Findings
from api.services.fabrics import get_fabric
from api.services.workloads import MAX_DOCUMENT_BYTES, builtin_workloads, workload_refusals
from tuner.document_base.model import MOST_PROBLEMS, DocumentProblem
from tuner.document_base.yaml_core import Place
from tuner.documents import catalogue
from tuner.documents.flow import Flow
from tuner.documents.workload import Workload, load_workload
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric
from tuner.placement.on_fabric import on_fabric
from tuner.simulation.flows import simulated_flows

MOST_FLOWS = 100_000
"""Flows that patterns may make here; as for suggestions."""
MOST_SHOWN = 200


def workload_validation(
    session: Session, principal: Principal, document: str, *, name: str | None, fabric: str | None
) -> WorkloadValidation:
    """`name`: what the workload is to be called in the service. `fabric`: where its hosts are looked for; None: on the one that
    it names, if that is known. Raises NotFound for `fabric`; what is wrong with the document is in the answer."""
    wanted = None if fabric is None else get_fabric(session, fabric)
    findings = Findings(document, most_bytes=MAX_DOCUMENT_BYTES, what="a workload")
    read = None if findings.written is None else findings.examined(Workload, findings.written.document)
    place, shown = None, None
    if read is not None:
        is_builtin = read.name in builtin_workloads() and document == builtin_workloads()[read.name].document
        for one in workload_refusals(read, None if is_builtin else name or read.name):
            findings.add(one)
        # A file that somebody else names is not opened.
        if is_builtin or not any(getattr(pattern, "file", None) is not None for pattern in read.patterns):
            placeable = load_workload(read.name) if is_builtin else read
            place, shown = _shown(session, principal, placeable, findings, wanted)
    return WorkloadValidation(
        valid=findings.valid,
        problems=findings.problems,
        warnings=findings.warnings,
        fabric=place,
        placed=shown is not None and shown.placed,
        duration_s=None if shown is None else shown.workload.duration_s,
        flows=[] if shown is None else [_preview(shown.workload, one) for one in shown.workload.flows[:MOST_SHOWN]],
        flows_total=None if shown is None else len(shown.workload.flows),
    )


@dataclass(frozen=True, kw_only=True)
class _Shown:
    """A workload whose flows are all known."""

    workload: Workload
    placed: bool


def _shown(
    session: Session, principal: Principal, read: Workload, findings: Findings, wanted: Fabric | None
) -> tuple[str | None, _Shown | None]:
    """The name of the fabric on which the flows were looked for, if there is one, and the workload there, if it fits."""
    built = _built(wanted) if wanted is not None else _named(session, principal, read.fabric)
    if built is None:
        name = read.fabric if wanted is None else wanted.name
        findings.aside().add(
            DocumentProblem(("fabric",), f"the wiring of fabric '{name}' is unknown here; no host was looked for")
        )
        return None, None if read.patterns or not read.flows else _Shown(workload=read, placed=False)
    place = read.fabric if wanted is None else wanted.name
    notes = findings if wanted is not None else findings.aside()
    try:
        found = on_fabric(read, built, fabric=place, most_flows=MOST_FLOWS)
        workload = found.workload.expanded(built.hosts, most_flows=MOST_FLOWS)
        simulated_flows(built, workload)
        return place, _Shown(workload=workload, placed=found.placed)
    except BadInputError as error:
        strangers = _strangers(built, read.flows)
        for one in strangers:
            notes.add(one)
        if not strangers:
            notes.add(DocumentProblem(_blamed(built, read), error.sentence))
        return place, None


def _blamed(built: BuiltFabric, read: Workload) -> Place:
    """The pattern that does not fit the fabric; what else does not fit is the workload as a whole."""
    for i, pattern in enumerate(read.patterns):
        try:
            pattern.expand(built.hosts, read.duration_s)
        except BadInputError:
            return ("patterns", i)
    return ()


def _built(fabric: Fabric) -> BuiltFabric | None:
    options = {key: fabric.options.get(key) for key in ("fabric", "document")}
    return built_wiring(WiringOptions(**options))


def _named(session: Session, principal: Principal, name: str) -> BuiltFabric | None:
    """The service's fabric of that name, or the one that comes with ibcc; None: there is none."""
    if principal.may_use(name) and (fabric := session.get(Fabric, name)) is not None:
        return _built(fabric)
    return built_wiring(WiringOptions(fabric=name)) if name in catalogue.names("fabric") else None


def _strangers(built: BuiltFabric, flows: Iterable[Flow]) -> list[DocumentProblem]:
    """The ends of flows that the fabric does not have, as many as are shown."""
    found: list[DocumentProblem] = []
    known: dict[str, str | None] = {}
    for i, flow in enumerate(flows):
        for key, host in (("src", flow.src), ("dst", flow.dst)):
            if host not in known:
                known[host] = _why_unknown(built, host)
            if (why := known[host]) is not None:
                found.append(DocumentProblem(("flows", i, key), why))
        if len(found) >= MOST_PROBLEMS:
            break
    return found


def _why_unknown(built: BuiltFabric, host: str) -> str | None:
    try:
        built.endport(host)
    except BadInputError as error:
        return error.sentence
    return None


def _preview(read: Workload, flow: Flow) -> FlowPreview:
    destinations = getattr(flow, "destinations", None)
    return FlowPreview(
        name=flow.name,
        src=flow.src,
        dst=flow.dst if destinations is None else destinations.describe(),
        role=flow.role,
        start_s=flow.start_s,
        stop_s=read.stop_of(flow),
        rate_gbps=flow.rate_gbps,
    )
