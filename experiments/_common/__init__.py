# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Code that the experiments share: it runs many measurements, and writes the results."""
