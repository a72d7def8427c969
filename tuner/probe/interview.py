# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Asks one device, question by question. A device that stops answering, or that wants a key that is not known, is left alone."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from ccsim import wire
from tuner.mads.client import Read
from tuner.mads.request import CONGESTION_CONTROL, Reply, Request
from tuner.probe.questions import FIRST, Question, questions
from tuner.probe.subnet_nodes import SubnetNode

PAYLOAD_BYTES = 160
"""Bytes of an answer that count: emulated fabrics deliver random ones after them."""
Key: TypeAlias = Literal["none", "needed", "unknown"]


class Asker(Protocol):
    """Sends requests within its rate; MadReader does."""

    def read(self, requests: Sequence[Request]) -> list[Read]:
        """Raises UnreachableError."""


@dataclass(frozen=True)
class Answer:
    """`reply`: with PAYLOAD_BYTES of data."""

    question: Question
    reply: Reply

    @property
    def is_good(self) -> bool:
        return self.reply.is_good and self.reply.attribute == self.question.attribute

    @property
    def is_silence(self) -> bool:
        return self.reply.status is None


@dataclass
class Interview:
    """`key`: whether the device wants one. `cc_key`: the one that it is asked with; no report has it. `stopped`: reason why not
    all was asked."""

    key: Key = "unknown"
    cc_key: int = field(default=0, repr=False)
    stopped: str | None = None
    duration_s: float = 0.0
    answers: dict[str, Answer] = field(default_factory=dict)

    def good(self, name: str) -> bytes | None:
        """The content of the answer to a question, if it was answered with success."""
        answer = self.answers.get(name)
        return answer.reply.data if answer is not None and answer.is_good else None


def interview(
    asker: Asker, node: SubnetNode, *, keys: Sequence[int] = (), clock: Callable[[], float] = time.monotonic
) -> Interview:
    """`keys`: CC_Keys that the device may have, the likeliest first. Raises UnreachableError."""
    found = Interview()
    began_s = clock()
    _ask_all(asker, node, found, keys)
    found.duration_s = round(clock() - began_s, 3)
    return found


def _ask_all(asker: Asker, node: SubnetNode, found: Interview, keys: Sequence[int]) -> None:
    if ask(asker, node, found, FIRST).is_silence:
        found.stopped = f"did not answer {FIRST.name}, so nothing else was asked"
        return
    found.key = key_wanted(found)
    if found.key == "needed":
        key = _right_key(asker, node, found, keys)
        if key is None:
            found.stopped = (
                "wants a CC_Key that the key file does not have, so nothing else was asked"
                if keys
                else "wants a CC_Key: a request without it counts as a violation, so nothing else was asked"
            )
            return
        found.cc_key = key
    for question in questions(node.kind, node.num_ports, node.port):
        # Firmware may ignore one attribute and answer others; a device that answers nothing any more is left alone.
        if ask(asker, node, found, question).is_silence and _still_silent(asker, node, found):
            found.stopped = f"stopped answering at {question.name}"
            return


def ask(asker: Asker, node: SubnetNode, found: Interview, question: Question) -> Answer:
    request = Request(node.lid, CONGESTION_CONTROL, question.attribute, question.modifier, question.data, key=found.cc_key)
    (read,) = asker.read([request])
    reply = Reply(read.reply.status, read.reply.data[:PAYLOAD_BYTES], read.reply.attribute)
    answer = found.answers[question.name] = Answer(question, reply)
    return answer


def key_wanted(found: Interview) -> Key:
    """A device shows the key, or hides it (protect bit). One that lacks the attribute has no key."""
    answer = found.answers[FIRST.name]
    if answer.is_good:
        info = wire.unpack("CongestionKeyInfo", answer.reply.data.ljust(192, b"\0"))
        return "needed" if info["CC_Key"] or info["CC_KeyProtectBit"] else "none"
    return "unknown"


def _right_key(asker: Asker, node: SubnetNode, found: Interview, keys: Sequence[int]) -> int | None:
    """The key that the device shows, or shows when it is asked with it; None if that is not one of `keys`. CongestionKeyInfo is
    answered whatever the key is."""
    shown = _shown_key(found.answers[FIRST.name].reply)
    if shown:
        return shown if shown in keys else None
    for key in keys:
        (read,) = asker.read([Request(node.lid, CONGESTION_CONTROL, FIRST.attribute, key=key)])
        if read.reply.is_good and read.reply.attribute == FIRST.attribute and _shown_key(read.reply) == key:
            return key
    return None


def _shown_key(reply: Reply) -> int:
    return int(wire.unpack("CongestionKeyInfo", reply.data[:PAYLOAD_BYTES].ljust(192, b"\0"))["CC_Key"])


def _still_silent(asker: Asker, node: SubnetNode, found: Interview) -> bool:
    (read,) = asker.read([Request(node.lid, CONGESTION_CONTROL, FIRST.attribute, key=found.cc_key)])
    return read.reply.status is None
