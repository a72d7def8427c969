# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A check: what is observed of a fabric each night, and how rare a false alarm must be."""

from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import Field, model_validator

from tuner.document_base.model import DocumentModel, ListOf, Within, misplaced, validate
from tuner.document_base.yaml_core import read_document
from tuner.documents import catalogue
from tuner.documents.check_hosts import CheckHosts, SlurmName
from tuner.documents.check_kinds import AnyKind
from tuner.documents.registry import DOCUMENTS


class Drained(DocumentModel):
    """Who says which hosts are drained or off: one that is gone is no failure then."""

    slurm: bool = False
    """True to ask `sinfo`. A node of Slurm's is the host of that name in `inventory`; else the one whose node description begins
    with its name."""
    partition: SlurmName | None = None
    """Partition to ask about; without it, all nodes."""
    inventory: Annotated[str, Field(min_length=1)] | None = None
    """Inventory, by path or name: while one of its maintenance windows is open, its hosts may be off."""

    @model_validator(mode="after")
    def _says_something(self) -> "Drained":
        if not self.slurm and self.inventory is None:
            raise misplaced("slurm is false and there is no inventory; one of them is needed", "slurm")
        if self.partition is not None and not self.slurm:
            raise misplaced(f"partition is '{self.partition}', and slurm is false; only Slurm has partitions", "partition")
        return self


CheckName: TypeAlias = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]


class Check(DocumentModel):
    """`ibcc_check: 1`."""

    ibcc_check: Literal[1]
    name: CheckName
    """Name of the check, and of its folder in the history."""
    description: str = ""
    fabric: Annotated[str, Field(min_length=1)]
    """Fabric, by path or name."""
    alarm_probability: Annotated[float, Within(1e-6, 0.5)] = 0.1
    """Chance of any false alarm within a year, over all metrics of the check together."""
    learn_nights: Annotated[int, Within(5, 100)] = 10
    """Nights that a baseline should have, as long as there is none."""
    follow: Annotated[float, Within(0, 1)] = 1.0
    """Share of a metric's least effect by which its normal may follow the nights after the baseline, as with the seasons; 0: it
    stays as it was accepted."""
    hosts: CheckHosts | None = None
    """Hosts that entries may use; only some need any."""
    drained: Drained | None = None
    """Who says which hosts are drained or off."""
    kinds: ListOf[AnyKind]
    """Entries that are observed one after the other, in this order."""

    @model_validator(mode="after")
    def _entries_have_different_names(self) -> "Check":
        if not self.kinds:
            raise misplaced("kinds is empty; at least one is needed", "kinds")
        seen: set[str] = set()
        for i, entry in enumerate(self.kinds):
            if entry.entry in seen:
                raise misplaced(f"two of kinds are called '{entry.entry}'; give one of them another name", "kinds", i)
            seen.add(entry.entry)
            if entry.needs_hosts and self.hosts is None:
                raise misplaced(f"entry '{entry.entry}' needs hosts, and the check has no section hosts", "kinds", i)
        return self


def load_check(path_or_name: str | Path) -> Check:
    """Reads a check by path or by the name of a packaged one. Its fabric, workloads and profiles come back as references
    that hold from anywhere. Raises BadInputError."""
    path = catalogue.find("check", path_or_name)
    check = validate(Check, read_document(path))
    hosts = None if check.hosts is None else _anchored_hosts(check.hosts, path.parent)
    drained = check.drained
    if drained is not None and drained.inventory is not None:
        drained = drained.model_copy(update={"inventory": catalogue.anchored(drained.inventory, path.parent)})
    kinds = tuple(_anchored(entry, path.parent) for entry in check.kinds)
    fabric = catalogue.anchored(check.fabric, path.parent)
    return check.model_copy(update={"fabric": fabric, "hosts": hosts, "drained": drained, "kinds": kinds})


def _anchored_hosts(hosts: CheckHosts, folder: Path) -> CheckHosts:
    return hosts.model_copy(update={"inventory": catalogue.anchored(hosts.inventory, folder)})


def _anchored(entry: AnyKind, folder: Path) -> AnyKind:
    named = {key: getattr(entry, key) for key in (*entry.documents, *entry.files)}
    return entry.model_copy(
        update={
            key: catalogue.anchored(value, folder) if key in entry.documents else str(folder / value)
            for key, value in named.items()
            if value is not None
        }
    )


DOCUMENTS.add("check", Check)
