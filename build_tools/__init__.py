# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What the Makefile, setup.py and CMakeLists.txt share."""
