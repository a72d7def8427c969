# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc restore`: a service as a backup has it."""

from pathlib import Path
from typing import Annotated

import typer

from tuner.cli import common

app = typer.Typer()


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(help="File that `ibcc backup` has written.")],
    state_folder: Annotated[Path | None, typer.Option(help="State folder to restore into; it must be empty.")] = None,
    database_url: Annotated[str | None, typer.Option(metavar="URL", help="Database to restore into; it must be empty.")] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Set aside what is in the state folder, in a folder there.")] = False,
) -> None:
    """Restore a service from a file of `ibcc backup`.

    All of the file is checked before anything changes. Settings and keys are put into a folder of the state folder, and ibcc
    prints where they belong. Stop the service and its workers first.

    Example: `ibcc restore ibcc-monday.backup --state-folder /var/lib/ibcc/service`
    """
    from api.access.principal import machine_user
    from api.backups.restoring import restore_backup
    from api.configuration.settings import load_settings

    settings = load_settings(state_folder=state_folder, database_url=database_url)
    restored = restore_backup(settings, file, machine_user(), replace=replace)
    if restored.former is not None:
        common.note(f"what was there before is in {restored.former}; delete it when you do not need it any more")
    for path, place in restored.settings.items():
        common.note(f"{path} was {place}")
    made = f"of {restored.manifest.made_at}, made by version {restored.manifest.ibcc_version}"
    common.note(f"{settings.state_folder} is that of {file} {made}; start the service, and look at `fabric state`")
