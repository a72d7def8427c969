# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The client before it is let in: there is no place yet, or the plugin is of another version; and pages of the subnet."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from tuner.errors import UnreachableError
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
            RpcError,
            match=f"^IBCC0803: the OpenSM plugin at {tmp_path / 's'} is of another version than this ibcc: protocol 2 is",
        ),
    ):
        PluginClient(tmp_path / "s")


def test_who_listens_and_says_nothing_is_not_waited_for_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tuner.opensm.plugin_client.ANSWER_S", 0.1)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "s"))
        listening.listen(0)
        right = (
            f"the OpenSM plugin at {tmp_path / 's'} has said nothing for 0.1 s; check that the process that listens "
            "there is the right one, and is not stopped"
        )
        waiting = [socket.socket(socket.AF_UNIX) for _ in range(2)]
        for full in (False, True):  # no connection is accepted any more once too many wait
            with pytest.raises(UnreachableError) as told:
                PluginClient(tmp_path / "s")
            assert str(told.value) == right
            for one in waiting[: 0 if full else 2]:
                one.setblocking(False)
                with suppress(BlockingIOError):
                    one.connect(str(tmp_path / "s"))
        for one in waiting:
            one.close()


def subnet_page(method: str, guids: list[str], *, sweep: int, after: str | None = None) -> dict[str, Any]:
    rows = [{"guid": guid, "lft": "/wE=", "sl2vl": None} if method == "routes" else {"guid": guid} for guid in guids]
    return {"result": {method: rows, "next": after, "sweep": sweep, "sweep_ok": True, "engine": "ftree", "sl_by_path": False}}


def conversation(path: Path, *answers: dict[str, Any], methods: tuple[str, ...] = ("links", "routes")) -> Any:
    hello = {"result": {"protocol": PROTOCOL, "version": "0.1.0", "methods": methods}}
    return plugin_once(path, hello, *answers)


@contextmanager
def plugin_once(path: Path, *answers: dict[str, Any]) -> Iterator[list[dict[str, Any]]]:
    """Answers one client's calls one after the other; what it has called."""
    heard: list[dict[str, Any]] = []

    def run() -> None:
        accepted, _ = listening.accept()
        with accepted, accepted.makefile("rw") as stream:
            for answer in answers:
                call = json.loads(stream.readline())
                heard.append({"method": call["method"], **call["params"]})
                print(json.dumps({"jsonrpc": "2.0", **answer, "id": call["id"]}), file=stream, flush=True)

    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        listening.listen()
        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        yield heard
        thread.join(timeout=10)
        assert not thread.is_alive()


def test_links_of_several_pages_are_one_list(tmp_path: Path) -> None:
    pages = [subnet_page("links", ["0x1", "0x2"], sweep=7, after="0x2"), subnet_page("links", ["0x3"], sweep=7)]
    with conversation(tmp_path / "s", *pages) as heard, PluginClient(tmp_path / "s") as client:
        assert [row["guid"] for row in client.links()] == ["0x1", "0x2", "0x3"]
    assert heard[1:] == [{"method": "links"}, {"method": "links", "after": "0x2"}]


def test_a_sweep_between_pages_makes_it_begin_again(tmp_path: Path) -> None:
    answers = [
        subnet_page("links", ["0x1"], sweep=7),
        subnet_page("routes", ["0x1"], sweep=8),
        error(BUSY, "OpenSM sweeps"),
        {"result": {"role": "master", "sweeps": {}}},
        subnet_page("links", ["0x1", "0x2"], sweep=8),
        subnet_page("routes", ["0x2"], sweep=8),
    ]
    with conversation(tmp_path / "s", *answers) as heard, PluginClient(tmp_path / "s") as client:
        subnet = client.subnet()
        assert [row["guid"] for row in subnet.links] == ["0x1", "0x2"]
        assert subnet.routes == [{"guid": "0x2", "lft": b"\xff\x01", "sl2vl": None}]
        assert (subnet.engine, subnet.sl_by_path, subnet.complete) == ("ftree", False, True)
    assert [call["method"] for call in heard[1:]] == ["links", "routes", "links", "status", "links", "routes"]


@pytest.mark.parametrize("role", ["standby", "master"])
def test_who_cannot_tell_the_subnet_is_not_asked_for_ever(tmp_path: Path, role: str) -> None:
    answers = [error(BUSY, "the subnet is not known now"), {"result": {"role": role, "sweeps": {}}}]
    answers = answers[: 2 if role == "standby" else 1]
    with (
        conversation(tmp_path / "s", *answers),
        PluginClient(tmp_path / "s") as client,
        pytest.raises(RpcError, match="^the subnet is not known now$"),
    ):
        client.links(patience_s=60.0 if role == "standby" else -1.0)


def test_sweeps_without_end_are_said(tmp_path: Path) -> None:
    answers = [subnet_page("links", ["0x1"], sweep=7), subnet_page("routes", ["0x1"], sweep=8)]
    with (
        conversation(tmp_path / "s", *answers),
        PluginClient(tmp_path / "s") as client,
        pytest.raises(RpcError, match="sweeps again and again"),
    ):
        client.subnet(patience_s=-1.0)


def test_a_plugin_without_the_method_is_named(tmp_path: Path) -> None:
    with (
        conversation(tmp_path / "s", methods=("status",)),
        PluginClient(tmp_path / "s") as client,
        pytest.raises(RpcError, match=r"^IBCC0803: the OpenSM plugin 0\.1\.0 has no method 'links'; install that of this ibcc$"),
    ):
        client.links()
