# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Goals that campaigns can have on a fabric of the service. What short runs found is kept with the fabric, for its wiring."""

import hashlib
import json
import threading
from collections.abc import Mapping
from importlib import metadata
from typing import Any

from api.database.engine import Database
from api.database.models.fabric import FabricRecord
from api.documents.campaigns import OfferDocument
from api.fabric_drivers.documents import WiringOptions, built_wiring
from api.services.fabrics import get_fabric
from tuner.campaign.offers import Offer, offers
from tuner.campaign.shipped import goals

_ONE = threading.Lock()
"""Two people who ask at once need one answer."""


def offers_on(database: Database, name: str) -> dict[str, OfferDocument]:
    """Returns the offer of each goal by its name; simulates some seconds where none are kept. Raises NotFound."""
    with _ONE:
        with database.reading() as session:
            fabric = get_fabric(session, name)
            options, kept = dict(fabric.options), fabric.record.goals
        wanted = _digest(options)
        if kept is None or kept.get("of") != wanted:
            kept = {"of": wanted, "offers": [one.to_json() for one in _found(name, options)]}
            with database.writing() as session:
                record = session.get(FabricRecord, name)
                if record is not None:  # nobody deleted it meanwhile
                    record.goals = kept
    found = (Offer.from_json(one) for one in kept["offers"])
    return {one.name: OfferDocument(offered=one.offered, reason=one.reason, busy=one.busy, share=one.share) for one in found}


def _found(name: str, options: Mapping[str, Any]) -> list[Offer]:
    built = built_wiring(WiringOptions(**{key: options.get(key) for key in ("fabric", "document")}))
    if built is not None:
        return list(offers(built, fabric=name))
    why = f"The wiring of fabric '{name}' is unknown to the service; give it as options.document (ibcc fabric import)."
    return [Offer(name=goal, offered=False, reason=why) for goal in goals()]


def _digest(options: Mapping[str, Any]) -> str:
    """Returns the digest of all that an offer depends on: the wiring, the goals, and the release."""
    wiring = {key: options.get(key) for key in ("fabric", "document")}
    told = json.dumps([wiring, {name: one.document for name, one in goals().items()}, metadata.version("ibcc")], sort_keys=True)
    return hashlib.sha256(told.encode()).hexdigest()
