# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""States of deliveries, the messages of notifiers.

    pending ─take→ sending ─succeed→ sent
       ↑ │            ├─give_up→ given_up
       │ └─expire─────┼──────────→ ↑
       └─retry, lose──┘

A pending delivery that was never sent still takes further events. `lose`: the server that was sending is gone, or too slow, and
its lease has run out; nobody knows whether the message arrived, so it is sent again.
"""

from collections.abc import Mapping
from typing import Literal, TypeAlias

DeliveryState: TypeAlias = Literal["pending", "sending", "sent", "given_up"]
DeliveryStep: TypeAlias = Literal["take", "succeed", "retry", "give_up", "lose", "expire"]

STEPS: Mapping[DeliveryState, Mapping[DeliveryStep, DeliveryState]] = {
    "pending": {"take": "sending", "expire": "given_up"},
    "sending": {"succeed": "sent", "retry": "pending", "give_up": "given_up", "lose": "pending"},
    "sent": {},
    "given_up": {},
}

OPEN: tuple[DeliveryState, ...] = ("pending", "sending")
ENDED: tuple[DeliveryState, ...] = ("sent", "given_up")


def after(state: DeliveryState, step: DeliveryStep) -> DeliveryState:
    """Returns the state after a step. Raises AssertionError if the table has no such step."""
    if step not in STEPS[state]:
        raise AssertionError(f"a delivery that is {state} cannot {step}")
    return STEPS[state][step]
