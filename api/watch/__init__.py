# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What is known of a fabric that is watched, and which events follow from another look at it. Nothing here reads a database."""
