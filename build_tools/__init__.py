# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Parts that the Makefile, setup.py and CMakeLists.txt share."""
