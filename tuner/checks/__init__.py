# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Nightly checks of a fabric: kinds that observe it, the history of their nights, and verdicts against a baseline."""
