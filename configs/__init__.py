# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The documents that come with ibcc, installed as the package `ibcc_configs` so that they are found in a wheel."""
