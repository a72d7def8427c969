# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""NVIDIA's own programs: the configuration that its OpenSM takes, and the values that ibdiagnet has read from devices."""
