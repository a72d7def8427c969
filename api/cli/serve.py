# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc serve`: the service, with all of it in one process."""

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer()


@app.command()
def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.", show_default="127.0.0.1")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on; 0 takes any free one.", show_default="8480")] = None,
    state_folder: Annotated[Path | None, typer.Option(help="Folder of the database and of campaigns.")] = None,
    database_url: Annotated[
        str | None, typer.Option(metavar="URL", help="postgresql://USER@HOST/DATABASE instead of a file in the state folder.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option(help="Jobs that run at once in this process; 0 leaves them to `ibcc-worker`.")
    ] = None,
    tls_certificate: Annotated[Path | None, typer.Option(help="PEM file of the certificate: serve HTTPS.")] = None,
    tls_key: Annotated[Path | None, typer.Option(help="PEM file of the certificate's key.")] = None,
) -> None:
    """Serve the web interface and the REST API.

    The first start prints a one-time link that creates the first admin. The service listens on this machine only, unless
    `--host` says otherwise. Each setting can also be given by an `IBCC_…` variable or in /etc/ibcc/ibcc.toml;
    `docs/operate/service.md` lists them.
    """
    from api.configuration.settings import load_settings
    from api.server import serving  # slow to import, with all of the service

    settings = load_settings(
        host=host,
        port=port,
        state_folder=state_folder,
        database_url=database_url,
        workers=workers,
        tls_certificate=tls_certificate,
        tls_key=tls_key,
    )
    serving.run(settings)
