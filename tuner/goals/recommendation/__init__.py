# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""By which rule one profile is recommended among those that keep the constraints: one rule a file."""
