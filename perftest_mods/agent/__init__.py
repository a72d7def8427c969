# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The host agent, installed as the package `ibcc_agent` so that a wheel has the file that hosts need."""
