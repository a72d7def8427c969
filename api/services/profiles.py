# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Profiles: those that ship, which nobody changes, and people's own, in versions."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from sqlalchemy import select
from sqlalchemy.orm import Session

from api.access.audit import record_audit
from api.access.principal import Principal
from api.base.problems import Conflict, InvalidInput, NotFound
from api.database.models.profile import ProfileVersion, StoredProfile
from api.fabric_drivers.base import digest_of
from api.services.belonging import changed_owner, owner_of_new, require_readable, require_writable
from ccsim.policy import Profile, ProfileError
from tuner.documents import catalogue
from tuner.documents.profile import load_profile
from tuner.errors import BadInputError

MAX_DOCUMENT_BYTES = 1024 * 1024


@dataclass(frozen=True, kw_only=True)
class VersionedProfile:
    """One version of one profile, of either kind."""

    name: str
    version: int
    document: str
    """The text as its author wrote it."""
    digest: str
    """Digest of the canonical text."""
    comment: str
    builtin: bool
    archived: bool = False
    belongs_to: str | None = None
    created_at: datetime | None = None
    created_by: str | None = None

    @property
    def profile(self) -> Profile:
        return Profile.from_text(self.document)


@lru_cache(maxsize=1)
def builtin_profiles() -> dict[str, VersionedProfile]:
    """Returns the profiles that come with ibcc, by name."""
    found = {}
    for name in catalogue.names("profile"):
        text = catalogue.find("profile", name).read_text(encoding="utf-8")
        digest = digest_of(load_profile(name).to_yaml())
        found[name] = VersionedProfile(
            name=name, version=1, document=text, digest=digest, comment="Comes with ibcc.", builtin=True
        )
    return found


def read_profile(document: str, *, name: str | None = None) -> Profile:
    """Raises BadInputError with the line; also if the document has another name than `name`."""
    if len(document.encode(errors="surrogatepass")) > MAX_DOCUMENT_BYTES:
        raise BadInputError(f"document has {len(document):,} characters; a profile has at most {MAX_DOCUMENT_BYTES:,} bytes")
    try:
        profile = Profile.from_text(document)
    except ProfileError as error:
        raise BadInputError(error.sentence, source="document", line=error.line) from error
    if name is not None and profile.name != name:
        raise BadInputError(
            f"the document's name is '{profile.name}'; it must be '{name}', the name of the profile in the service"
        )
    return profile


def all_profiles(session: Session, *, archived: bool) -> list[VersionedProfile]:
    """The latest version of each."""
    query = (
        select(StoredProfile, ProfileVersion)
        .join(ProfileVersion, (ProfileVersion.profile == StoredProfile.name) & (ProfileVersion.version == StoredProfile.latest))
        .order_by(StoredProfile.name)
    )
    if not archived:
        query = query.where(~StoredProfile.archived)
    own = [_versioned(profile, version) for profile, version in session.execute(query)]
    return [*builtin_profiles().values(), *own]


def get_profile(session: Session, name: str, version: int | None = None) -> VersionedProfile:
    """Returns that version of a profile, or the latest. Raises NotFound."""
    builtin = builtin_profiles().get(name)
    stored = None if builtin else session.get(StoredProfile, name)
    if builtin is not None and version in (None, 1):
        return builtin
    if builtin is None and stored is None:
        raise NotFound(f"There is no profile {name!r:.80}.")
    row = None if stored is None else session.get(ProfileVersion, (name, version or stored.latest))
    if row is None or stored is None:
        latest = 1 if stored is None else stored.latest
        raise NotFound(f"Profile '{name}' has no version {version}; it has 1 to {latest}.")
    return _versioned(stored, row)


def versions_of(session: Session, name: str) -> list[VersionedProfile]:
    """Returns the versions of a profile, the newest first. Raises NotFound."""
    latest = get_profile(session, name)
    if latest.builtin:
        return [latest]
    stored = session.get(StoredProfile, name)
    assert stored is not None
    query = select(ProfileVersion).where(ProfileVersion.profile == name).order_by(ProfileVersion.version.desc())
    return [_versioned(stored, row) for row in session.scalars(query)]


