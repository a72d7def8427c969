# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`[notify.NAME]` of the settings file: the addresses of notifiers, a model for each kind. What sends to them is in
api/notifiers/kinds."""

import re
from abc import ABC, abstractmethod
from email.headerregistry import Address as MailAddress
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from api.events.severities import Severity

_HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\]|[0-9A-Fa-f:]+")


def _host(text: str) -> str:
    if not _HOST.fullmatch(text):
        raise ValueError("it is not a host; smtp.example.org or 192.0.2.1 would be right")
    return text.strip("[]")


def _mail_address(text: str) -> str:
    try:
        parsed = MailAddress(addr_spec=text)
        if not text.isascii() or not text.isprintable() or not parsed.domain:
            raise ValueError
    except (ValueError, IndexError):
        raise ValueError("it is not a mail address; oncall@example.org would be right") from None
    return text


def _network(text: Any) -> IPv4Network | IPv6Network:
    try:
        return ip_network(text)
    except (ValueError, TypeError):
        raise ValueError("it is not a network; 10.0.0.0/8 would be right") from None


def _file(path: Path) -> Path:
    if not path.is_absolute():
        raise ValueError("it is not an absolute path; /etc/ibcc/secret would be right")
    return path


Host: TypeAlias = Annotated[str, AfterValidator(_host)]
Mailbox: TypeAlias = Annotated[str, AfterValidator(_mail_address)]
File: TypeAlias = Annotated[Path, AfterValidator(_file)]
Network: TypeAlias = Annotated[IPv4Network | IPv6Network, BeforeValidator(_network)]


class AddressOptions(BaseModel, ABC):
    """The options that every address has."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: str
    minimum: Severity = "warning"
    """Least severity of the events that it gets."""
    fabrics: list[Annotated[str, Field(min_length=1, max_length=64)]] | None = None
    """Fabrics whose events it gets; by default those of all fabrics, and events that belong to none."""
    group_s: Annotated[int, Field(ge=0, le=86400)] = 60
    """Seconds for which events are gathered into one message."""
    messages_per_hour: Annotated[int, Field(ge=1, le=3600)] = 60
    """Largest number of messages in an hour; events wait, and come together, when they are more."""

    @abstractmethod
    def where(self) -> str:
        """Returns for people where messages go, without secrets."""


class Reaching(AddressOptions):
    """An address that is reached through the network."""

    allow_networks: list[Network] = Field(default_factory=list)
    """Networks that are not public and that the host's name may resolve to. A host that is written as a number, or as
    `localhost`, needs no permission."""
    ca_file: File | None = None
    """PEM file of the authorities that sign the receiver's certificate; by default those of the system."""


class Log(AddressOptions):
    """The server's log."""

    kind: Literal["log"] = "log"
    group_s: Annotated[int, Field(ge=0, le=86400)] = 0
    messages_per_hour: Annotated[int, Field(ge=1, le=3600)] = 3600

    def where(self) -> str:
        return "the server's log"


class Webhook(Reaching):
    kind: Literal["webhook"]
    url: Annotated[str, Field(max_length=2000)]
    secret_file: File
    """File of the secret that signs messages: `whsec_` and the base64 of 24 to 64 random bytes."""
    insecure_http: bool = False

    @model_validator(mode="after")
    def _whole_url(self) -> "Webhook":
        try:
            parts = urlsplit(self.url)
            port, host = parts.port, parts.hostname
        except ValueError:
            raise ValueError("url is not an address; https://hooks.example.org/ibcc would be right") from None
        plain = self.url.isascii() and self.url.isprintable() and " " not in self.url
        if parts.scheme not in ("http", "https") or not host or port == 0 or not plain or not _HOST.fullmatch(host):
            raise ValueError("url is not an address; https://hooks.example.org/ibcc would be right")
        if parts.username is not None or parts.fragment:
            raise ValueError("url has a user name or a fragment; messages are signed by secret_file instead")
        if parts.scheme == "http" and not self.insecure_http:
            raise ValueError(
                "url begins with http: messages would go over the network in the clear; use https, or set insecure_http = true"
            )
        return self

    def where(self) -> str:
        parts = urlsplit(self.url)  # a path may be a secret
        return f"{parts.scheme}://{parts.netloc}/…"


