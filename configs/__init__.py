# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Profiles, fabrics, workloads and campaigns: installed as the package `ibcc_configs` and read by importlib.resources."""
