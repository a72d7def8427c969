# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`[notify.NAME]` in the settings file: what is taken, and one sentence for what is not."""

from pathlib import Path

import pytest

from api.configuration.notification_addresses import Mail, Webhook
from api.configuration.settings import Settings, load_settings
from api.server.app import create_app
from tuner.errors import BadInputError

WEBHOOK = """
[notify.ops]
kind = "webhook"
url = "https://hooks.example.org/ibcc"
secret_file = "/etc/ibcc/webhook.secret"
"""
MAIL = """
[notify.oncall]
kind = "mail"
server = "smtp.example.org"
sender = "ibcc@example.org"
to = ["oncall@example.org"]
"""


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    for name in Settings.model_fields:
        monkeypatch.delenv(f"IBCC_{name.upper()}", raising=False)
    monkeypatch.setenv("IBCC_CONFIG", str(tmp_path / "ibcc.toml"))
    monkeypatch.setenv("IBCC_STATE_FOLDER", str(tmp_path / "state"))
    return tmp_path / "ibcc.toml"


def test_addresses_of_the_file(written: Path) -> None:
    written.write_text(
        f'{WEBHOOK}minimum = "error"\nfabrics = ["prod"]\nallow_networks = ["10.0.0.0/8"]\n{MAIL}login_file = "/etc/ibcc/smtp"\n'
        '[notify.siem]\nkind = "syslog"\nserver = "[2001:db8::1]"\ntransport = "tls"\n'
    )
    addresses = load_settings().notify
    ops, oncall = addresses["ops"], addresses["oncall"]
    assert isinstance(ops, Webhook)
    assert isinstance(oncall, Mail)
    assert (ops.minimum, ops.fabrics, ops.group_s, ops.messages_per_hour) == ("error", ["prod"], 60, 60)
    assert ops.where() == "https://hooks.example.org/…"
    assert oncall.where() == "oncall@example.org through smtp.example.org:587"
    assert addresses["siem"].where() == "tls://2001:db8::1:6514"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (WEBHOOK + "color = 1", "there is no setting 'notify.ops.color'; there are kind, minimum, fabrics, group_s"),
        (WEBHOOK.replace("webhook", "pigeon", 1), "setting notify.ops.kind is missing or unknown; it must be log, webhook, mail"),
        ('[notify.ops]\nminimum = "info"', "setting notify.ops.kind is missing or unknown"),
        ('[notify.ops]\nkind = "webhook"', "setting notify.ops.url is missing"),
        (WEBHOOK.replace("ops", '"Ops team"'), "setting notify.Ops team: a name has 1 to 32 lower-case letters"),
        (WEBHOOK + 'minimum = "grave"', "setting notify.ops.minimum = 'grave': .*'info', 'warning' or 'error'"),
        (WEBHOOK.replace("https", "http"), "url begins with http: .* use https, or set insecure_http = true"),
        (WEBHOOK.replace("https", "file"), "url is not an address; https://hooks.example.org/ibcc would be right"),
        (WEBHOOK.replace("//hooks", "//user:hunter2@hooks"), "url has a user name or a fragment"),
        (WEBHOOK.replace("hooks.example.org", "hooks example.org"), "url is not an address"),
        (WEBHOOK.replace("example.org/", "example.org:99999/"), "url is not an address"),
        (WEBHOOK.replace("/etc", "etc"), "setting notify.ops.secret_file.*: it is not an absolute path"),
        (
            WEBHOOK + 'allow_networks = ["10.0.0.1/8"]',
            "setting notify.ops.allow_networks.0 = '10.0.0.1/8': it is not a network; 10.0.0.0/8 would be right",
        ),
        (WEBHOOK + "group_s = -1", "setting notify.ops.group_s = '-1': .*greater than or equal to 0"),
        (MAIL.replace("oncall@", "oncall\\r\\nBcc: x@"), "it is not a mail address; oncall@example.org would be right"),
        (MAIL.replace("ibcc@example.org", "ibcc"), "it is not a mail address"),
        (MAIL + 'tls = "none"\nlogin_file = "/x"', "login_file needs TLS"),
        ('[notify.siem]\nkind = "syslog"', 'transport = "unix" needs socket'),
        ('[notify.siem]\nkind = "syslog"\nserver = "a b"', "it is not a host"),
        ("[notify]\nops = 1", "setting notify.ops = '1'"),
        ("".join(f'[notify.n{n}]\nkind = "log"\n' for n in range(33)), "notify.* at most 32 items"),
    ],
)
def test_what_is_wrong_is_told_in_one_sentence(written: Path, text: str, sentence: str) -> None:
    written.write_text(text)
    with pytest.raises(BadInputError, match=sentence) as raised:
        load_settings()
    assert "hunter2" not in str(raised.value)
    assert "\n" not in str(raised.value)


def test_addresses_stand_in_the_file_only(written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written.write_text("")
    monkeypatch.setenv("IBCC_NOTIFY", '{"ops": {"kind": "log"}}')
    with pytest.raises(BadInputError, match="IBCC_NOTIFY is set; the addresses of notifiers stand in the settings file only"):
        load_settings()


@pytest.mark.parametrize(
    ("content", "mode", "sentence"),
    [
        (None, 0o600, "secret_file = .*: No such file or directory; give a file that the service may read"),
        ("whsec_" + "A" * 44, 0o644, "everybody on this machine may read it; `chmod o= "),
        ("hunter2", 0o600, "it is not `whsec_` and the base64 of 24 to 64 bytes"),
        ("whsec_aHVudGVyMg==", 0o600, "it is not `whsec_` and the base64 of 24 to 64 bytes"),
        ("x" * 5000, 0o600, "it has more than 4096 bytes"),
        ("\udcff", 0o600, "it is not UTF-8 text"),
    ],
)
def test_secrets_are_checked_when_the_service_starts(
    written: Path, tmp_path: Path, content: str | None, mode: int, sentence: str
) -> None:
    file = tmp_path / "secret"
    if content is not None:
        file.write_bytes(content.encode(errors="surrogateescape"))
        file.chmod(mode)
    written.write_text(WEBHOOK.replace("/etc/ibcc/webhook.secret", str(file)))
    with pytest.raises(BadInputError, match=f"notify.ops.*{sentence}") as raised:
        create_app(load_settings())
    assert "hunter2" not in str(raised.value)


def test_a_login_has_two_lines(written: Path, tmp_path: Path) -> None:
    file = tmp_path / "login"
    file.write_text("ibcc:hunter2\n")
    file.chmod(0o600)
    written.write_text(f'{MAIL}login_file = "{file}"\n')
    with pytest.raises(BadInputError, match="it must have the user's name in the first line and the password in the second"):
        create_app(load_settings())
