# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Numbers of hosts by role, as bodies of requests have them."""

from typing import Annotated

from pydantic import Field

from api.routes.fields import Body
from tuner.documents.roles import MOST, RoleCounts


class RoleCountsBody(Body):
    contributors: Annotated[int | None, Field(ge=1, le=MOST, description="Hosts that send to the hotspot.")] = None
    victims: Annotated[int | None, Field(ge=0, le=MOST, description="Pairs of hosts that share links with contributors.")] = None
    sharing: Annotated[int | None, Field(ge=0, le=MOST, description="Contributors that share a link with the first victim.")] = (
        None
    )
    hosts: Annotated[int | None, Field(ge=3, le=MOST, description="Hosts of patterns over all hosts, at most.")] = None

    def counts(self) -> RoleCounts:
        return RoleCounts(**self.model_dump())
