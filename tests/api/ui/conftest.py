# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The web interface in a browser: Debian's Chromium, on a service of the tests' own."""

import json
import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest
from playwright.sync_api import Browser

from api.configuration.settings import Settings
from api.services.setup import new_setup_secret
from tests.api.service import Service
from tests.api.ui.visitor import PASSWORD, Site, Visitor
from tests.browser import chromium, required


@pytest.fixture(scope="session")
def built(root: Path) -> Path:
    """Folder of the built interface. Without it, or without Chromium, these tests are skipped; under continuous integration
    they fail."""
    required()
    folder = root / "api/ui/dist"
    if not (folder / "index.html").exists():
        reason = "the web interface is not built: make ui"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return folder


@pytest.fixture(scope="package")
def browser(built: Path) -> Iterator[Browser]:
    """For these tests and no others: as long as Playwright is there, the thread that the tests run in has a running event loop,
    and whatever calls asyncio.run() in it fails."""
    with chromium() as one:
        yield one


@contextmanager
def serving(ibcc: Path, folder: Path, port: int = 0, settings_file: Path | None = None) -> Iterator[tuple[str, str]]:
    """`ibcc serve`, on a free port by default: its address, and the token of the first start's link; empty if that was before."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith("IBCC_")}
    if settings_file is not None:
        variables["IBCC_CONFIG"] = str(settings_file)
    variables["IBCC_INVENTORY_PROGRAMS"] = "true"  # the hosts of tests are agents of this machine
    command = [ibcc, "serve", "--port", port, "--state-folder", folder / "state", "--workers", "1"]
    with (
        (folder / "log").open("w") as log,
        subprocess.Popen(
            [str(word) for word in command], stdout=subprocess.PIPE, stderr=log, text=True, env=variables
        ) as process,
    ):
        try:
            assert process.stdout is not None
            link = process.stdout.readline()
            found = re.fullmatch(r"(http://[^/\s]+)(?:/setup#token=(\S+))?\n", link)
            assert found, f"{link!r}\n{(folder / 'log').read_text()}"
            yield found[1], found[2] or ""
        finally:
            process.terminate()
            process.wait(30)


@pytest.fixture(scope="module")
def site(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A service that is set up, with the session of its administrator, anna. For a module, so that its tests find what they left
    there and nothing else, whatever else the same process tests.

    In this process, which has imported it already: `ibcc serve` takes seconds of CPU to start. Tests of what users start have
    serving()."""
    with own_site(tmp_path_factory.mktemp("site")) as one:
        yield one


@contextmanager
def own_site(folder: Path) -> Iterator[Site]:
    """A site in a folder that has none yet."""
    service = Service(Settings(state_folder=folder / "state", workers=1, inventory_programs=True))
    try:
        with service.database.writing() as session:
            token = new_setup_secret(session)
        with service.served() as url:
            yield set_up(url, token, folder)
    finally:
        service.close()


def set_up(url: str, token: str, folder: Path) -> Site:
    """Makes anna the administrator, as the link of the first start does; her session lies in `folder`, as browsers keep it."""
    # Without a time-out: a hash of the password takes as long as the machine is busy.
    answer = httpx2.post(f"{url}/api/v1/setup", json={"token": token, "username": "anna", "password": PASSWORD}, timeout=None)
    assert answer.status_code == 201, answer.text
    cookies = [
        {
            "name": cookie.name,
            "value": cookie.value,
            "domain": httpx2.URL(url).host,
            "path": cookie.path,
            "expires": cookie.expires,
            "httpOnly": True,
            "secure": cookie.secure,
            "sameSite": "Strict",
        }
        for cookie in answer.cookies.jar
    ]
    session = folder / "session.json"
    session.write_text(json.dumps({"cookies": cookies, "origins": []}), encoding="utf-8")
    return Site(url, session)


@pytest.fixture
def visitor(browser: Browser, site: Site) -> Iterator[Visitor]:
    """Anna, at a desk."""
    with Visitor.arriving(browser, site) as one:
        yield one
