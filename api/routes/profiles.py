# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Profiles and their versions."""

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Response
from pydantic import BaseModel, ConfigDict, Field

from api.access.dependencies import Operator, Reading, Viewer, Writing
from api.access.principal import Principal
from api.base.problems import Conflict, NotFound
from api.documents.profiles import ProfileDocument, Validation
from api.http.openapi import also
from api.http.pages import Page, Paging, paginate_list
from api.http.preconditions import IfMatch, etag, require_match, set_etag
from api.routes.database import CurrentDatabase
from api.routes.fields import BelongsTo, BelongsToFromNow, Body, Name, Text
from api.services import profiles
from api.services.belonging import is_readable, require_readable
from api.services.profile_parameters import parameters
from api.services.profile_validation import validation
from api.services.profiles import VersionedProfile

router = APIRouter(tags=["profiles"])

_PathVersion = Annotated[int, Path(ge=1, le=2**31 - 1)]
_EXAMPLE = "ibcc_profile: 1\nname: mine\nenable: false\n"


class NewProfile(Body):
    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "mine", "document": _EXAMPLE, "comment": "A start."}]})

    name: Name
    document: Annotated[Text, Field(max_length=profiles.MAX_DOCUMENT_BYTES, description="A profile document (YAML).")]
    comment: Annotated[Text, Field(max_length=2000)] = ""
    belongs_to: BelongsTo = None


class NewVersion(Body):
    model_config = ConfigDict(json_schema_extra={"examples": [{"document": _EXAMPLE, "comment": "A slower timer."}]})

    document: Annotated[Text, Field(max_length=profiles.MAX_DOCUMENT_BYTES)]
    comment: Annotated[Text, Field(max_length=2000)] = ""
    belongs_to: BelongsToFromNow = None


class ToValidate(Body):
    model_config = ConfigDict(json_schema_extra={"examples": [{"document": _EXAMPLE, "fabric": "two-switch"}]})

    document: Annotated[Text, Field(max_length=profiles.MAX_DOCUMENT_BYTES)]
    fabric: Name | None = Field(None, description="Fabric on which to check it, too.")


class Change(BaseModel):
    path: str
    from_: Any = Field(alias="from", description="Null: the key is missing.")
    to: Any


class DiffDocument(BaseModel):
    changes: list[Change]


class ParameterDocument(BaseModel):
    path: str
    label: str
    help: str
    unit: str | None
    minimum: float | None
    maximum: float | None
    exclusive_minimum: bool
    default: Any
    kind: str = Field(description="`integer`, `number`, `boolean`, `choice` or `other`.")
    choices: list[Any]
    required: bool


def _document(profile: VersionedProfile) -> ProfileDocument:
    return ProfileDocument(**asdict(profile), etag=etag(profile.version))


def _readable(principal: Principal, profile: VersionedProfile) -> VersionedProfile:
    require_readable(principal, "profile", profile.name, profile.belongs_to)
    return profile


@router.get("/profiles", response_model=Page[ProfileDocument])
def list_profiles(
    principal: Viewer,
    session: Reading,
    page: Paging,
    q: Annotated[Text | None, Query(max_length=64, description="Part of the name.")] = None,
    archived: bool = False,
) -> object:
    """List the latest version of each profile, by name."""
    found = [
        found_profile
        for found_profile in profiles.all_profiles(session, archived=archived)
        if (q is None or q.lower() in found_profile.name) and is_readable(principal, found_profile.belongs_to)
    ]
    items, cursor = paginate_list(found, lambda profile: profile.name, page)
    return {"items": [_document(profile) for profile in items], "next_cursor": cursor}


@router.post("/profiles", status_code=201, responses=also(Conflict, NotFound))
def create_profile(principal: Operator, session: Writing, body: NewProfile, response: Response) -> ProfileDocument:
    """Create the first version of a profile. Nothing on a fabric changes."""
    profile = profiles.create_profile(session, principal, body.name, body.document, body.comment, body.belongs_to)
    set_etag(response, profile.version)
    response.headers["Location"] = f"/api/v1/profiles/{profile.name}"
    return _document(profile)


