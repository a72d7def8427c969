# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Real hosts: checks, launchers of agents, runs of perftest, and limits that end a measurement."""
