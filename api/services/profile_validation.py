# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Validation of a profile's text, and its effects: for editors, while somebody types."""

from sqlalchemy.orm import Session

from api.database.engine import Database
from api.documents.profiles import CurvePoint, Validation
from api.documents.validation import DocumentProblem
from api.services.document_findings import Findings
from api.services.fabric_access import connected
from api.services.fabrics import get_fabric
from api.services.profiles import MAX_DOCUMENT_BYTES, read_profile
from ccsim.policy import Profile
from tuner.documents.profile_reach import reach
from tuner.documents.profile_warnings import profile_warnings
from tuner.errors import BadInputError


def validation(session: Session, database: Database, document: str, fabric_name: str | None) -> Validation:
    """Raises NotFound and UnreachableError for the fabric; what is wrong with the document is in the answer."""
    try:
        profile = read_profile(document)
    except BadInputError as error:
        return _invalid(document, error)
    warnings = profile_warnings(profile)
    if fabric_name is not None:
        fabric = get_fabric(session, fabric_name)
        with connected(database, fabric) as driver:
            try:
                warnings += driver.plan(profile).warnings
            except BadInputError as error:
                return _invalid(document, error)
    bound = reach(profile)
    return Validation(
        valid=True,
        problems=[],
        warnings=warnings,
        resolved=profile.to_dict(),
        packet_time_ns=profile.packet_time_ns,
        reach=None if bound is None else bound.sentence,
        curve=curve(profile),
    )


def curve(profile: Profile) -> list[CurvePoint]:
    """The CCT as devices hold it."""
    return [
        CurvePoint(
            ccti=entry.index,
            ird_us=None if entry.ird_ns is None else round(entry.ird_ns / 1000, 6),
            ird_packet_times=entry.ird_packet_times,
            shift=entry.shift,
            multiplier=entry.multiplier,
        )
        for entry in profile.encode().entries
    ]


def _invalid(document: str, error: BadInputError) -> Validation:
    return Validation(
        valid=False,
        problems=_problems(document, error),
        warnings=[],
        resolved=None,
        packet_time_ns=None,
        reach=None,
        curve=[],
    )


def _problems(document: str, error: BadInputError) -> list[DocumentProblem]:
    """The one that the reader of profiles reports."""
    findings = Findings(document, most_bytes=MAX_DOCUMENT_BYTES, what="a profile")
    if findings.valid:
        findings.add_error(error)
    return findings.problems
