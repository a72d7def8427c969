# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Messages as mail, by SMTP: text only, several events in one mail."""

import smtplib
import socket
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime

from api.base.times import now
from api.configuration.notification_addresses import Mail
from api.events.texts import ascii_only, plain
from api.notifiers.message import Message
from api.notifiers.outgoing import BoundedTls, NotReachedError, Route, deadline_in
from api.notifiers.secret_files import read_login
from api.notifiers.sender import SENDERS, TIME_S


class MailSender:
    def __init__(self, name: str, options: Mail) -> None:
        self._options = options
        self._login = None if options.login_file is None else read_login(options.login_file, f"notify.{name}.login_file")
        self._route = Route.of(options, options.server, options.whole_port)
        if options.ca_file is not None:
            self._route.tls_context()

    def send(self, message: Message) -> str | None:
        mail = mail_of(message, self._options.sender, self._options.to)
        try:
            with _Connection(self._route, self._options.tls == "tls") as server:
                if self._options.tls == "starttls":
                    server.secure()
                if self._login is not None:
                    server.login(*self._login)
                refused = server.send_message(mail, self._options.sender, self._options.to)
        except smtplib.SMTPResponseException as error:
            raise NotReachedError(f"the mail server answered {error.smtp_code} ({type(error).__name__})") from error
        except smtplib.SMTPRecipientsRefused as error:
            raise NotReachedError("the mail server refused all recipients") from error
        except smtplib.SMTPException as error:
            raise NotReachedError(f"the mail server did not take the mail ({type(error).__name__})") from error
        # The others have it: another attempt would repeat it to them.
        return f"the mail server refused {plain(', '.join(refused), 200)}" if refused else None


class _Connection(smtplib.SMTP):
    """Goes to the address that was checked, and ends with the deadline."""

    def __init__(self, route: Route, tls: bool) -> None:
        self._route, self._tls, self._deadline = route, tls, deadline_in(TIME_S)
        # Its own name is not looked up, which may take long.
        super().__init__(route.host, route.port, local_hostname=ascii_only(socket.gethostname(), 200))

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:
        return self._route.connect(self._deadline, tls=self._tls)

    def secure(self) -> None:
        """Raises SMTPException if the server offers no TLS: nothing is sent in the clear then."""
        self.starttls(context=self._route.tls_context())
        assert isinstance(self.sock, BoundedTls)
        self.sock.deadline = self._deadline


def mail_of(message: Message, sender: str, to: list[str]) -> EmailMessage:
    """Returns the mail. Nothing in an event can add a header, a part or a line."""
    mail = EmailMessage(policy=SMTP)
    mail["From"] = sender
    mail["To"] = ", ".join(to)
    mail["Subject"] = plain(f"[ibcc] {message.title()}", 150)
    mail["Date"] = format_datetime(now())
    mail["Message-ID"] = f"<{message.id}@{sender.rpartition('@')[2]}>"
    mail["Auto-Submitted"] = "auto-generated"
    mail.set_content("\n".join([message.summary(), "", *message.lines(), ""]), cte="quoted-printable")
    return mail


SENDERS.add("mail", MailSender)
