# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Which tests a change can break: `make test` runs these and leaves the others out. docs/inside/development.md, "Lanes", explains
it."""
