# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from tests.tuner.backends.conftest import emulate, library, load, two_switch

__all__ = ["emulate", "library", "load", "two_switch"]
