# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The file of a backup: a tar packed by gzip, whose first member is the manifest with the version and the SHA-256 of each other
member. It is there whole or not at all, and only its owner can read it."""

import gzip
import hashlib
import json
import os
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from tuner.atomic_file import SUFFIX, sync_folder
from tuner.errors import BadInputError

VERSION = 1
MANIFEST = "ibcc-backup.json"
_MOST_MANIFEST_BYTES = 64 * 2**20
_BLOCK = 2**20


class Member(BaseModel):
    """`bytes`: its size. `mode`: its permissions."""

    model_config = ConfigDict(extra="forbid")

    bytes: int
    sha256: str
    mode: int


class Manifest(BaseModel):
    """`schema_revision`: of the database. `settings`: the place of each file of `settings/` on the machine of the backup."""

    model_config = ConfigDict(extra="forbid")

    ibcc_backup: int
    ibcc_version: str
    schema_revision: str
    made_at: str
    database: Literal["sqlite", "postgresql"]
    settings: dict[str, str]
    members: dict[str, Member]


def member_of(file: Path) -> Member:
    """Raises OSError."""
    with file.open("rb") as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()
    found = file.stat()
    return Member(bytes=found.st_size, sha256=digest, mode=found.st_mode & 0o700)


def write_archive(path: Path, manifest: Manifest, folder: Path) -> None:
    """Writes the file with the manifest's members, which lie in the folder. Raises BadInputError."""
    unfinished = path.with_name(path.name + SUFFIX)
    try:
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as file:
                with gzip.GzipFile(filename="", fileobj=file, mode="wb", compresslevel=6) as packed:
                    _write_members(packed, manifest, folder)
                file.flush()
                os.fsync(file.fileno())
            os.link(unfinished, path)  # unlike a rename, it never replaces another file
        finally:
            unfinished.unlink()
        sync_folder(path.parent)
    except FileExistsError as error:
        raise BadInputError(f"{error.filename2 or error.filename} already exists; give a file that does not") from error
    except OSError as error:
        raise BadInputError(f"{path} cannot be written: {error.strerror}; give a place with enough space") from error


def _write_members(file: gzip.GzipFile, manifest: Manifest, folder: Path) -> None:
    with tarfile.open(fileobj=file, mode="w|", format=tarfile.PAX_FORMAT) as tar:
        described = folder / MANIFEST
        described.write_text(manifest.model_dump_json(indent=1), encoding="utf-8")
        for name in (MANIFEST, *manifest.members):
            info = tarfile.TarInfo(name)
            info.size = (folder / name).stat().st_size
            info.mode = 0o600
            with (folder / name).open("rb") as content:
                tar.addfile(info, content)


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Turns what a file may be instead of a backup into a sentence."""
    try:
        yield
    except (EOFError, tarfile.ReadError, zlib.error, gzip.BadGzipFile) as error:
        raise BadInputError(f"{path} is no backup of ibcc, or is cut short or damaged ({error}); give a whole one") from error
    except tarfile.TarError as error:
        raise BadInputError(f"{path} is damaged ({error}); give another backup") from error
    except OSError as error:
        raise BadInputError(f"{path} cannot be read: {error.strerror or error}") from error


def read_manifest(path: Path) -> Manifest:
    """Raises BadInputError."""
    with _told(path), tarfile.open(path, "r|gz") as tar:
        return _manifest_of(tar, path)


def unpack(path: Path, folder: Path) -> Manifest:
    """Puts the members into the folder, and returns the manifest. Raises BadInputError if one of them is missing, is not as the
    manifest says, or is not in it; the folder has some of them then."""
    with _told(path), tarfile.open(path, "r|gz") as tar:
        manifest = _manifest_of(tar, path)
        missing = dict(manifest.members)
        while (info := tar.next()) is not None:
            member = missing.pop(info.name, None)
            content = tar.extractfile(info) if info.isreg() else None
            if member is None or content is None:
                raise BadInputError(f"{path} has {info.name!r:.100}, of which its manifest says nothing; give another backup")
            target = folder / info.name
            target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            digest, size = hashlib.sha256(), 0
            descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, member.mode | 0o600)
            with os.fdopen(descriptor, "wb") as file:
                while block := content.read(_BLOCK):
                    digest.update(block)
                    size += len(block)
                    file.write(block)
                file.flush()
                os.fsync(file.fileno())
            if (digest.hexdigest(), size) != (member.sha256, member.bytes):
                raise BadInputError(f"{path}: {info.name!r:.100} has another SHA-256 than the manifest says; give another backup")
    if missing:
        raise BadInputError(f"{path} lacks {min(missing)!r:.100}; give a whole backup")
    return manifest


def _manifest_of(tar: tarfile.TarFile, path: Path) -> Manifest:
    info = tar.next()
    content = None if info is None or info.name != MANIFEST else tar.extractfile(info)
    if info is None or content is None or info.size > _MOST_MANIFEST_BYTES:
        raise BadInputError(f"{path} is no backup of ibcc: it does not begin with {MANIFEST}; give a file of `ibcc backup`")
    text = content.read()
    with suppress(ValueError, TypeError, AttributeError):
        version = json.loads(text).get("ibcc_backup")
        if version != VERSION:
            raise BadInputError(
                f"{path} is a backup in format {version!r:.20}, and this version of ibcc reads format {VERSION}; "
                "restore it with the version that made it"
            )
    try:
        manifest = Manifest.model_validate_json(text)
    except ValidationError as error:
        raise BadInputError(f"{path}: the manifest is damaged: {error.errors()[0]['msg']}; give another backup") from error
    for name in manifest.members:
        parts = PurePosixPath(name).parts
        if not parts or name.startswith("/") or ".." in parts or name == MANIFEST:
            raise BadInputError(f"{path} has a member {name!r:.100} outside of its folder; give a file of `ibcc backup`")
    return manifest
