# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""JSON-RPC over Unix sockets, as the emulator and the OpenSM plugin speak it."""
