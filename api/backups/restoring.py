# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Restores backups, while the service is stopped: first all of it is unpacked and checked beside what is there, then each part is
renamed, and the database comes last."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import inspect
from sqlalchemy.engine import make_url
from sqlalchemy.exc import SQLAlchemyError

from api.access.audit import record_audit
from api.access.principal import Principal
from api.backups.archive import Manifest, read_manifest, unpack
from api.backups.dumps import require_unused, restore_postgresql
from api.backups.making import BEFORE, DATABASES, FORMER_SETTINGS, SETTINGS, STATE, UNFINISHED
from api.base.private_folder import make_private_folder
from api.base.times import now
from api.configuration.settings import Settings
from api.database.engine import Database
from api.database.upgrade import VERSION_TABLE, upgrade
from tuner.atomic_file import sync_folder
from tuner.errors import BadInputError, UnreachableError


@dataclass(frozen=True)
class Restored:
    """`former`: the folder that has what was there before. `settings`: where each file of the settings is, and where it was."""

    manifest: Manifest
    former: Path | None
    settings: dict[Path, str]


def require_whole(state_folder: Path) -> None:
    """Raises BadInputError if a restore has begun in the state folder and has not ended."""
    if (state_folder / UNFINISHED).exists():
        raise BadInputError(f"a restore into {state_folder} has not ended; repeat `ibcc restore FILE --replace`")


def restore_backup(settings: Settings, path: Path, who: Principal, *, replace: bool) -> Restored:
    """Raises BadInputError and UnreachableError. Unless the last step fails, nothing has changed then."""
    manifest = read_manifest(path)
    url = make_url(settings.database)
    if url.get_backend_name() != manifest.database:
        raise BadInputError(
            f"{path} is a backup of a service with {manifest.database}, and the database here is {url.get_backend_name()}; "
            "give the --database-url of such a database"
        )
    state = settings.state_folder
    own = Path(str(url.database)) if manifest.database == "sqlite" else None
    try:
        make_private_folder(state)
        if own is not None:
            make_private_folder(own.parent)
            require_unused(own)
        _require_empty(settings, own, replace=replace)
        unfinished = state / UNFINISHED
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(mode=0o700)
        try:
            unpack(path, unfinished)
            copy = unfinished / DATABASES[manifest.database]
            if own is not None:
                _bring_up(f"sqlite:///{copy}", manifest, who, path)
        except BaseException:
            shutil.rmtree(unfinished, ignore_errors=True)
            raise
        if own is None:
            restore_postgresql(settings.database, copy)
            _bring_up(settings.database, manifest, who, path)
        former = _set_aside(state, own)
        placed = _place(unfinished, state, own, manifest)
        _own_as_folder(state)
    except OSError as error:
        raise BadInputError(f"{state} cannot be written: {error.strerror}; give a state folder with enough space") from error
    return Restored(manifest, former, placed)


def _require_empty(settings: Settings, own: Path | None, *, replace: bool) -> None:
    if replace:
        return
    state = settings.state_folder
    found = sorted(one.name for one in state.iterdir())
    if own is not None and own.exists() and own.parent != state:
        found.append(str(own))
    if found:
        raise BadInputError(
            f"{state} is not empty ({found[0]}); give an empty --state-folder, or --replace, which sets aside what is there"
        )
    if own is None:
        database = Database(settings.database)
        try:
            has_tables = inspect(database.engine).has_table(VERSION_TABLE)
        except SQLAlchemyError as error:
            raise UnreachableError(f"the database is not responding: {str(error).splitlines()[0]}") from error
        finally:
            database.close()
        if has_tables:
            raise BadInputError("the database is not empty: it has a service's tables; give an empty one, or --replace")


def _bring_up(url: str, manifest: Manifest, who: Principal, path: Path) -> None:
    """Has the schema of this version, and an entry in the audit log. Raises BadInputError if a newer version made the backup."""
    database = Database(url)
    try:
        upgrade(database.engine)
        with database.writing() as session:
            detail = {"made_at": manifest.made_at, "ibcc_version": manifest.ibcc_version}
            record_audit(session, who, "backup.restore", f"backup {path.name}", detail=detail)
        if database.is_sqlite:
            with database.engine.connect() as connection:
                connection.exec_driver_sql("COMMIT")
                connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    except SQLAlchemyError as error:
        raise BadInputError(
            f"the database in {path} cannot be read: {str(error).splitlines()[0]}; give another backup"
        ) from error
    finally:
        database.close()


def _set_aside(state: Path, own: Path | None) -> Path | None:
    """Moves what is there into a folder, which is returned."""
    found = [one for one in state.iterdir() if one.name != UNFINISHED and not one.name.startswith(BEFORE)]
    if own is not None and own.parent != state:
        found += [one for one in _with_log(own) if one.exists()]
    if not found:
        return None
    former = state / f"{BEFORE}{now():%Y%m%dT%H%M%S}"
    former.mkdir(mode=0o700)
    # The database leaves first and comes last: as long as it is not there, the state folder has no service.
    for one in sorted(found, key=lambda one: own is None or one.name != own.name):
        shutil.move(one, former / one.name)
    return former


def _place(unfinished: Path, state: Path, own: Path | None, manifest: Manifest) -> dict[Path, str]:
    if (unfinished / STATE).exists():
        for one in sorted((unfinished / STATE).iterdir()):
            os.replace(one, state / one.name)
    placed: dict[Path, str] = {}
    if (unfinished / SETTINGS).exists():
        os.replace(unfinished / SETTINGS, state / FORMER_SETTINGS)
        placed = {state / FORMER_SETTINGS / name.partition("/")[2]: place for name, place in manifest.settings.items()}
    for folder in (state, *(one for one in state.rglob("*") if one.is_dir())):
        sync_folder(folder)
    if own is not None:
        shutil.move(unfinished / DATABASES["sqlite"], own)
        sync_folder(own.parent)
    shutil.rmtree(unfinished)
    sync_folder(state)
    return placed


def _with_log(file: Path) -> list[Path]:
    return [file.with_name(file.name + suffix) for suffix in ("", "-wal", "-shm")]


def _own_as_folder(state: Path) -> None:
    """Root restores for the service's user, whose folder it is."""
    owner = state.stat()
    if os.geteuid() != 0 or owner.st_uid == 0:
        return
    for one in state.rglob("*"):
        os.chown(one, owner.st_uid, owner.st_gid, follow_symlinks=False)
