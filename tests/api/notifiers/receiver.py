# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""An HTTP server on loopback that keeps what it gets and answers as the test says."""

import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


class Receiver(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        self.got: list[tuple[str, dict[str, str], bytes]] = []
        self.answer: Callable[[Any], None] = lambda handler: handler.simple(204)
        super().__init__(("127.0.0.1", 0), _Handler)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        server = self.server
        assert isinstance(server, Receiver)
        body = self.rfile.read(int(self.headers["Content-Length"]))
        server.got.append((self.path, {key.lower(): value for key, value in self.headers.items()}, body))
        server.answer(self)

    def simple(self, status: int, **headers: str) -> None:
        self.send_response(status)
        for key, value in headers.items():
            self.send_header(key, value)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *given: object) -> None:
        pass


@contextmanager
def receiving(certificate: tuple[Path, Path] | None = None) -> Iterator[Receiver]:
    """`certificate`: its file and its key's, for HTTPS."""
    server = Receiver()
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
