# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Host or fabric: what makes flows slow, from counters of ports, flows and devices."""
