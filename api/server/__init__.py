# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The application, and the process that serves it."""
