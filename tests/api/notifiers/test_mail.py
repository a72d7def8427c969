# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Mail through a real SMTP server: TLS, login, and headers that nobody else can write."""

import asyncio
import email
import email.policy
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, LoginPassword

from api.configuration.notification_addresses import Mail
from api.notifiers.kinds import mail
from api.notifiers.kinds.mail import MailSender
from api.notifiers.outgoing import NotReachedError
from tests.api.notifiers.messages import HOSTILE, message


class Mailbox:
    """What the server took: envelopes and mails."""

    def __init__(self) -> None:
        self.refused: tuple[str, ...] = ()
        self.got: list[tuple[str, list[str], EmailMessage]] = []
        self.secure: list[bool] = []

    async def handle_RCPT(  # noqa: N802  (the library's name)
        self, server: Any, session: Any, envelope: Any, address: str, options: Any
    ) -> str:
        if address in self.refused:
            return "550 no such user\x07"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802  (the same)
        parsed = email.message_from_bytes(envelope.content, policy=email.policy.default)
        assert isinstance(parsed, EmailMessage)
        self.got.append((envelope.mail_from, envelope.rcpt_tos, parsed))
        self.secure.append(session.ssl is not None)
        return "250 OK"


def _right(server: Any, session: Any, envelope: Any, mechanism: str, data: Any) -> AuthResult:
    assert isinstance(data, LoginPassword)
    right = (data.login, data.password) == (b"ibcc", b"hunter2")
    return AuthResult(success=right, handled=right)  # a failure is answered by the server


class _Server(Controller):
    """On a port that the kernel chooses."""

    def _trigger_server(self) -> None:
        server = self.server
        assert isinstance(server, asyncio.Server)
        self.port = server.sockets[0].getsockname()[1]
        super()._trigger_server()  # type: ignore[no-untyped-call]


@contextmanager
def smtp(certificate: tuple[Path, Path] | None = None, **options: Any) -> Iterator[tuple[Mailbox, int]]:
    """The mailbox and the server's port; with a certificate, the server offers STARTTLS and insists on a login."""
    context = None
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*certificate)
        options |= {"tls_context": context, "authenticator": _right, "auth_required": True}
    mailbox = Mailbox()
    controller = _Server(mailbox, hostname="127.0.0.1", port=0, server_hostname="localhost", **options)
    controller.start()
    try:
        yield mailbox, controller.port
    finally:
        controller.stop()


def sender_to(port: int, **options: Any) -> MailSender:
    given = {"kind": "mail", "server": "localhost", "port": port, "tls": "none", "sender": "ibcc@example.org"}
    return MailSender("ops", Mail.model_validate(given | {"to": ["oncall@example.org", "net@example.org"]} | options))


def test_a_digest_of_several_events() -> None:
    with smtp() as (mailbox, port):
        assert sender_to(port).send(message("S1", "S2")) is None
    [(sender, to, mail)] = mailbox.got
    assert (sender, to) == ("ibcc@example.org", ["oncall@example.org", "net@example.org"])
    assert mail["Subject"] == "[ibcc] warning on lab: 2 events (2 warnings)"
    assert mail["Auto-Submitted"] == "auto-generated"
    assert mail["Message-ID"] == f"<{message('S1').id}@example.org>"
    assert content_of(mail) == (
        "2 events (2 warnings)\n\n"
        "2026-01-02T03:04:05.678Z warning lab: S1 is missing\n"
        "2026-01-02T03:04:05.678Z warning lab: S2 is missing\n"
    )


def test_starttls_and_login(certificate: tuple[Path, Path], tmp_path: Path) -> None:
    login = tmp_path / "login"
    login.write_text("ibcc\nhunter2\n")
    login.chmod(0o600)
    secured = {"tls": "starttls", "ca_file": certificate[0], "login_file": login}
    with smtp(certificate) as (mailbox, port):
        sender_to(port, **secured).send(message("S1"))
        assert mailbox.secure == [True]
        login.write_text("ibcc\nguess\n")
        with pytest.raises(NotReachedError, match=r"answered 535 \(SMTPAuthenticationError\)") as raised:
            sender_to(port, **secured).send(message("S1"))
        assert "guess" not in str(raised.value)
        with pytest.raises(OSError, match="certificate verify failed"):
            sender_to(port, tls="starttls", login_file=login).send(message("S1"))
    assert len(mailbox.got) == 1


def test_nothing_goes_in_the_clear_where_tls_is_asked_for() -> None:
    with smtp() as (mailbox, port):
        with pytest.raises(NotReachedError, match="SMTPNotSupportedError"):
            sender_to(port, tls="starttls").send(message("S1"))
        assert mailbox.got == []


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_names_add_no_header_and_no_line(text: str) -> None:
    with smtp() as (mailbox, port):
        sender_to(port).send(message(text))
    [(_, to, mail)] = mailbox.got
    assert to == ["oncall@example.org", "net@example.org"]
    assert sorted(mail.keys()) == sorted(message_headers())
    assert not mail.defects
    assert mail["Subject"].isprintable()
    assert len(mail["Subject"]) <= 150
    content = content_of(mail)
    assert len(content.splitlines()) == 3
    assert content.replace("\n", "").isprintable()


def content_of(mail: EmailMessage) -> str:
    content = mail.get_content()
    assert isinstance(content, str)
    return content.replace("\r\n", "\n")


def message_headers() -> list[str]:
    return list(mail.mail_of(message("S1"), "ibcc@example.org", ["oncall@example.org"]).keys())


def test_a_recipient_that_is_refused_is_a_remark_and_all_are_a_failure() -> None:
    with smtp() as (mailbox, port):
        mailbox.refused = ("net@example.org",)
        assert sender_to(port).send(message("S1")) == "the mail server refused net@example.org"
        mailbox.refused = ("net@example.org", "oncall@example.org")
        with pytest.raises(NotReachedError, match="refused all recipients"):
            sender_to(port).send(message("S1"))
    assert len(mailbox.got) == 1
