# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The kinds of document by name. A file of this package that defines one adds it in its last line."""

from tuner.document_base.model import DocumentModel
from tuner.registry import Registry

DOCUMENTS: Registry[type[DocumentModel]] = Registry("kind of document", "tuner.documents")
