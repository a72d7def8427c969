# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Validation of a workload's text, and its flows on a fabric: for editors, while somebody types."""

from collections.abc import Iterable, Sequence

from sqlalchemy.orm import Session

from api.access.principal import Principal
from api.database.models.fabric import Fabric
from api.documents.validation import FlowPreview, WorkloadValidation
from api.fabric_drivers.documents import WiringOptions, built_wiring
from api.services.document_findings import MOST_PROBLEMS, Findings
from api.services.fabrics import get_fabric
from api.services.workloads import MAX_DOCUMENT_BYTES, builtin_workloads, workload_refusals
from tuner.document_base.model import DocumentProblem
from tuner.documents import catalogue
from tuner.documents.flow import Flow
from tuner.documents.workload import Workload
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric

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
    place, flows = None, None
    if read is not None:
        is_builtin = read.name in builtin_workloads() and document == builtin_workloads()[read.name].document
        for one in workload_refusals(read, None if is_builtin else name or read.name):
            findings.add(one)
        place, flows = _flows(session, principal, read, findings, wanted)
    return WorkloadValidation(
        valid=findings.valid,
        problems=findings.problems,
        warnings=findings.warnings,
        fabric=place,
        duration_s=None if read is None else read.duration_s,
        flows=[] if read is None else [_preview(read, one) for one in (flows or ())[:MOST_SHOWN]],
        flows_total=None if flows is None else len(flows),
    )


def _flows(
    session: Session, principal: Principal, read: Workload, findings: Findings, wanted: Fabric | None
) -> tuple[str | None, Sequence[Flow] | None]:
    """The name of the fabric on which the flows were looked at, if there is one, and all flows, if they are known."""
    built = _built(wanted) if wanted is not None else _named(session, principal, read.fabric)
    if built is None:
        return None, None if read.patterns else read.flows
    place = read.fabric if wanted is None else wanted.name
    return place, _flows_on(built, read, findings, refused=wanted is not None)


def _built(fabric: Fabric) -> BuiltFabric | None:
    options = {key: fabric.options.get(key) for key in ("fabric", "document")}
    return built_wiring(WiringOptions(**options))


def _named(session: Session, principal: Principal, name: str) -> BuiltFabric | None:
    """The service's fabric of that name, or the one that comes with ibcc; None: there is none."""
    if principal.may_use(name) and (fabric := session.get(Fabric, name)) is not None:
        return _built(fabric)
    return built_wiring(WiringOptions(fabric=name)) if name in catalogue.names("fabric") else None


def _flows_on(built: BuiltFabric, read: Workload, findings: Findings, *, refused: bool) -> tuple[Flow, ...] | None:
    """All flows on the fabric; None, with the reasons among the findings, if patterns do not fit it. `refused`: what does not
    fit is a problem, and not only a warning."""
    notes = findings if refused else findings.aside()
    for one in _strangers(built, read.flows):
        notes.add(one)
    places = [("patterns", i) for i in range(len(read.patterns))]
    flows = list(read.flows)
    for place, pattern in zip(places, read.patterns, strict=True):
        try:
            flows += pattern.expand(built.hosts, read.duration_s)
        except BadInputError as error:
            notes.add(DocumentProblem(place, error.sentence))
            return None
        if len(flows) > MOST_FLOWS:
            notes.add(
                DocumentProblem(place, f"there are more than {MOST_FLOWS:,} flows on this fabric, the most that are read here")
            )
            return None
    return tuple(flows)


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
