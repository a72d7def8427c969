# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Shapes of workloads that can be placed, the two of the literature: a hotspot, and a shared link."""

from dataclasses import dataclass

from tuner.documents.flow import Flow
from tuner.documents.workload import Workload
from tuner.errors import BadInputError


@dataclass(frozen=True)
class Shape:
    """Flows of a workload by role."""

    contributors: tuple[Flow, ...]
    victims: tuple[Flow, ...]
    others: tuple[Flow, ...]

    @property
    def has_hotspot(self) -> bool:
        """All contributors send to one receiver; otherwise each has one, and they share a link."""
        return len({flow.dst for flow in self.contributors}) == 1

    @classmethod
    def of(cls, workload: Workload) -> "Shape":
        """Raises BadInputError for a workload of another shape."""
        by_role = {role: tuple(f for f in workload.flows if f.role == role) for role in ("contributor", "victim", "other")}
        contributors, victims = by_role["contributor"], by_role["victim"]
        receivers = {flow.dst for flow in contributors}
        sources = [flow.src for flow in (*contributors, *victims)]
        ends = {flow.dst for flow in (*contributors, *victims)}
        problem = ""
        if not contributors:
            problem = "it has no contributors"
        elif victims and len(receivers) > 1:
            problem = f"its contributors have {len(receivers)} receivers beside a victim"
        elif 1 < len(receivers) < len(contributors):
            problem = f"its {len(contributors)} contributors have {len(receivers)} receivers, some of them in common"
        elif len(set(sources)) < len(sources) or ends & set(sources):
            problem = "a host plays two roles in it"
        elif any(flow.dst in receivers for flow in victims) or len({flow.dst for flow in victims}) < len(victims):
            problem = "its victims need a receiver each, and not the contributors'"
        if problem:
            raise BadInputError(
                f"workload '{workload.name}' cannot be placed: {problem}. Possible are contributors to one receiver, maybe with "
                "victims to others, or only contributors with a receiver each"
            )
        return cls(contributors, victims, by_role["other"])


def can_be_placed(workload: Workload) -> bool:
    """True for a workload of one of the two shapes; whether there are hosts for it is another question."""
    try:
        Shape.of(workload)
    except BadInputError:
        return False
    return not workload.patterns
