# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""All devices have annex A10's attributes, and answer."""

from tests.opensm_plugin.chaos.kinds import Kind

KIND = Kind("a10")
