# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A fabric whose nodes have hostile names, all the way: import, preview, map, search, path, lists, tables, plan, events, mail,
webhook, syslog and metrics. Nothing is executed, nothing is wider than the page, and no name adds a header, a line or a label."""

import csv
import json
import re
import shutil
import socket
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, FilePayload, Page, expect
from prometheus_client.parser import text_string_to_metric_families

from tests.api.notifiers.receiver import Receiver, receiving
from tests.api.notifiers.test_mail import Mailbox, smtp
from tests.api.notifiers.test_syslog import parsed
from tests.api.ui.conftest import serving, set_up
from tests.api.ui.hostile_names import ENDLESS, NAMES, document, expect_harmless
from tests.api.ui.test_watched import control_socket
from tests.api.ui.visitor import Site, Visitor, eventually
from tests.opensm_plugin.conftest import library
from tuner.documents.printable import printable
from tuner.emulator.client import ControlClient

__all__ = ["library"]

WIDTHS = (1440, 390)
LOST = [3, 5, 7, 8, 10]
"""Hosts, as positions in NAMES, that are taken away; OpenSM's is another. Their names are an attribute, a change of direction,
control characters, lines and a formula."""


@dataclass
class Stage:
    """A service, and the receivers that it notifies."""

    site: Site
    mails: Mailbox
    hooks: Receiver
    lines: socket.socket


@pytest.fixture(scope="module")
def stage(built: Path, ibcc: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    folder = tmp_path_factory.mktemp("hostile")
    secret = folder / "secret"
    secret.write_text("whsec_" + "A" * 43 + "=\n")
    secret.chmod(0o600)
    with smtp() as (mails, port), receiving() as hooks, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as lines:
        lines.bind(("127.0.0.1", 0))
        lines.settimeout(30)
        settings = folder / "ibcc.toml"
        settings.write_text(
            f'[notify.ops]\nkind = "mail"\nserver = "localhost"\nport = {port}\ntls = "none"\n'
            'sender = "ibcc@example.org"\nto = ["oncall@example.org"]\ngroup_s = 1\n'
            f'[notify.hook]\nkind = "webhook"\nurl = "http://127.0.0.1:{hooks.server_port}/"\ninsecure_http = true\n'
            f'secret_file = "{secret}"\ngroup_s = 1\n'
            f'[notify.siem]\nkind = "syslog"\nserver = "127.0.0.1"\nport = {lines.getsockname()[1]}\n'
        )
        with serving(ibcc, folder, settings_file=settings) as (url, token):
            yield Stage(set_up(url, token, folder), mails, hooks, lines)


@pytest.fixture
def anna(browser: Browser, stage: Stage) -> Iterator[Visitor]:
    """Somebody whose browser notices whatever a name has done."""
    with Visitor.arriving(browser, stage.site) as one:
        one.page.on("dialog", lambda dialog: one.complaints.append(f"dialog {dialog.message}"))
        one.page.on("request", lambda request: _expect_own(one, stage.site, request.url))
        yield one


def _expect_own(visitor: Visitor, site: Site, url: str) -> None:
    if not url.startswith((site.url, f"blob:{site.url}")):
        visitor.complaints.append(f"request to {url}")


def test_from_the_file_to_map_search_path_and_table(anna: Visitor) -> None:
    page = anna.page
    _import(anna, document([*NAMES, ENDLESS]), "hostile", "simulated")
    for text, name in [("<img src", NAMES[0]), (r"\u202e", NAMES[5]), ("000017", NAMES[7])]:
        page.get_by_role("combobox", name="Find a node").fill(text)
        page.get_by_role("option", name=printable(name)).first.click()
        expect(page.get_by_label("Selected device")).to_contain_text(printable(name))
        expect_harmless(anna)
    for label, text in [("From host", "DROP TABLE"), ("To host", "__proto__")]:
        page.get_by_role("combobox", name=label).fill(text)
        page.get_by_role("option", name=re.compile(re.escape(text))).first.click()
    way = page.get_by_role("region", name="Nodes on the path")
    expect(way.get_by_role("rowheader")).to_have_text([NAMES[12], NAMES[0], NAMES[14]])
    expect_harmless(anna)
    _expect_csv(anna)


@pytest.mark.slow
@pytest.mark.parametrize("width", WIDTHS)
def test_every_page(anna: Visitor, width: int) -> None:
    fabric = f"pages-{width}"
    made = {"name": fabric, "kind": "simulated", "options": {"document": document([*NAMES, ENDLESS])}}
    anna.api("POST", "/fabrics", made)
    anna.page.set_viewport_size({"width": width, "height": 900})
    for path in _pages(anna, fabric):
        anna.visit(path)
        expect_harmless(anna)


def _import(anna: Visitor, text: str, name: str, kind: str) -> None:
    """Imports the document by a file, looks at the preview, and keeps it."""
    page = anna.page
    anna.visit("/fabrics/import")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Choose a file").click()
    file = FilePayload(name='<b onclick=alert(5)>"\u202e.json', mimeType="application/json", buffer=text.encode())
    chooser.value.set_files(file)
    expect(page.get_by_role("application")).to_be_visible()
    expect(page.get_by_text("2 hosts are called")).to_be_visible()
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        expect_harmless(anna)
    page.set_viewport_size({"width": 1440, "height": 900})
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_role("combobox", name="Kind").click()
    page.get_by_role("option", name=re.compile(f"^{kind}")).click()
    page.get_by_role("button", name="Keep").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(name)


def _pages(anna: Visitor, fabric: str) -> list[str]:
    devices = anna.api("GET", f"/fabrics/{fabric}/devices?limit=200")["items"]
    place = f"/fabrics/{fabric}"
    return [
        "/",
        place,
        f"{place}?view=nodes",
        f"{place}?view=links",
        f"{place}?tab=devices",
        f"{place}?tab=versions",
        f"{place}/versions/1",
        *(f"{place}/devices/{device['guid']}" for device in devices[::4]),
        f"/promote?fabric={fabric}&profile=gran-2010",
        f"/profiles/suggest?fabric={fabric}",
        f"/campaigns/new?fabric={fabric}",
        f"/hosts?fabric={fabric}",
        "/events",
        "/events?tab=audit",
        "/settings?tab=fabrics",
    ]


def _expect_csv(anna: Visitor) -> None:
    anna.visit("/fabrics/hostile?tab=devices")
    with anna.page.expect_download() as download:
        anna.page.get_by_role("button", name="hostile-devices as CSV", exact=True).click()
    rows = list(csv.DictReader(Path(download.value.path()).read_text(encoding="utf-8").splitlines()))
    shown = {row["name"] for row in rows}
    assert f"'{NAMES[10]}" in shown, "a spreadsheet does not take it for a formula"
    assert {printable(NAMES[5]), printable(NAMES[8]), f"{ENDLESS[:255]}…"} <= shown
    assert "".join(shown).isprintable()


@pytest.mark.slow
def test_with_opensm_to_the_events_and_every_receiver(
    anna: Visitor, stage: Stage, library: Path, infiniband_programs: None
) -> None:
    page = anna.page
    _import(anna, document(NAMES), "lab", "emulated")
    anna.visit("/")
    card = page.get_by_role("article").filter(has_text="lab")
    expect(card).to_contain_text("as it should be")
    anna.complaints.clear()  # the browser's own, of what was asked for while OpenSM started
    with ControlClient(path=control_socket(stage.site.session.parent / "state", "lab")) as emulator:
        for position in LOST:
            emulator.remove_node(f"guid:0x{0x10 + position:x}")
    expect(card).to_contain_text(f"{len(LOST)} missing")
    lost = [_told(NAMES[position]) for position in LOST]
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        for path in ("/", "/fabrics/lab", "/fabrics/lab?tab=devices&mark=missing", "/events", f"/fabrics/lab/devices/{_guid(8)}"):
            anna.visit(path)
            expect_harmless(anna)
    anna.visit("/events")
    for name in lost:
        expect(page.get_by_role("table")).to_contain_text(name)
    _expect_mail(stage, lost)
    _expect_hooks(stage, lost)
    _expect_lines(stage, lost)
    _expect_metrics(page)


def _told(name: str) -> str:
    """Returns the name as messages have it. The plugin makes spaces of ASCII's control characters; texts join spaces."""
    return printable(re.sub(" +", " ", re.sub(r"[\x00-\x1f\x7f]", " ", name)).strip())


