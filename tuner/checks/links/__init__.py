# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Links of a fabric, their counters, and what is wrong with them: the parts of the kind `links`."""
