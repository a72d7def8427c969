# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Validation of a campaign's text, on a fabric: for editors, while somebody types."""

from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any

from sqlalchemy.orm import Session

from api.access.principal import Principal
from api.base.problems import Problem
from api.database.models.fabric import Fabric
from api.documents.validation import DocumentValidation
from api.services.campaigns.asked import hosts_of, required_inventory, ways
from api.services.campaigns.files import DOCUMENT, PROFILES, checked_in_place, frozen, profile_file, workload_reference
from api.services.document_findings import Findings
from api.services.fabric_routing import low_capacity
from tuner.campaign.needed_hosts import require_hosts
from tuner.campaign.setup import PRESENT
from tuner.document_base.yaml_core import Document, Place, parse_document
from tuner.documents.campaign import Campaign
from tuner.errors import BadInputError

MAX_DOCUMENT_BYTES = 1024 * 1024
UNNAMED = "campaign"
"""Stands for the name of a document that has none: the service has the campaign's name beside it."""


def campaign_validation(
    session: Session, principal: Principal, document: str, *, fabric: Fabric | None, on_simulator: bool
) -> DocumentValidation:
    """`fabric`: where it is to run; None: only the document itself is looked at. What is wrong with it is in the answer."""
    findings = Findings(document, most_bytes=MAX_DOCUMENT_BYTES, what="a campaign")
    if findings.written is not None:
        read = findings.written.document
        value = {"name": UNNAMED, **read.value} if isinstance(read.value, dict) else read.value
        found = findings.examined(Campaign, Document(read.source, value, read.lines))
        if found is not None and fabric is not None and isinstance(value, dict):
            _look_on(session, principal, fabric, value, findings, on_simulator=on_simulator)
            if on_simulator or fabric.kind == "simulated":
                for sentence in low_capacity(fabric):
                    findings.aside().add_at((), sentence)
    return DocumentValidation(valid=findings.valid, problems=findings.problems, warnings=findings.warnings)


def _look_on(
    session: Session, principal: Principal, fabric: Fabric, value: dict[str, Any], findings: Findings, *, on_simulator: bool
) -> None:
    """Adds to `findings` the problems that create_campaign would find there."""
    for place, name in _references(value):
        try:
            if place[0] in (*PROFILES, "start_from"):
                profile_file(session, principal, name, {}, fabric)
            else:
                workload_reference(session, principal, name, fabric)
        except (BadInputError, Problem) as error:
            findings.add_at(place, error.sentence if isinstance(error, BadInputError) else str(error))
    if not findings.valid:
        return
    files: Mapping[str, str] = {}
    try:
        document = value | ways(fabric, value, {}, on_simulator=on_simulator)
        inventory = required_inventory(session, fabric, document)
        files = frozen(session, principal, fabric, document)
        setup = checked_in_place(files, {}, hosts_of(inventory))
        if inventory is not None:
            require_hosts(setup, search=inventory, confirmation=inventory)
    except BadInputError as error:
        findings.add_at(_blamed(error, files, value), error.sentence)
    except Problem as error:
        findings.add_at((), str(error))


def _references(value: Mapping[str, Any]) -> Iterator[tuple[Place, object]]:
    """The profiles and workloads that a document names."""
    for key in PROFILES:
        if key in value:
            yield (key,), value[key]
    for i, name in enumerate(value.get("start_from") or ()):
        if name != PRESENT:
            yield ("start_from", i), name
    for part in ((), ("screening",), ("confirm_on",)):
        inner: Any = value[part[0]] if part and value.get(part[0]) else {} if part else value
        for i, name in enumerate(inner.get("workloads") or ()):
            yield (*part, "workloads", i), name


def _blamed(error: BadInputError, files: Mapping[str, str], value: Mapping[str, Any]) -> Place:
    """The place in the document that an error of its folder is about; the whole document where the error names none."""
    if error.source == DOCUMENT and error.line is not None:
        lines = parse_document(files[DOCUMENT], source=DOCUMENT).lines
        return min((place for place, line in lines.items() if line == error.line), key=len, default=())
    named = PurePath(error.source or "").stem
    for place, name in _references(value):
        if name == named or f"workload '{name}'" in error.sentence:
            return place
    return ()
