# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`launcher:` of an inventory: a model for each kind. What starts agents by it is in tuner/hosts/launchers."""

import re
from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import AfterValidator, Field

from tuner.document_base.model import DocumentModel, ListOf, Within

_FIELD = re.compile(r"\{[^{}]*\}")


def _template(text: str) -> str:
    for field in _FIELD.findall(text):
        if field not in ("{node}", "{number}"):
            raise ValueError(f"is '{text}', and {field} has no meaning; use {{node}} or {{number}}")
    return text


Template: TypeAlias = Annotated[str, Field(min_length=1), AfterValidator(_template)]
"""Text in which `{node}` stands for the node's name and `{number}` for the last number in it, without leading zeros."""


def filled_in(template: str, node: str) -> str:
    """A template's text for one node."""
    numbers = re.findall(r"\d+", node)
    return template.replace("{node}", node).replace("{number}", str(int(numbers[-1])) if numbers else "")


class LauncherOptions(DocumentModel):
    """The options that every launcher has."""

    kind: str
    fanout: Annotated[int, Within(1, 4096)] = 64
    """Number of agents started at once; the next ones follow when these answer."""

    chosen_here: ClassVar[tuple[str, ...]] = ("kind",)
    """Options that say which program this machine runs, or how. A person who sets them can have it run anything; `kind`: the kind
    itself does that, whatever its options are."""


class Local(LauncherOptions):
    """On this machine. `{node}` and `{number}` in the agent's command stand for the node."""

    kind: Literal["local"]


class Ssh(LauncherOptions):
    """Through ssh, which must not ask for anything."""

    chosen_here: ClassVar[tuple[str, ...]] = ("program", "options")

    kind: Literal["ssh"]
    target: Annotated[Template, Field(pattern=r"^[A-Za-z0-9_{]")] = "{node}"
    """The host name that ssh gets."""
    user: Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]{0,31}$")] | None = None
    """User to log in as; by default what ssh's configuration says."""
    connect_timeout_s: Annotated[int, Within(1, 600)] = 10
    program: Annotated[str, Field(min_length=1)] = "ssh"
    options: ListOf[Annotated[str, Field(pattern="^-")]] = ()
    """Further options of ssh, one each: `-oPort=2222`, `-F/etc/ibcc/ssh_config`."""


class Srun(LauncherOptions):
    """Starts agents by srun, inside an allocation that salloc or sbatch has made. A check sets `job` itself."""

    chosen_here: ClassVar[tuple[str, ...]] = ("program", "options")

    kind: Literal["srun"]
    job: Annotated[int, Within(1, 2**32 - 1)] | None = None
    """Number of the job whose allocation is used; without it, that of the job which ibcc runs in."""
    program: Annotated[str, Field(min_length=1)] = "srun"
    options: ListOf[Annotated[str, Field(pattern="^-")]] = ()
    """Further options of srun, one each: `--cpu-bind=none`."""


AnyLauncher: TypeAlias = Annotated[Local | Srun | Ssh, Field(discriminator="kind")]
