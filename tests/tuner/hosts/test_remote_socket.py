# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import getpass
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.opensm_plugin.conftest import library, load, plugin_bed
from tests.tuner.backends.conftest import emulate, standing, two_switch
from tests.tuner.backends.standing import SITE, Standing
from tests.tuner.hosts.launchers.ssh_server import Server, missing, serving
from tuner.documents.profile import load_profile
from tuner.errors import BadInputError, UnreachableError
from tuner.hosts.fabric_control import PluginFabric
from tuner.hosts.remote_socket import RemoteSocket

__all__ = ["emulate", "library", "load", "plugin_bed", "standing", "two_switch"]


@pytest.fixture
def folder() -> Iterator[Path]:
    """Its path leaves room for the names of sockets."""
    with tempfile.TemporaryDirectory(prefix="ibcc-") as name:
        yield Path(name)


@pytest.fixture
def server(folder: Path) -> Iterator[Server]:
    if reason := missing():
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    with serving(folder, ["cat"], allowed="port-forwarding") as running:
        yield running


@pytest.fixture
def echo(folder: Path) -> Iterator[Path]:
    """A socket that sends back what it gets."""
    path = folder / "echo"
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen()

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                while data := connection.recv(100):
                    connection.sendall(data)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield path
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    thread.join()


def tunnels(path: Path) -> list[str]:
    """Running processes of ssh that lead to a socket."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = file.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if line.startswith("ssh ") and str(path) in line:
            found.append(line)
    return found


def await_no_tunnel(path: Path) -> None:
    until_s = time.monotonic() + 30
    while found := tunnels(path):
        assert time.monotonic() < until_s, found
        time.sleep(0.02)


def test_what_is_there_answers_here(server: Server, echo: Path) -> None:
    remote = RemoteSocket("127.0.0.1", str(echo), options=server.options)
    try:
        path = remote.open()
        assert remote.open() == path
        assert path.parent.stat().st_mode & 0o077 == 0
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(30)
            client.connect(str(path))
            client.sendall(b"hello")
            assert client.recv(100) == b"hello"
        assert len(tunnels(echo)) == 1
    finally:
        remote.close()
        remote.close()
    await_no_tunnel(echo)
    assert not path.parent.exists()


def test_it_does_not_outlive_whoever_opened_it(server: Server, echo: Path) -> None:
    script = (
        "import sys; from tuner.hosts.remote_socket import RemoteSocket\n"
        "socket = RemoteSocket('127.0.0.1', sys.argv[1], options=sys.argv[2:])\n"
        "socket.open(); print('open', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", script, str(echo), *server.options]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "open\n"
        assert tunnels(echo)
    finally:
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()
    await_no_tunnel(echo)


def test_a_host_that_refuses_is_told_with_its_reason(server: Server, echo: Path, folder: Path) -> None:
    (folder / "authorized_keys.d" / getpass.getuser()).write_text("")
    with pytest.raises(UnreachableError, match=f"the socket {echo} on '127.0.0.1' cannot be reached: .*Permission denied"):
        RemoteSocket("127.0.0.1", str(echo), options=server.options).open()
    with pytest.raises(UnreachableError, match="launching 'no-such-ssh' failed"):
        RemoteSocket("127.0.0.1", str(echo), program="no-such-ssh").open()


@pytest.mark.parametrize(
    ("node", "path"), [("-oProxyCommand=x", "/s"), ("a b", "/s"), ("node", "s"), ("node", "/a:b"), ("node", "/a b")]
)
def test_what_ssh_would_take_for_something_else_is_refused(node: str, path: str) -> None:
    with pytest.raises(BadInputError):
        RemoteSocket(node, path)


@pytest.mark.usefixtures("infiniband_programs", "library")
def test_the_plugin_is_held_and_told_through_it(server: Server, standing: Standing) -> None:
    remote = RemoteSocket("127.0.0.1", str(standing.plugin), options=server.options)
    fabric = PluginFabric(standing.plugin, remote, what="a test", ttl_s=60)
    try:
        fabric.take()
        assert fabric.base == SITE.name
        fabric.put(load_profile("gran-2010"))
        assert standing.holds(load_profile("gran-2010"))
        with standing.client() as client:
            device = client.devices(kind="ca")[0]
        fabric.report_throttles(int(device["port_guid"], 16), "no", "a test")
        with standing.client() as client:
            assert [row["throttles"] for row in client.devices(kind="ca") if row["guid"] == device["guid"]] == ["no"]
        fabric.restore()
        assert standing.holds(SITE)
    finally:
        fabric.release()
    assert standing.is_free()
    await_no_tunnel(standing.plugin)
