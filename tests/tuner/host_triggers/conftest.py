# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from tests.tuner.backends.conftest import emulate
from tests.tuner.cli.conftest import command

__all__ = ["command", "emulate"]
