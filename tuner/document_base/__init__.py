# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What documents are made of, whatever they say: YAML with the line of each value, and strict models with readable errors.

What has options in a document, such as a sampler, builds on this; `tuner.documents` imports it, and not the other way round.
"""
