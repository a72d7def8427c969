# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Every Python that a test starts imports this first, as PYTHONPATH has its folder: what it does not close is written down,
and where it is asked to (opened.py), what it opens.

Into files and not on standard error, which belongs to the program: tests compare what it says there.
"""

from __future__ import annotations  # the host agent is tested on older Pythons

import os
import sys
import warnings
from typing import Any


def _show(message: Warning | str, category: type[Warning], *rest: Any, **more: Any) -> None:
    if issubclass(category, ResourceWarning):
        test = os.environ.get("PYTEST_CURRENT_TEST", "no test").removesuffix(" (call)")
        line = f"{test}: {' '.join(sys.orig_argv)[:200]!r}: {message}\n"
        file = os.open(os.environ["IBCC_UNCLOSED"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
        os.write(file, line.encode())
        os.close(file)
    else:
        _before(message, category, *rest, **more)


if "IBCC_UNCLOSED" in os.environ:
    _before = warnings.showwarning
    warnings.showwarning = _show
    warnings.simplefilter("always", ResourceWarning)

if "TESTS_OPENED" in os.environ:
    import opened

    opened.record_this_process()
