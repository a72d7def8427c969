# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What Prometheus and `/ready` are told."""
