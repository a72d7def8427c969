# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`confirm_on:` of a campaign."""

from typing import Annotated

from pydantic import Field

from tuner.document_base.model import DocumentModel, ListOf, Within
from tuner.documents.parameter import Scalar


class ConfirmOn(DocumentModel):
    """The confirmation takes place on another backend than the search: simulate first, then confirm on the cluster."""

    backend: Annotated[str, Field(min_length=1)]
    workloads: ListOf[Annotated[str, Field(min_length=1)]] = ()
    """By default the campaign's; a real fabric may need others, with its own hosts."""
    settings: dict[Annotated[str, Field(pattern=r"^backend\..")], Scalar] = Field(default_factory=dict)
    """Settings of that backend, such as how to reach the fabric."""
    parallel: Annotated[int, Within(1, 1024)] = 1
    """Number of profiles measured there at once."""
