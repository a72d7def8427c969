# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The sub-commands of `ibcc --server URL`: one file each, found by the entry-point group `ibcc.server_commands`."""
