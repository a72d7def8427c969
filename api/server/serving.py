# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The process of a service: it listens, tells where, and runs until it is told to end."""

import gc
import signal
import socket
from types import FrameType

import uvicorn
from fastapi import FastAPI

from api.base import logs
from api.configuration.settings import LOOPBACK, Settings
from api.database.engine import Database
from api.events.hub import Hub
from api.server.app import create_app
from api.server.connections import Limits, limited
from api.services import setup
from tuner.cli import common
from tuner.errors import BadInputError

_DRAIN_S = 5
"""Longest time that pending answers may take when the server ends; event streams are cut before."""


def run(settings: Settings) -> None:
    """Raises BadInputError where it cannot listen."""
    logs.configure(settings.log_format, settings.log_level)
    database = Database(settings.database)
    try:
        application = create_app(settings, database)
        with _listening(settings) as listener:
            url = _url(settings, listener)
            _tell(settings, database, url)
            config = server_config(application, settings)
            # All objects made so far live as long as the process. Scanning them would hold up a request for 100 ms.
            gc.collect()
            gc.freeze()
            # uvicorn raises the signal that ended it once more, when all is done: whoever asked for the end got it.
            signal.signal(signal.SIGTERM, lambda *_: None)
            _Server(config, application.state.hub).run(sockets=[listener])
    finally:
        database.close()


def server_config(application: FastAPI, settings: Settings) -> uvicorn.Config:
    """How uvicorn serves the application."""
    return uvicorn.Config(
        application,
        http=limited(Limits.of(settings)),
        ws="none",  # there are no WebSockets, and they would be connections without limits
        log_config=None,
        access_log=False,  # our own has no queries in it
        server_header=False,
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=settings.trusted_proxies,
        ssl_certfile=settings.tls_certificate,
        ssl_keyfile=settings.tls_key,
        timeout_graceful_shutdown=_DRAIN_S,
    )


class _Server(uvicorn.Server):
    """Streams never end by themselves: they are ended first, or each stop would take its whole time."""

    def __init__(self, config: uvicorn.Config, hub: Hub) -> None:
        super().__init__(config)
        self._hub = hub

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._hub.end_streams()
        super().handle_exit(sig, frame)


def _listening(settings: Settings) -> socket.socket:
    """Bound before anything is printed: whoever reads the link can open it."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((settings.host, settings.port))
        listener.listen(1024)
    except OSError as error:
        listener.close()
        raise BadInputError(
            f"cannot listen on {settings.host} port {settings.port}: {error.strerror or error}; choose another --host or --port"
        ) from error
    return listener


def _url(settings: Settings, listener: socket.socket) -> str:
    host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(settings.host, settings.host)
    host = f"[{host}]" if ":" in host and not host.startswith("[") else host
    return f"http{'s' if settings.tls_certificate else ''}://{host}:{listener.getsockname()[1]}"


def _tell(settings: Settings, database: Database, url: str) -> None:
    with database.writing() as session:
        secret = setup.new_setup_secret(session) if setup.is_needed(session) else None
    # The secret is behind the #: browsers do not send that, so that it is in no log, not a proxy's either.
    print(f"{url}/setup#token={secret}" if secret else url, flush=True)
    common.note("open the link above to create the first admin; it works once" if secret else "log in at the address above")
    if settings.host not in LOOPBACK and settings.tls_certificate is None and not settings.trusted_proxies:
        common.note(
            f"{settings.host} is not loopback, and passwords go over the network in the clear: "
            "set tls_certificate and tls_key, or have a proxy do TLS and name it in trusted_proxies"
        )
