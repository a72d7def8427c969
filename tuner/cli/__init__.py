# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The command `ibcc`: one file for each sub-command, found by the entry-point group `ibcc.commands`."""
