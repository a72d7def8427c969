# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Says where a fabric document's `sl_to_vl` does not hold, because the routing or OpenSM sets SL-to-VL tables."""

import ccsim
from tuner.documents.fabric import FabricDocument
from tuner.fabric.opensm_engines import ENGINES


def overridden_vls(document: FabricDocument, fabric: ccsim.Fabric) -> list[str]:
    """Returns sentences about `sl_to_vl` and the tables of the routing that `fabric` has been routed by; empty if both agree."""
    mapping = document.sl_to_vl
    if mapping is None or fabric.min_vls < 2:
        return []
    sentences = []
    if mapping.vls is not None:
        sentences.append(
            f"sl_to_vl.vls holds only towards hosts: between switches the routing {document.routing} sets tables of its own, "
            f"which keep its {fabric.min_vls} VLs free of credit loops"
        )
    if mapping.overrides:
        sentences.append(
            f"sl_to_vl.overrides replaces {len(mapping.overrides)} tables of the routing {document.routing}, so routes that it "
            "keeps free of credit loops can have some"
        )
    return sentences


def overridden_by_opensm(document: FabricDocument) -> list[str]:
    """Returns a sentence if the document has an `sl_to_vl` and OpenSM runs the fabric, which sets all SL-to-VL tables."""
    if document.sl_to_vl is None:
        return []
    own = ", ".join(name for name, engine in ENGINES.items() if engine.own_vls)
    return [f"sl_to_vl of fabric '{document.name}' does not hold: OpenSM sets SL-to-VL tables; {own} need VLs of their own"]
