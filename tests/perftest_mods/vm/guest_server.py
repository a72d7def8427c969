# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""In the virtual machine: starts a program for each connection, with the connection as its standard input and output.

The first line of a connection is JSON: {"token": TEXT, "argv": [...], "environment": {...}, "folder": PATH, "stderr": "merge" or
a path in the guest}. What follows is the program's. Argument: the token, without which nothing is started. Standard library only;
it starts without site packages, so that an emulated processor need not load them.
"""

import json
import os
import signal
import socket
import sys
from typing import Any

PORT = 1000


def header(connection: socket.socket) -> dict[str, Any]:
    """Byte by byte: what comes after it is for the program."""
    line = b""
    while not line.endswith(b"\n"):
        byte = connection.recv(1)
        if not byte or len(line) > 1 << 16:
            sys.exit(2)
        line += byte
    request: dict[str, Any] = json.loads(line)
    return request


def serve(connection: socket.socket, token: str) -> None:
    request = header(connection)
    if request["token"] != token:
        sys.exit(2)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    stderr = connection.fileno()
    if request["stderr"] != "merge":
        stderr = os.open(request["stderr"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    os.dup2(stderr, 2)
    os.dup2(connection.fileno(), 0)
    os.dup2(connection.fileno(), 1)
    os.closerange(3, 256)
    os.chdir(request["folder"])
    os.environ.update(request["environment"])
    try:
        os.execvp(request["argv"][0], request["argv"])
    except OSError as error:
        print(f"{request['argv'][0]}: {error.strerror}")
        os._exit(127)


def main() -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    listener = socket.create_server(("0.0.0.0", PORT), backlog=64)
    print("@@READY", flush=True)
    while True:
        connection, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            serve(connection, sys.argv[1])
        connection.close()


if __name__ == "__main__":
    main()
