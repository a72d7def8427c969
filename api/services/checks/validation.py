# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Validation of a check's text on a fabric: for editors, while somebody types."""

from sqlalchemy.orm import Session

from api.access.principal import Principal
from api.base.problems import Problem
from api.database.models.fabric import Fabric
from api.documents.validation import DocumentValidation
from api.services.checks.files import MAX_DOCUMENT_BYTES, named, unplaced_check, with_stand_ins
from api.services.document_findings import Findings
from api.services.fabric_routing import low_capacity
from tuner.documents.check import Check
from tuner.errors import BadInputError


def check_validation(session: Session, principal: Principal, document: str, *, name: str, fabric: Fabric) -> DocumentValidation:
    """Validates a document, and returns its problems."""
    findings = Findings(document, most_bytes=MAX_DOCUMENT_BYTES, what="a check")
    if findings.written is not None:
        for sentence in low_capacity(fabric) if fabric.kind == "simulated" else ():
            findings.aside().add_at((), sentence)
        try:
            placed = with_stand_ins(named(findings.written.document, name=name, fabric=fabric), fabric)
            if findings.examined(Check, placed) is not None:
                unplaced_check(session, principal, fabric, name, document)
        except BadInputError as error:
            findings.add_error(error)
        except Problem as error:
            findings.add_at((), str(error))
    return DocumentValidation(valid=findings.valid, problems=findings.problems, warnings=findings.warnings)
