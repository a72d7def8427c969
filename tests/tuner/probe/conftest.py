# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from tests.tuner.backends.conftest import emulate, two_switch

__all__ = ["emulate", "two_switch"]
