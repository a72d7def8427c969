# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Validation of an inventory's text: for editors, while somebody types."""

from api.configuration.settings import Settings
from api.database.models.fabric import Fabric
from api.documents.validation import DocumentValidation
from api.services.document_findings import Findings
from api.services.inventories import MAX_DOCUMENT_BYTES, on_fabric, read_inventory, require_allowed
from tuner.documents.inventory import Inventory
from tuner.errors import BadInputError


def inventory_validation(settings: Settings, fabric: Fabric, document: str) -> DocumentValidation:
    """Validates a document, and returns its problems. No host is contacted."""
    findings = Findings(document, most_bytes=MAX_DOCUMENT_BYTES, what="an inventory")
    if findings.written is not None:
        try:
            if findings.examined(Inventory, on_fabric(findings.written.document, fabric.name)) is not None:
                require_allowed(read_inventory(document, fabric)[1], settings)
        except BadInputError as error:
            findings.add_error(error)
    return DocumentValidation(valid=findings.valid, problems=findings.problems, warnings=findings.warnings)
