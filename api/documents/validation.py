# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Problems of a document's text as JSON. Editors show them while a person types."""

from pydantic import BaseModel, Field

from api.documents.texts import NodeName, Sentence


class DocumentProblem(BaseModel):
    path: str = Field(description="Place in the document, such as `flows[2].qps`; empty: the whole document.")
    line: int | None = Field(description="Line of the text, from 1; null: no line is to blame.")
    column: int | None = Field(description="First column, from 1, in characters; null: the whole line.")
    end_line: int | None
    end_column: int | None = Field(description="Column behind the last character.")
    detail: Sentence


class DocumentValidation(BaseModel):
    valid: bool
    problems: list[DocumentProblem]
    warnings: list[DocumentProblem] = Field(
        description="Parts of the document that are read, and that should be written otherwise."
    )


class FlowPreview(BaseModel):
    name: NodeName
    src: NodeName
    dst: NodeName
    role: str
    start_s: float
    stop_s: float
    rate_gbps: float | None = Field(description="Limit of the flow; null: as fast as it can.")


class WorkloadValidation(DocumentValidation):
    fabric: str | None = Field(description="Fabric on which the flows were looked at; null: on none.")
    placed: bool = Field(description="True if hosts were chosen by their roles; the document names others or none.")
    duration_s: float | None = Field(description="Duration there; null: not known.")
    flows: list[FlowPreview] = Field(description="The first flows, with those that patterns make on the fabric.")
    flows_total: int | None = Field(description="Number of all flows; null: not known.")
