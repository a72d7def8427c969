# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Makes backups, while the service and its campaigns run.

The database is copied first and the campaigns' stores after it. A campaign's store has a trial before the database has its row,
so each store has at least the trials of which the database's copy knows.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from pydantic import BaseModel
from sqlalchemy.engine import make_url

from api.access.audit import record_audit
from api.access.principal import Principal
from api.backups.archive import VERSION, Manifest, member_of, write_archive
from api.backups.dumps import copy_sqlite, dump_postgresql, is_sqlite
from api.base.times import now, rfc3339
from api.configuration.settings import CONFIG_VARIABLE, DEFAULT_CONFIG, Settings
from api.database.engine import Database
from api.database.upgrade import current
from tuner.errors import BadInputError

DATABASES = {"sqlite": "database/ibcc.db", "postgresql": "database/ibcc.pgdump"}
"""Member that has the database, by its kind."""
STATE = "state"
"""Folder of the members of the state folder."""
SETTINGS = "settings"
"""Folder of the settings file, of the files that it names, and of the variables."""
UNFINISHED = ".restoring"
BEFORE = "before-restore-"
"""What a restore puts into the state folder."""
FORMER_SETTINGS = "settings-of-backup"
"""Folder of the state folder into which a restore puts settings and keys: where they belong, only an administrator may write."""
ENVIRONMENT = "environment"
"""File of variables beside the settings file, as the units for systemd read it."""
_OWN = (UNFINISHED, FORMER_SETTINGS)
_STAGE = ".ibcc-backup-"
_PASSED_OVER = ("-wal", "-shm", "-journal", ".lock", ".part")


def make_backup(settings: Settings, database: Database, path: Path, who: Principal) -> tuple[Manifest, list[str]]:
    """Writes the file; returns its manifest, and remarks. Raises BadInputError and UnreachableError."""
    if path.exists():
        raise BadInputError(f"{path} already exists; give a file that does not")
    if not path.parent.is_dir():
        raise BadInputError(f"there is no folder {path.parent} for {path.name}; make it first")
    remarks: list[str] = []
    try:
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=_STAGE) as name:
            folder = Path(name)
            manifest = _collect(settings, database, folder, path, remarks)
            write_archive(path, manifest, folder)
    except OSError as error:
        raise BadInputError(f"{path} cannot be made: {error.strerror}; give a place with enough space") from error
    with database.writing() as session:
        record_audit(session, who, "backup.create", f"backup {path.name}", detail={"files": len(manifest.members)})
    return manifest, remarks


def _collect(settings: Settings, database: Database, folder: Path, path: Path, remarks: list[str]) -> Manifest:
    kind = "sqlite" if database.is_sqlite else "postgresql"
    member = folder / DATABASES[kind]
    member.parent.mkdir()
    with database.engine.connect() as connection:
        revision = current(connection)
    own: Path | None = None
    if kind == "sqlite":
        own = Path(str(make_url(settings.database).database))
        copy_sqlite(own, member)
    else:
        dump_postgresql(settings.database, member)
    for file in _state_files(settings.state_folder, remarks):
        if own is not None and file.exists() and file.samefile(own):
            continue
        if file.resolve() in (path.resolve(), *folder.resolve().parents) or folder in file.parents:
            continue
        _copy_state(file, folder / STATE / file.relative_to(settings.state_folder), remarks)
    places = _copy_settings(settings, folder / SETTINGS, remarks)
    members = {str(one.relative_to(folder)): member_of(one) for one in sorted(folder.rglob("*")) if one.is_file()}
    return Manifest(
        ibcc_backup=VERSION,
        ibcc_version=metadata.version("ibcc"),
        schema_revision=str(revision),
        made_at=rfc3339(now()),
        database="sqlite" if database.is_sqlite else "postgresql",
        settings={f"{SETTINGS}/{name}": place for name, place in places.items()},
        members=members,
    )


def _state_files(state: Path, remarks: list[str]) -> Iterator[Path]:
    for parent, folders, names in os.walk(state):
        folders[:] = sorted(one for one in folders if one not in _OWN and not one.startswith((BEFORE, _STAGE)))
        for name in sorted(names):
            file = Path(parent, name)
            if name.endswith(_PASSED_OVER) or not (file.is_symlink() or file.is_file()):  # sockets, for example
                continue
            if file.is_symlink():
                remarks.append(f"{file} is a link, which is left out")
                continue
            yield file


def _copy_state(file: Path, target: Path, remarks: list[str]) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        if is_sqlite(file):
            try:
                copy_sqlite(file, target)
                return
            except BadInputError as error:
                if not file.exists():
                    return
                target.unlink(missing_ok=True)
                remarks.append(f"{error.sentence}; the backup has its bytes as they are")
        shutil.copy2(file, target)
    except FileNotFoundError:  # a campaign was deleted meanwhile
        return


def _copy_settings(settings: Settings, folder: Path, remarks: list[str]) -> dict[str, str]:
    """Returns the place of each file that is copied, by its name in the folder."""
    folder.mkdir()
    config = Path(os.environ.get(CONFIG_VARIABLE) or DEFAULT_CONFIG)
    places: dict[str, str] = {}
    files = [one for one in (config, config.with_name(ENVIRONMENT)) if one.is_file()]
    for number, file in enumerate([*files, *dict.fromkeys(_named_files(settings))]):
        name = f"{number}-{file.name}"
        try:
            shutil.copy2(file, folder / name)
        except OSError as error:
            remarks.append(f"{file} is left out, as it cannot be read: {error.strerror}")
        else:
            places[name] = str(file.absolute())
    variables = {f"IBCC_{name.upper()}": os.environ.get(f"IBCC_{name.upper()}") for name in Settings.model_fields}
    given = {name: value for name, value in variables.items() if value}
    if given:
        text = "".join(f"{name}={value}\n" for name, value in given.items())
        (folder / "variables").write_text(text, encoding="utf-8")
        places["variables"] = "the environment of `ibcc backup`"
    return places


def _named_files(model: BaseModel) -> Iterator[Path]:
    """Yields the files that settings name: keys, certificates, secrets."""
    for name in type(model).model_fields:
        value = getattr(model, name)
        for part in value.values() if isinstance(value, dict) else [value]:
            if isinstance(part, BaseModel):
                yield from _named_files(part)
            elif isinstance(part, Path) and part.is_file():
                yield part
