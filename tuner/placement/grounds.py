# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Workloads by reference, on the fabrics that they name or on another one."""

from collections.abc import Iterable, Sequence

from tuner.documents.roles import RoleCounts
from tuner.documents.workload import load_workload
from tuner.fabric.built_fabric import BuiltFabric, build
from tuner.fabric.one_subnet import found_fabric, require_one
from tuner.placement.on_fabric import OnFabric, on_fabric


class Grounds:
    """Builds each fabric once."""

    def __init__(self, fabric: str | None = None, counts: RoleCounts | None = None, hosts: Sequence[str] | None = None) -> None:
        """`fabric`: for all workloads instead of their own, by path or name, one subnet of several. `counts`: of their roles.
        `hosts`: references of those that may play them; by default all."""
        self._hosts = hosts
        self._fabric = fabric
        self._counts = counts
        self._built: dict[str, BuiltFabric] = {}

    def built(self, fabric: str) -> BuiltFabric:
        """Raises BadInputError."""
        if fabric not in self._built:
            self._built[fabric] = build(found_fabric(fabric))
        return self._built[fabric]

    def load(self, references: Iterable[str]) -> tuple[OnFabric, ...]:
        """Reads workloads by path or name, and places them. Raises BadInputError, also for a host that is not on the fabric, and
        where hosts are to be chosen on a fabric of several subnets."""
        return tuple(self._load(reference) for reference in references)

    def _load(self, reference: str) -> OnFabric:
        workload = load_workload(reference)
        fabric = self._fabric or workload.fabric
        built = self.built(fabric)
        found = on_fabric(workload, built, fabric=fabric, counts=self._counts, hosts=self._hosts)
        if self._hosts is None and (found.placed or self._fabric is not None):
            require_one(built.document)
        return found
