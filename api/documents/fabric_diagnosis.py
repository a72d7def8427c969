# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The JSON document of the verdict "host or fabric?", as tuner.diagnosis makes it."""

from datetime import date
from typing import Literal

from pydantic import BaseModel, Field

from api.base.times import Time
from api.documents.texts import NodeName, Sentence
from tuner.diagnosis.fault import Kind, VerdictName


class FaultOut(BaseModel):
    kind: Kind = Field(description="What is wrong.")
    place: NodeName = Field(description="Host, link, port or device.")
    sentence: Sentence
    evidence: list[Sentence] = Field(description="What it was told by.")
    next_step: Sentence = Field(description="A command, or what to do.")
    cause: str = Field(description="The same among the likely causes of nightly checks.")


class DiagnosisOut(BaseModel):
    """What makes flows slow: a host, a link, tables, or a hotspot; as `ibcc fabric diagnose` says it."""

    verdict: VerdictName = Field(description="Kind of the only fault; `several`, `none`, or `cannot-tell`.")
    sentence: Sentence
    faults: list[FaultOut] = Field(description="At most 20 of `faults_count`.")
    faults_count: int
    slow_flows: list[NodeName] = Field(description="Flows that get less than they want: at most 20 of `slow_flows_count`.")
    slow_flows_count: int
    missing: list[Sentence] = Field(description="What could not be read: at most 20 of `missing_count`.")
    missing_count: int


class LastDiagnosis(BaseModel):
    """The last diagnosis that somebody has asked for."""

    source: Literal["simulated", "emulated", "live"] = Field(
        description="A workload on the simulated or the emulated fabric, or the watched ports of switches to hosts."
    )
    workload: str | None = Field(description="Workload that ran; null: none.")
    version: int = Field(description="Version of the wiring.")
    outdated: bool = Field(description="Whether the fabric has another version now.")
    at: Time
    by: str
    diagnosis: DiagnosisOut


class NightDiagnosis(BaseModel):
    """What the last night of a check has found."""

    check: str
    date: date
    diagnosis: DiagnosisOut


class FabricDiagnosis(BaseModel):
    """The verdict "host or fabric?" of a fabric, from all that is known."""

    can_watch: bool = Field(description="Whether the fabric has ports of switches that can be watched without a workload.")
    can_run: bool = Field(description="Whether a workload can be run on it for a diagnosis.")
    last: LastDiagnosis | None = Field(description="Null: nobody has asked for one.")
    nights: list[NightDiagnosis] = Field(description="By check, the newest night first.")
    problem: Sentence | None = Field(description="Why the newest job made no diagnosis; null: it did, or there was none.")
    job: str | None = Field(description="Job that makes a diagnosis now; null: there is none.")
