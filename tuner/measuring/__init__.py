# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The measurement, and a backend as a campaign sees it. The backends themselves are in `tuner.backends`, above what they use."""
