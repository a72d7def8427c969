# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Runs the jobs of `api.queue`: leases, a loop, one file for each kind of job."""
