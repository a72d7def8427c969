# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What the experiments share: running many measurements, and writing what came out."""
