# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Stands where ssh does: starts COMMAND in the tests' virtual machine, whose server listens at PORT and asks for TOKEN. Standard
input and output are that program's."""

import json
import os
import socket
import sys
import threading


def main(port: str, token: str, *command: str) -> None:
    request = {"token": token, "argv": command, "environment": {}, "folder": "/tmp", "stderr": "/dev/null"}
    connection = socket.create_connection(("127.0.0.1", int(port)))
    connection.sendall(json.dumps(request).encode() + b"\n")

    def hand_on() -> None:
        while data := os.read(0, 65536):
            connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)

    threading.Thread(target=hand_on, daemon=True).start()
    while data := connection.recv(65536):
        os.write(1, data)


main(*sys.argv[1:])
