# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The documents that people write: fabrics, workloads and campaigns, read strictly and with the line of every mistake."""