def create_profile(
    session: Session, principal: Principal, name: str, document: str, comment: str, belongs_to: str | None = None
) -> VersionedProfile:
    """Raises Conflict if the name is taken, by an archived one too: its versions are what others may refer to. `belongs_to`: a
    fabric; Forbidden where a token may not."""
    fabric = owner_of_new(session, principal, f"profile '{name}'", belongs_to)
    if name in builtin_profiles():
        raise Conflict(f"'{name}' is a profile that comes with ibcc; choose another name.")
    digest = digest_of(read_profile(document, name=name).to_yaml())
    old = session.get(StoredProfile, name)
    if old is not None:
        state = "an archived profile" if old.archived else "a profile"
        raise Conflict(f"There is {state} '{name}' already; PUT makes a new version of it.")
    stored = StoredProfile(name=name, fabric=fabric, created_by=principal.username)
    version = ProfileVersion(
        profile=name, version=1, document=document, digest=digest, comment=comment, created_by=principal.username
    )
    session.add(stored)
    session.flush()
    session.add(version)
    session.flush()
    detail = {"comment": comment} | _owner(fabric)
    record_audit(session, principal, "profile.create", f"profile {name} version 1", fabric=fabric, detail=detail)
    return _versioned(stored, version)


def locked_profile(session: Session, principal: Principal, name: str) -> StoredProfile:
    """The row, for a change. Raises NotFound, Conflict for one that ships, and Forbidden for one that is not the token's."""
    if name in builtin_profiles():
        raise Conflict(f"'{name}' comes with ibcc and cannot be changed; make a copy under another name.")
    stored = session.get(StoredProfile, name, with_for_update=True)
    if stored is None:
        raise NotFound(f"There is no profile {name!r:.80}.")
    require_readable(principal, "profile", name, stored.fabric)
    require_writable(principal, f"profile '{name}'", stored.fabric)
    return stored


def add_version(
    session: Session, principal: Principal, stored: StoredProfile, document: str, comment: str, belongs_to: str | None
) -> VersionedProfile:
    """Brings an archived one back, too. `belongs_to`: from now on. Raises BadInputError."""
    owner = changed_owner(session, principal, f"profile '{stored.name}'", stored.fabric, belongs_to)
    moved = {} if owner == stored.fabric else {"belongs_to": {"from": stored.fabric, "to": owner}}
    stored.fabric = owner
    digest = digest_of(read_profile(document, name=stored.name).to_yaml())
    stored.latest += 1
    stored.archived = False
    version = ProfileVersion(
        profile=stored.name,
        version=stored.latest,
        document=document,
        digest=digest,
        comment=comment,
        created_by=principal.username,
    )
    session.add(version)
    session.flush()
    object = f"profile {stored.name} version {stored.latest}"
    detail = {"comment": comment} | moved
    record_audit(session, principal, "profile.change", object, fabric=stored.fabric, detail=detail)
    return _versioned(stored, version)


def archive_profile(session: Session, principal: Principal, stored: StoredProfile) -> None:
    """It is not listed any more; its versions can still be read, as promotions refer to them."""
    if stored.archived:
        raise NotFound(f"Profile '{stored.name}' is archived already.")
    stored.archived = True
    record_audit(session, principal, "profile.archive", f"profile {stored.name}", fabric=stored.fabric)


def known_versions(session: Session, digests: Iterable[str]) -> dict[str, tuple[str, int]]:
    """Returns the name and version of the profile with each digest of a canonical text, by digest; the newest where several have
    it."""
    wanted = set(digests)
    query = select(ProfileVersion).where(ProfileVersion.digest.in_(wanted)).order_by(ProfileVersion.created_at)
    found = {row.digest: (row.profile, row.version) for row in session.scalars(query)}
    return found | {one.digest: (one.name, 1) for one in builtin_profiles().values() if one.digest in wanted}


def require_version(version: int | None) -> None:
    if version is not None and version < 1:
        raise InvalidInput(f"version: {version} is not a version; they count from 1")


def _owner(fabric: str | None) -> dict[str, str]:
    return {} if fabric is None else {"belongs_to": fabric}


def _versioned(stored: StoredProfile, row: ProfileVersion) -> VersionedProfile:
    return VersionedProfile(
        name=stored.name,
        version=row.version,
        document=row.document,
        digest=row.digest,
        comment=row.comment,
        builtin=False,
        archived=stored.archived,
        belongs_to=stored.fabric,
        created_at=row.created_at,
        created_by=row.created_by,
    )
