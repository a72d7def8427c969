# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What every part of the service may use: identifiers, times, threads, problems, words for people."""