@router.get("/profiles/parameters")
def list_profile_parameters(principal: Viewer) -> list[ParameterDocument]:
    """List the keys that a profile can have, with meaning, range, unit and default."""
    return [ParameterDocument.model_validate(asdict(one)) for one in parameters()]


@router.post("/profiles/validate", responses=also(NotFound))
def validate_profile(principal: Viewer, session: Reading, database: CurrentDatabase, body: ToValidate) -> Validation:
    """Validate a profile document: return its errors, and the delays of its CCT. Nothing is stored."""
    if body.fabric is not None:
        principal.require_fabric(body.fabric)
    return validation(session, database, body.document, body.fabric)


@router.get("/profiles/{name}")
def get_profile(principal: Viewer, session: Reading, name: Name, response: Response) -> ProfileDocument:
    """Return the latest version of a profile."""
    profile = _readable(principal, profiles.get_profile(session, name))
    set_etag(response, profile.version)
    return _document(profile)


@router.put("/profiles/{name}", responses=also(Conflict))
def change_profile(
    principal: Operator, session: Writing, name: Name, body: NewVersion, response: Response, if_match: IfMatch = None
) -> ProfileDocument:
    """Add a version of a profile. Former versions are kept, and nothing on a fabric changes."""
    stored = profiles.locked_profile(session, principal, name)
    require_match(if_match, stored.latest, f"profile '{name}'")
    owner = body.belongs_to if "belongs_to" in body.model_fields_set else stored.fabric
    profile = profiles.add_version(session, principal, stored, body.document, body.comment, owner)
    set_etag(response, profile.version)
    return _document(profile)


@router.delete("/profiles/{name}", status_code=204, responses=also(Conflict))
def archive_profile(principal: Operator, session: Writing, name: Name, if_match: IfMatch = None) -> None:
    """Archive a profile. Lists omit it; its versions can still be read, and a new version restores it."""
    stored = profiles.locked_profile(session, principal, name)
    require_match(if_match, stored.latest, f"profile '{name}'")
    profiles.archive_profile(session, principal, stored)


@router.get("/profiles/{name}/versions", response_model=Page[ProfileDocument])
def list_profile_versions(principal: Viewer, session: Reading, name: Name, page: Paging) -> object:
    """List the versions of a profile, newest first."""
    found = [_readable(principal, one) for one in profiles.versions_of(session, name)]
    items, cursor = paginate_list(found, lambda profile: f"{2**31 - profile.version:010}", page)
    return {"items": [_document(profile) for profile in items], "next_cursor": cursor}


@router.get("/profiles/{name}/versions/{version}")
def get_profile_version(principal: Viewer, session: Reading, name: Name, version: _PathVersion) -> ProfileDocument:
    """One version."""
    return _document(_readable(principal, profiles.get_profile(session, name, version)))


@router.get("/profiles/{name}/diff")
def diff_profile(
    principal: Viewer,
    session: Reading,
    name: Name,
    from_: Annotated[
        int | None, Query(alias="from", ge=1, le=2**31 - 1, description="Version of this profile; by default the latest.")
    ] = None,
    to: Annotated[int | None, Query(ge=1, le=2**31 - 1, description="Version of `other`; by default its latest.")] = None,
    other: Annotated[Name | None, Query(description="Profile to compare with; by default the same one.")] = None,
) -> DiffDocument:
    """Return the keys in which two versions, or two profiles, differ."""
    one = _readable(principal, profiles.get_profile(session, name, from_)).profile
    another = _readable(principal, profiles.get_profile(session, other or name, to)).profile
    return DiffDocument.model_validate(
        {"changes": [{"path": path, "from": here, "to": there} for path, here, there in one.diff(another)]}
    )
