# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Kinds of addresses: one file each, which adds itself to `api.notifiers.sender.SENDERS`."""
