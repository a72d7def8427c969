# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Gives a fabric that has been imported the routing that somebody named, or the one that suits its shape."""

from dataclasses import replace

import ccsim
from tuner.documents.fabric import FabricDocument
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import build
from tuner.fabric.opensm_engines import ENGINES
from tuner.fabric.routing_advice import Advice, advise, routed_by, with_places
from tuner.fabric.shapes.base import recognize
from tuner.fabric.shapes.switch_graph import SwitchGraph
from tuner.fabric.subnets import subnets

_FOR_SEVERAL = "updown"
"""Routing of several subnets beside each other where the one that suits the largest does not route them all."""


def routing_named(name: str) -> str:
    """Returns ibcc's routing of a name, which may be that of an engine of OpenSM. Raises BadInputError for an unknown one, and
    for an engine whose routes ibcc does not compute."""
    known = [routing for routing in ccsim.routing_names() if routing != "tables"]
    if name in known:
        return name
    engine = {engine.casefold(): engine for engine in ENGINES}.get(name.casefold())
    if engine is None:
        others = [engine for engine, row in ENGINES.items() if row.routing and engine not in known]
        raise BadInputError(f"routing '{name}' is not known; there are {', '.join(known)}, and OpenSM's {', '.join(others)}")
    routing = ENGINES[engine].routing
    if routing is None:
        raise BadInputError(
            f"ibcc does not compute the routes of OpenSM's {engine}; let OpenSM route the fabric, by `ibcc emulate FABRIC -- "
            f"opensm -o -R {engine} -D 0x43 --dump_files_dir .`, and import its opensm-lfts.dump by --routes, without its VLs"
        )
    return routing


def rerouted(document: FabricDocument, routing: str) -> FabricDocument:
    """Returns the document with another routing, without forwarding tables, and with the coordinates that `dor` needs where its
    switches have none. Whether the routing can route it, `build` shows. Raises BadInputError as `routing_named`, and for `dor` on
    what is no grid."""
    name = routing_named(routing)
    if name == "dor":
        shape = recognize(SwitchGraph(document))
        document = with_places(document, shape)
        if not any(switch.at for switch in document.switches):
            raise BadInputError(
                f"routing {routing} is for tori, meshes and hypercubes; fabric '{document.name}' is none: {shape.text}"
            )
    return routed_by(document, name).model_copy(update={"lfts": {}, "forwarding": {}})


def rerouted_as_advised(document: FabricDocument) -> tuple[FabricDocument, Advice]:
    """Returns the document with the routing that suits its shape, and the advice. One with forwarding tables keeps them."""
    advice = advise(document)
    if document.lfts or document.forwarding:
        return document, advice
    if len(subnets(document)) > 1:
        return _several_rerouted(document, advice)
    placed = with_places(document, advice.shape) if advice.chosen == "dor" else document
    return routed_by(placed, advice.chosen), advice


def _several_rerouted(document: FabricDocument, advice: Advice) -> tuple[FabricDocument, Advice]:
    """Several subnets by one routing, since a document has one."""
    routed = routed_by(document, advice.chosen)
    try:
        if not build(routed).unreachable():
            return routed, advice
    except BadInputError:
        pass  # such as a grid without coordinates
    reason = f"it routes all subnets; {advice.chosen} suits the largest one alone: {advice.reason}"
    return routed_by(document, _FOR_SEVERAL), replace(advice, chosen=_FOR_SEVERAL, reason=reason)