def _guid(position: int) -> str:
    return f"0x{0x10 + position:016x}"


def _expect_mail(stage: Stage, lost: list[str]) -> None:
    def told() -> str:
        return "\n".join(str(mail.get_content()) for _, _, mail in stage.mails.got)

    eventually(lambda: [name for name in lost if name not in told()], [])
    for sender, to, mail in stage.mails.got:
        assert (sender, to) == ("ibcc@example.org", ["oncall@example.org"])
        assert (mail["To"], mail["Bcc"], mail.get_content_type(), mail.defects) == ("oncall@example.org", None, "text/plain", [])
        assert mail["Subject"].isprintable()
        assert all(line.isprintable() for line in mail.get_content().splitlines())


def _expect_hooks(stage: Stage, lost: list[str]) -> None:
    def told() -> list[str]:
        return [item["text"] for _, _, body in list(stage.hooks.got) for item in json.loads(body)["events"]]

    eventually(lambda: [name for name in lost if name not in "".join(told())], [])
    assert "".join(told()).isprintable()


def _expect_lines(stage: Stage, lost: list[str]) -> None:
    told = ""
    while missing := [name for name in lost if name not in told]:
        line = stage.lines.recv(65536)
        assert line.count(b"\n") == 0, (line, missing)
        told += parsed(line)[2]
    assert told.isprintable()


def _expect_metrics(page: Page) -> None:
    text = page.context.request.get("/metrics").text()
    families = list(text_string_to_metric_families(text))
    values = [value for family in families for sample in family.samples for value in sample.labels.values()]
    devices = {s.labels["fabric"] for f in families if f.name == "ibcc_fabric_devices" for s in f.samples}
    assert {"lab", "two-switch"} <= devices
    assert not [name for name in [*NAMES, ENDLESS] if name in values or printable(name) in values]
    assert all(re.fullmatch(r"[\w .{}/:+-]*", value) for value in values), values
    if promtool := shutil.which("promtool"):
        done = subprocess.run([promtool, "check", "metrics"], input=text, capture_output=True, text=True)
        assert done.returncode in (0, 3), done.stderr
