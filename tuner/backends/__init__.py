# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Backends, which apply profiles and measure workloads; each file is one backend."""
