# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The client before it is let in: there is no place yet, or the plugin is of another version."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tuner.opensm.plugin_client import PROTOCOL, PluginClient
from tuner.rpc.protocol import BUSY, PROTOCOL_UNKNOWN, RpcError


@contextmanager
def plugin(path: Path, *answers: dict[str, Any]) -> Iterator[list[dict[str, Any]]]:
    """Answers one client after the other, once each; what they said."""
    heard: list[dict[str, Any]] = []

    def run() -> None:
        for answer in answers:
            accepted, _ = listening.accept()
            with accepted, accepted.makefile("rw") as stream:
                heard.append(json.loads(stream.readline()))
                print(json.dumps({"jsonrpc": "2.0", **answer}), file=stream, flush=True)

    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        listening.listen()
        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        yield heard
        thread.join(timeout=10)
        assert not thread.is_alive()


def error(code: int, message: str, number: int | None = None) -> dict[str, Any]:
    return {"id": number, "error": {"code": code, "message": message, "data": None}}


def test_who_finds_no_place_waits_for_one(tmp_path: Path) -> None:
    full = error(BUSY, "your user has 8 connections, the most that a user may have")
    with plugin(tmp_path / "s", full, full, {"id": 1, "result": {"protocol": PROTOCOL}}) as heard:
        PluginClient(tmp_path / "s").close()
    assert [one["params"] for one in heard] == [{"protocol": PROTOCOL}] * 3


def test_who_may_not_come_in_does_not_wait(tmp_path: Path) -> None:
    with plugin(tmp_path / "s", error(-32007, "only root may")), pytest.raises(RpcError, match="^only root may$"):
        PluginClient(tmp_path / "s")


def test_a_plugin_of_another_version_is_named(tmp_path: Path) -> None:
    with (
        plugin(tmp_path / "s", error(PROTOCOL_UNKNOWN, "protocol 2 is not spoken here; 1 is", 1)),
        pytest.raises(
            RpcError, match=f"^the OpenSM plugin at {tmp_path / 's'} is of another version than this ibcc: protocol 2 is"
        ),
    ):
        PluginClient(tmp_path / "s")
