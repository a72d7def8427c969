# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Addresses of notifiers and their deliveries as JSON."""

from pydantic import BaseModel, Field

from api.base.times import Time
from api.documents.texts import Sentence
from api.events.severities import Severity
from api.states.deliveries import DeliveryState


class DeliveryDocument(BaseModel):
    id: str = Field(description="Identifier of the message: the header `webhook-id`, and part of a mail's `Message-ID`.")
    address: str
    state: DeliveryState
    test: bool = Field(description="True for a message that an admin asked for to test the address.")
    severity: Severity = Field(description="Severity of its gravest event.")
    counts: dict[Severity, int] = Field(description="Number of its events by severity.")
    title: str = Field(description="Title of the message, as text.")
    created_at: Time
    due_at: Time = Field(description="Time of the next attempt of a pending delivery, at the earliest.")
    attempts: int
    ended_at: Time | None
    problem: Sentence | None = Field(description="Why the last attempt failed, or which recipients were refused.")


class AddressDocument(BaseModel):
    """An address of the settings file, without its secrets."""

    name: str
    kind: str = Field(description="`webhook`, `mail`, `syslog` or `log`.")
    where: str = Field(description="Receiver of the messages; of a URL only the host, as the path may be a secret.")
    minimum: Severity = Field(description="Least severity of the events that it gets.")
    fabrics: list[str] | None = Field(description="Fabrics whose events it gets; null: all, and events of no fabric.")
    group_s: int = Field(description="Seconds for which events are gathered into one message.")
    messages_per_hour: int = Field(description="Largest number of messages in an hour.")
    open: int = Field(description="Number of deliveries that are not yet sent.")
    last: DeliveryDocument | None = Field(description="The delivery that ended last; null: none has.")
