# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Between documents and the simulator: what it takes of a workload, and what a measurement takes of its result."""
