# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Types of fields in which texts of others stand: names of nodes, and sentences that may repeat them.

Clients show them as they are: control characters and changes of the direction of writing are escapes that can be read.
"""

from typing import Annotated, TypeAlias

from pydantic import AfterValidator

from tuner.documents.printable import printable, shortened

MOST_LETTERS = 255
"""A node description has 64 bytes; names in documents may have any length."""
MOST_IN_SENTENCE = 4000

NodeName: TypeAlias = Annotated[str, AfterValidator(lambda name: shortened(name, MOST_LETTERS))]
"""Name of a node, printable and cut."""
OneLine: TypeAlias = Annotated[str, AfterValidator(printable)]
"""Text on one line."""
Sentence: TypeAlias = Annotated[str, AfterValidator(lambda text: shortened(text, MOST_IN_SENTENCE))]
"""Sentence that may name nodes and files: on one line, printable and cut."""