class Mail(Reaching):
    kind: Literal["mail"]
    server: Host
    port: Annotated[int, Field(ge=1, le=65535)] | None = None
    """Port; by default 587, or 465 for `tls = "tls"`, or 25 for `tls = "none"`."""
    tls: Literal["starttls", "tls", "none"] = "starttls"
    sender: Mailbox
    to: Annotated[list[Mailbox], Field(min_length=1, max_length=50)]
    login_file: File | None = None
    """File with the user's name in the first line and the password in the second."""

    @model_validator(mode="after")
    def _login_in_the_clear(self) -> "Mail":
        if self.tls == "none" and self.login_file is not None:
            raise ValueError('login_file needs TLS, or the password would go over the network in the clear; set tls = "starttls"')
        return self

    @property
    def whole_port(self) -> int:
        return self.port or {"starttls": 587, "tls": 465, "none": 25}[self.tls]

    def where(self) -> str:
        return f"{', '.join(self.to)} through {self.server}:{self.whole_port}"


class Syslog(Reaching):
    kind: Literal["syslog"]
    transport: Literal["udp", "tcp", "tls", "unix"] = "udp"
    server: Host | None = None
    port: Annotated[int, Field(ge=1, le=65535)] | None = None
    """Port; by default 514, or 6514 for `tls`."""
    socket: File | None = None
    """Path of the socket, for `unix`."""
    facility: Literal["daemon", "user", "local0", "local1", "local2", "local3", "local4", "local5", "local6", "local7"] = "daemon"
    group_s: Annotated[int, Field(ge=0, le=86400)] = 0
    messages_per_hour: Annotated[int, Field(ge=1, le=3600)] = 3600

    @model_validator(mode="after")
    def _one_place(self) -> "Syslog":
        if (self.transport == "unix") != (self.socket is not None) or (self.transport == "unix") == (self.server is not None):
            raise ValueError('transport = "unix" needs socket, such as "/dev/log", and no server; the others need server')
        return self

    @property
    def whole_port(self) -> int:
        return self.port or (6514 if self.transport == "tls" else 514)

    def where(self) -> str:
        return f"unix:{self.socket}" if self.socket else f"{self.transport}://{self.server}:{self.whole_port}"


Address: TypeAlias = Annotated[Log | Webhook | Mail | Syslog, Field(discriminator="kind")]
AddressName: TypeAlias = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,31}$")]

MOST_ADDRESSES = 32
LOG = "log"

_KINDS: dict[str, type[AddressOptions]] = {"log": Log, "webhook": Webhook, "mail": Mail, "syslog": Syslog}


def with_log(addresses: dict[str, Address]) -> dict[str, Address]:
    """Returns the addresses and the server's log, unless one of them has its name."""
    return {LOG: Log()} | addresses


def sentence(problem: Any) -> str:
    """Returns a sentence for an error of pydantic in `notify`. Never repeats a URL, which may hold a secret."""
    where = [str(part) for part in problem["loc"]]
    key = ".".join(where[:2] + where[3:]) if len(where) > 2 and where[2] in _KINDS else ".".join(where)
    kind = next((_KINDS[part] for part in where[2:3] if part in _KINDS), AddressOptions)
    if problem["type"] == "extra_forbidden":
        return f"there is no setting '{key}'; there are {', '.join(kind.model_fields)}"
    if problem["type"] == "missing":
        return f"setting {key} is missing"
    if problem["type"].startswith("union_tag"):
        return f"setting {key}.kind is missing or unknown; it must be {', '.join(_KINDS)}"
    if where[-1] == "[key]":
        return f"setting notify.{where[1][:80]}: a name has 1 to 32 lower-case letters, digits, '-' and '_'"
    simple = isinstance(problem["input"], str | int | float | bool) and where[-1] != "url"
    given = f" = {str(problem['input'])[:80]!r}" if simple else ""
    return f"setting {key}{given}: {problem['msg'].removeprefix('Value error, ')}"
