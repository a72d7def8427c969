# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc-worker`: runs jobs beside the server, on the same machine or another one with the same PostgreSQL database."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tuner.cli.main import run
from tuner.cli.stop_signals import await_stop
from tuner.errors import BadInputError

if TYPE_CHECKING:
    from api.configuration.settings import Settings

app = typer.Typer(add_completion=False, rich_markup_mode="markdown")


@app.command(name="ibcc-worker")
def worker(
    slots: Annotated[int, typer.Option(help="Jobs that run at once.", min=1, max=64)] = 1,
    state_folder: Annotated[
        Path | None, typer.Option(help="Folder for scratch files. It must be the server's if the database is a file there.")
    ] = None,
    database_url: Annotated[str | None, typer.Option(metavar="URL", help="Database of the server.")] = None,
) -> None:
    """Run the jobs of an ibcc service, mostly campaigns. Start `ibcc serve` with `workers = 0`, and this on any number of
    machines. Ctrl-C and SIGTERM put its jobs back into the queue; if it is killed, another worker resumes them. Settings as
    those of `ibcc serve`."""
    # Only now, so that who lacks the service's packages gets `ibcc`'s sentence about them.
    from api.base import logs
    from api.configuration.settings import load_settings
    from api.database.engine import Database
    from api.database.upgrade import upgrade
    from api.jobs.worker import Worker

    settings = load_settings(state_folder=state_folder, database_url=database_url)
    logs.configure(settings.log_format, settings.log_level)
    _require_database(settings)
    database = Database(settings.database)
    upgrade(database.engine)
    loop = Worker(database, settings, slots=slots, place="any")
    loop.start()
    print(
        f"ibcc-worker: {loop.identity} takes jobs of {database.engine.url.render_as_string(hide_password=True)}",
        file=sys.stderr,
        flush=True,
    )
    await_stop()
    loop.stop()
    database.close()


def _require_database(settings: "Settings") -> None:
    """A worker beside an empty database of its own would wait for ever. Raises BadInputError."""
    from sqlalchemy.engine import make_url

    url = make_url(settings.database)
    if url.get_backend_name() == "sqlite" and not (url.database and Path(url.database).is_file()):
        raise BadInputError(
            f"there is no database {url.database}; a worker takes the jobs of a server's, so give it the server's state_folder "
            "if both are on this machine, and else a database_url postgresql://USER@HOST/DATABASE to both"
        )


def main() -> None:
    """Entry point."""
    sys.exit(run(sys.argv[1:], app, "ibcc-worker"))
