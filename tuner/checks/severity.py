# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""How bad a finding or an alarm is, apart from observations: a client of the service needs no numpy for it."""

from typing import Literal, TypeAlias

Severity: TypeAlias = Literal["warn", "fail"]
