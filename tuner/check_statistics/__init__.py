# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Verdicts on nightly checks: which metrics have changed since their baselines, with a stated chance of false alarms."""
