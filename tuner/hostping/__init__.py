# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Which path inside a host is slow, and which link of it: loop-back tests of an adapter with each endpoint, and their diagnosis.

Source: K. Liu et al., "Hostping: Diagnosing Intra-host Network Bottlenecks in RDMA Servers", NSDI 2023.
"""
