# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Links of generations that the open OpenSM does not serve, as it is tried on: at HDR. Its routing goes by the wiring, not by the
rates. docs/use/importing.md has the generations and their sources."""

import re

from tuner.documents.fabric import FabricDocument

_LATER = re.compile(r"(?P<width>\d+x)(?P<speed>NDR|XDR)")
LAST_SERVED = "HDR"
"""Last generation that the open OpenSM serves."""


def capped(fabric: FabricDocument) -> tuple[FabricDocument, tuple[str, ...]]:
    """Returns the fabric with no link faster than the open OpenSM serves, and the generations that it has beyond, in order."""
    beyond = {match["speed"] for link in fabric.links if (match := _LATER.fullmatch(link.rate))}
    if not beyond:
        return fabric, ()
    links = tuple(
        link.model_copy(update={"rate": f"{match['width']}{LAST_SERVED}"}) if (match := _LATER.fullmatch(link.rate)) else link
        for link in fabric.links
    )
    return fabric.model_copy(update={"links": links}), tuple(sorted(beyond))
