# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The identity of a run and of what is read from it, and the identity of a simulator."""

import hashlib
import inspect
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType

import ccsim
import tuner
from experiments._common.run import Run
from tuner.campaign.setup import digest_of

MEASURING = ("backends/simulated.py", "document_base", "documents", "fabric", "goals", "measuring", "simulation")
"""Parts of tuner/ through which a simulated measurement passes."""


def run_identity(run: Run, fabric_digest: str, reading: Callable[..., object]) -> str:
    """A digest of all that decides what `reading` makes of a run on the fabric with that digest: the contents of documents, not
    their paths; ibcc's simulator; and the source of the module that `reading` is from. Files that patterns name, such as traces,
    count by their paths only. Raises BadInputError if a document is bad."""
    workload, profile = run.documents()
    return digest_of(
        {
            "simulator": simulator_identity(),
            "reading": [reading.__qualname__, reading_identity(reading)],
            "workload": workload.model_dump(mode="json", exclude={"fabric", "description"}),
            "fabric": fabric_digest,
            "profile": profile.to_dict(),
            "model": dict(run.model),
            "seed": run.seed,
        }
    )


@cache
def simulator_identity() -> str:
    """A digest of the compiled simulator and of the Python sources between a run and its measurement."""
    digest = hashlib.sha256()
    above = Path(tuner.__path__[0])
    for part in (Path(ccsim.__path__[0]), *(above / name for name in MEASURING)):
        for file in [part] if part.is_file() else sorted([*part.rglob("*.py"), *part.glob("_ccsim*.so")]):
            digest.update(f"{file.relative_to(part.parent)}\0".encode() + file.read_bytes())
    return digest.hexdigest()


def reading_identity(reading: Callable[..., object]) -> str:
    """A digest of the source of the module that the function is from."""
    return _of_source(inspect.getmodule(reading))


@cache
def _of_source(module: ModuleType | None) -> str:
    return "" if module is None else hashlib.sha256(inspect.getsource(module).encode()).hexdigest()
