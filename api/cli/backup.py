# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc backup`: one file with all that a service keeps."""

from pathlib import Path
from typing import Annotated

import typer

from tuner.cli import common
from tuner.errors import BadInputError, UnreachableError

app = typer.Typer()


@app.command()
def backup(
    file: Annotated[Path, typer.Argument(help="File to write; it must not exist.")],
    state_folder: Annotated[Path | None, typer.Option(help="State folder of the service.")] = None,
    database_url: Annotated[str | None, typer.Option(metavar="URL", help="Database of the service.")] = None,
) -> None:
    """Write a backup of the service into one file, while it runs.

    The file has the database, the campaigns' stores and all else in the state folder, and the settings with the files that they
    name, such as keys. Protect it as these. By default settings are those of `ibcc serve`: run it as the service's user.

    Example: `ibcc backup ibcc-monday.backup`
    """
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import SQLAlchemyError

    from api.access.principal import machine_user
    from api.backups.making import make_backup
    from api.configuration.settings import load_settings
    from api.database.engine import Database
    from api.database.upgrade import upgrade

    settings = load_settings(state_folder=state_folder, database_url=database_url)
    url = make_url(settings.database)
    if url.get_backend_name() == "sqlite" and not (url.database and Path(url.database).is_file()):
        raise BadInputError(f"there is no database {url.database}; give the --state-folder of the service")
    database = Database(settings.database)
    try:
        upgrade(database.engine)
        manifest, remarks = make_backup(settings, database, file, machine_user())
    except SQLAlchemyError as error:
        raise UnreachableError(f"the database cannot be read: {str(error).splitlines()[0]}") from error
    finally:
        database.close()
    for remark in remarks:
        common.note(remark)
    size_bytes = sum(member.bytes for member in manifest.members.values())
    campaigns = len({name.split("/")[2] for name in manifest.members if name.startswith("state/campaigns/")})
    common.note(
        f"{file}: {manifest.database} database, stores of campaigns: {campaigns}, files of settings: {len(manifest.settings)}; "
        f"{size_bytes / 2**20:.1f} MiB before packing"
    )
