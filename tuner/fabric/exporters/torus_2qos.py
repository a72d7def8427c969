# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""torus-2QoS.conf: what OpenSM's routing engine for tori wants to be told about one; see its man pages torus-2QoS(8) and (5).

The engine finds the grid by itself from a seed: a switch and its neighbours, one in each direction, whose coordinates the file
says. A second seed, as far from the first as can be, serves when a switch of the first is dead. Datelines, where paths change VL,
are moved back to coordinate 0 for both, so that paths keep their SL whichever seed was used.
"""

from collections import Counter
from itertools import product

from tuner.documents.fabric import FabricDocument
from tuner.errors import BadInputError
from tuner.fabric.exporters.base import EXPORTERS, Exported

_AXES = "xyz"
_PORTS_OF_A_GROUP = 16
"""The engine's default for portgroup_max_ports: parallel links, or hosts of a switch and its management port."""

_At = tuple[int, ...]


class Torus2Qos:
    """The exporter, for fabrics whose switches say where they stand (`at`) in two or three dimensions."""

    description = "torus-2QoS.conf of OpenSM"

    def export(self, fabric: FabricDocument) -> Exported:
        torus = _Torus(fabric)
        notes = ["Start OpenSM with -Q: the engine needs the SL-to-VL tables that OpenSM programs only then."]
        if not all(torus.rings):
            notes.append("The grid is open in some dimension, where torus-2QoS can go around few failures.")
        return Exported(torus.text(), tuple(notes))


class _Torus:
    def __init__(self, fabric: FabricDocument) -> None:
        self._fabric = fabric
        self._place = _places(fabric)
        self._at = {at: i for i, at in self._place.items()}
        self.dimensions = len(next(iter(self._at)))
        self.sizes = [max(at[d] for at in self._at) + 1 for d in range(self.dimensions)]
        self._cables = Counter[tuple[_At, _At]]()
        for _, a, b in fabric.ends():
            if a.node in self._place and b.node in self._place:
                self._cables[self._place[a.node], self._place[b.node]] += 1
                self._cables[self._place[b.node], self._place[a.node]] += 1
        self.rings = [
            size > 2 and any(at[d] == 0 and self._cables[at, (*at[:d], size - 1, *at[d + 1 :])] > 0 for at in self._at)
            for d, size in enumerate(self.sizes)
        ]

    def text(self) -> str:
        # A dimension of one switch is how the engine takes a plane.
        sizes = [f"{size}{'t' if ring else 'm'}" for size, ring in zip(self.sizes, self.rings, strict=True)]
        sizes += ["1"] * (len(_AXES) - self.dimensions)
        lines = [f"torus {' '.join(sizes)}"]
        if (largest := self._largest_group()) > _PORTS_OF_A_GROUP:
            lines.append(f"portgroup_max_ports {largest}")
        for i, seed in enumerate(self._seeds()):
            lines += ["", *(["next_seed"] if i else []), *self._seed(seed)]
        return "\n".join(lines) + "\n"

    def _seeds(self) -> list[_At]:
        """The switch nearest to coordinate 0 that has its neighbours, and one far from it that shares none with it."""
        able = [at for at in product(*map(range, self.sizes)) if at in self._at and self._links(at) is not None]
        if not able:
            raise BadInputError(
                f"fabric '{self._fabric.name}': no switch is linked to neighbours in all {self.dimensions} dimensions, "
                "which torus-2QoS needs to begin with"
            )
        first = able[0]
        others = [at for at in able if not self._around(first) & self._around(at)]
        return [first, *sorted(others, key=lambda at: self._distance(first, at))[-1:]]

    def _seed(self, at: _At) -> list[str]:
        links = self._links(at)
        assert links is not None
        here = self._guid(at)
        lines = [f"{_AXES[d]}{sign}_link {here} {self._guid(there)}" for d, sign, there in links]
        return lines + [f"{_AXES[d]}_dateline {-coordinate}" for d, coordinate in enumerate(at) if coordinate]

    def _links(self, at: _At) -> list[tuple[int, str, _At]] | None:
        """Dimension, direction and neighbour for the lines of a seed; None where a link that the engine wants is missing."""
        result = []
        for d, size in enumerate(self.sizes):
            if size == 1:
                continue
            ways = [(sign, self._neighbour(at, d, step)) for sign, step in (("p", 1), ("m", -1))]
            there = [(d, sign, neighbour) for sign, neighbour in ways if neighbour is not None]
            # In a ring of four, both ways around to the opposite switch look alike: the engine wants both neighbours.
            if len(there) < (2 if size == 4 and self.rings[d] else 1):
                return None
            result += there[: 2 if size == 4 else 1]
        return result

    def _neighbour(self, at: _At, d: int, step: int) -> _At | None:
        coordinate = (at[d] + step) % self.sizes[d] if self.rings[d] else at[d] + step
        there = (*at[:d], coordinate, *at[d + 1 :])
        return there if self._cables[at, there] else None

    def _around(self, at: _At) -> set[_At]:
        return {at, *(there for _, _, there in self._links(at) or [])}

    def _distance(self, a: _At, b: _At) -> int:
        """Links between two switches."""
        apart = [abs(i - k) for i, k in zip(a, b, strict=True)]
        return sum(min(n, size - n) if ring else n for n, size, ring in zip(apart, self.sizes, self.rings, strict=True))

    def _largest_group(self) -> int:
        ends = [pair for _, a, b in self._fabric.ends() for pair in ((a, b), (b, a))]
        hosts = Counter(end.node for end, other in ends if other.node not in self._place)
        return max(max(hosts.values(), default=0) + 1, max(self._cables.values(), default=0))

    def _guid(self, at: _At) -> str:
        return f"0x{self._fabric.guid_of(self._at[at]):016x}"


def _places(fabric: FabricDocument) -> dict[int, _At]:
    """Coordinates by switch. Raises BadInputError for what is no grid of two or three dimensions."""
    places: dict[int, _At] = {}
    seen: dict[_At, str] = {}
    for i, switch in enumerate(fabric.switches):
        at = tuple(switch.at)
        if not at:
            raise BadInputError(f"fabric '{fabric.name}': switch '{switch.name}' does not say where it stands (at: [0, 1, 2])")
        if not 2 <= len(at) <= len(_AXES):
            raise BadInputError(
                f"fabric '{fabric.name}': switch '{switch.name}' stands in {len(at)} dimensions; torus-2QoS takes 2 or 3"
            )
        if len(at) != len(fabric.switches[0].at):
            raise BadInputError(
                f"fabric '{fabric.name}': switch '{switch.name}' stands in {len(at)} dimensions and "
                f"'{fabric.switches[0].name}' in {len(fabric.switches[0].at)}"
            )
        if (other := seen.setdefault(at, switch.name)) != switch.name or len(seen) != i + 1:
            raise BadInputError(f"fabric '{fabric.name}': switches '{other}' and '{switch.name}' both stand at {list(at)}")
        places[i] = at
    if not places:
        raise BadInputError(f"fabric '{fabric.name}' has no switches; torus-2QoS routes tori of switches")
    return places


EXPORTERS.add("torus-2qos", Torus2Qos())
