# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The tables, one aggregate a file. Importing this package imports them all, so that Base.metadata is whole."""

import importlib
import pkgutil

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")
