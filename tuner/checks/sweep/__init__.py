# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A sweep over all hosts and links of a fabric, a part of it each night."""
