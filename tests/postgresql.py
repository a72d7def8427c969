# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A PostgreSQL server of a test's own: in a temporary folder, on a Unix socket, not as root."""

import os
import pwd
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

_USERS = ("postgres", "nobody")
"""The server refuses to run as root."""


class Server:
    """Running. Databases are made by their names."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def address(self, database: str, template: str | None = None) -> str:
        """Returns the address of a database, which is created if it is not there, as a copy of `template`."""
        import psycopg

        with psycopg.connect(self._url("postgres"), autocommit=True) as connection:
            if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (database,)).fetchone() is None:
                words = [psycopg.sql.Identifier(name) for name in (database, template or "template1")]
                connection.execute(psycopg.sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(*words))
        return self._url(database)

    def _url(self, database: str) -> str:
        return f"postgresql://tester@/{database}?host={quote(str(self._folder), safe='')}"


def binaries() -> Path | None:
    """Where the server's programs are: Debian keeps them off the path."""
    if initdb := shutil.which("initdb"):
        return Path(initdb).resolve().parent
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return found[-1].parent if found else None


@contextmanager
def running(programs: Path) -> Iterator[Server]:
    """A server that is gone at the end, with all that it held."""
    folder = Path(tempfile.mkdtemp(prefix="ibcc-pg-"))
    user = _unprivileged()
    try:
        if user is not None:
            os.chown(folder, user.pw_uid, user.pw_gid)
        who = {} if user is None else {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
        data = folder / "data"
        subprocess.run(
            [programs / "initdb", "-D", data, "-U", "tester", "--auth=trust", "--no-sync", "--encoding=UTF8"],
            check=True,
            cwd=folder,
            capture_output=True,
            **who,  # type: ignore[call-overload]
        )
        options = {"listen_addresses": "", "unix_socket_directories": str(folder), "fsync": "off"}
        process = subprocess.Popen(
            [programs / "postgres", "-D", data, *(word for key, value in options.items() for word in ("-c", f"{key}={value}"))],
            cwd=folder,
            stderr=subprocess.PIPE,
            text=True,
            **who,  # type: ignore[call-overload]
        )
        try:
            said = []
            for line in process.stderr:
                said.append(line)
                if "ready to accept connections" in line:
                    break
            else:
                raise AssertionError(f"PostgreSQL did not start: {''.join(said)}")
            reader = threading.Thread(target=process.stderr.read, daemon=True)  # so that it never waits to say something
            reader.start()
            yield Server(folder)
        finally:
            process.terminate()
            process.send_signal(3)  # SIGQUIT: at once, whoever is connected
            process.wait(timeout=60)
            reader.join(timeout=60)
            process.stderr.close()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _unprivileged() -> pwd.struct_passwd | None:
    """Whom a server of root's runs as; None: as oneself."""
    if os.getuid() != 0:
        return None
    for name in _USERS:
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise AssertionError(f"PostgreSQL does not run as root, and there is no user {' or '.join(_USERS)}")
