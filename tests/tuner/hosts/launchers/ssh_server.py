# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A real sshd on this machine, of this user, whose only key may run one forced command."""

import getpass
import os
import shlex
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

SSHD = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
PATIENCE_S = 300.0


@dataclass(frozen=True)
class Server:
    options: list[str]
    """What ssh needs to be told to get there."""


def missing() -> str | None:
    """Why there can be no server here."""
    if SSHD is None or shutil.which("ssh") is None:
        return "no sshd: Debian's package openssh-server has it"
    return None


@contextmanager
def serving(folder: Path, command: Sequence[str], *, allowed: str = "") -> Iterator[Server]:
    """Until the end of the `with`, ssh runs that command here, whatever else it is told. `allowed`: what else the key may do, in
    authorized_keys' words. Set up as docs/operate/hosts.md has it: a block for the user alone names the file with the key,
    outside of the user's home; it is root's where the test is."""
    assert SSHD is not None
    for name in ("host_key", "user_key"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)], check=True)
    forced = shlex.join(command).replace('"', '\\"')
    public = (folder / "user_key.pub").read_text()
    keys = folder / "authorized_keys.d"
    keys.mkdir(mode=0o755)
    (keys / getpass.getuser()).write_text(f'restrict,{f"{allowed}," if allowed else ""}command="{forced}" {public}')
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    settings = {
        "ListenAddress": f"127.0.0.1:{port}",
        "HostKey": folder / "host_key",
        "AuthorizedKeysFile": "none",
        "PidFile": "none",
        "StrictModes": "no",  # the folder is below /tmp
        "UsePAM": "no",
        "PasswordAuthentication": "no",
        "MaxStartups": "200",
        "LogLevel": "ERROR",
    }
    block = f"Match User {getpass.getuser()}\n    AuthorizedKeysFile {keys}/%u\n    PermitTTY no\n    PermitUserRC no\n"
    (folder / "sshd_config").write_text("".join(f"{key} {value}\n" for key, value in settings.items()) + block)
    make_separation_folder()
    (folder / "known_hosts").write_text(f"[127.0.0.1]:{port} {(folder / 'host_key.pub').read_text()}")
    server = subprocess.Popen([SSHD, "-D", "-e", "-f", str(folder / "sshd_config")], stderr=subprocess.DEVNULL)
    try:
        _wait_until_it_listens(server, port)
        yield Server(
            ["-F/dev/null", f"-p{port}", f"-i{folder / 'user_key'}", f"-l{getpass.getuser()}", "-oIdentitiesOnly=yes",
             f"-oUserKnownHostsFile={folder / 'known_hosts'}", "-oStrictHostKeyChecking=yes"]
        )  # fmt: skip
    finally:
        server.terminate()
        server.wait(PATIENCE_S)


def make_separation_folder() -> None:
    """Where sshd goes before anybody has said who they are. Its service makes it, and only root needs it."""
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)


def _wait_until_it_listens(server: "subprocess.Popen[bytes]", port: int) -> None:
    until = time.monotonic() + PATIENCE_S
    while True:
        assert server.poll() is None, "sshd ended at once"
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            assert time.monotonic() < until, "sshd does not listen"
            time.sleep(0.05)
