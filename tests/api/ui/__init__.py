# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Makes a package of this folder: without it pytest keeps what conftest.py has for the package until the end of the session.
