# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Base of all documents, of whatever kind: YAML with the line of each value, and strict models with readable errors.

Modules with options in a document, such as samplers, build on this package. `tuner.documents` imports it, and not the
other way round.
"""
