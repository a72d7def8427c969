# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Workload documents (`ibcc_workload: 1`): the flows that run on a fabric, and the window in which they are judged."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, Union

from pydantic import Field, PrivateAttr, SerializerFunctionWrapHandler, model_serializer, model_validator
from pydantic_core import PydanticCustomError

from tuner.document_base.model import DocumentModel, ListOf, Within, build_model, misplaced, validate
from tuner.document_base.yaml_core import Document, Place, read_document
from tuner.documents import catalogue
from tuner.documents.flow import Flow, Name, Seconds
from tuner.documents.host_load import HostLoad
from tuner.documents.patterns.base import PATTERNS, HostSelector, Pattern
from tuner.documents.registry import DOCUMENTS
from tuner.documents.roles import Roles
from tuner.errors import BadInputError
from tuner.goals.sample_window import window_samples

if TYPE_CHECKING:
    AnyPattern: TypeAlias = Pattern
else:
    AnyPattern = Annotated[Union[tuple(PATTERNS)], Field(discriminator="kind")]  # noqa: UP007  # made of the registered kinds


class Workload(DocumentModel):
    """Flows, patterns that stand for flows, and how long to run and sample them."""

    ibcc_workload: Literal[1]
    name: Name
    fabric: Name
    """A packaged fabric's name, or a path relative to this document."""
    duration_s: Annotated[float, Within(0, 3600, above=True)]
    """Length of the run in seconds."""
    sample_interval_s: Annotated[float, Within(1e-6, 60)] = 0.01
    """Length of one sample. Figures of variation are comparable only at one interval."""
    warmup_s: Seconds = 0.0
    """Time after the start of the last contributor that the metrics leave out."""
    flows: ListOf[Flow] = ()
    patterns: ListOf[AnyPattern] = ()
    host_loads: ListOf[HostLoad] = ()
    """Memory-bound work on hosts that have a host_model, beside the traffic."""
    roles: Roles | None = None
    """Numbers of hosts by role, which place this traffic on another fabric; without flows and patterns, on every fabric."""

    _document: Document | None = PrivateAttr(default=None)  # what it was read from
    _scale: tuple[float, float] | None = PrivateAttr(
        default=None
    )  # time scale of its times, and the duration before it is rounded
    _places: tuple[Place, ...] = PrivateAttr(default=())  # by flow: where the document has it, or the pattern that it comes from

    @model_validator(mode="after")
    def _is_consistent(self) -> "Workload":
        self._check()
        return self

    @model_serializer(mode="wrap")
    def _without_absent_parts(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """A workload without roles or host loads is written, and identified in stored campaigns, as before there were any."""
        document: dict[str, Any] = handler(self)
        if self.roles is None:
            document.pop("roles", None)
        if not self.host_loads:
            document.pop("host_loads", None)
        return document

    def _check(self) -> None:
        if not self.flows and not self.patterns and self.roles is None:
            raise ValueError("has neither flows nor patterns nor roles; it needs at least one of them")
        if not self.flows and not self.patterns and self.roles is not None and self.roles.hosts is not None:
            raise ValueError("has hosts under roles and no patterns; it needs patterns over all hosts")
        if self.sample_interval_s > self.duration_s:
            raise misplaced(
                f"sample_interval_s {self.sample_interval_s:g} is longer than duration_s {self.duration_s:g}", "sample_interval_s"
            )
        if abs(self.duration_s / self.sample_interval_s - round(self.duration_s / self.sample_interval_s)) > 1e-6:
            sentence = f"duration_s {self.duration_s:g} is not a whole number of samples of {self.sample_interval_s:g} s"
            raise misplaced(sentence, "duration_s")
        first: dict[str, int] = {}
        for i, load in enumerate(self.host_loads):
            if load.start_s >= self.duration_s:
                sentence = f"a host load starts at {load.start_s:g} s, when the run of {self.duration_s:g} s is over"
                raise misplaced(sentence, "host_loads", i)
        for i, flow in enumerate(self.flows):
            if flow.name in first:
                raise misplaced(
                    f"flows[{i}] and flows[{first[flow.name]}] are both called '{flow.name}'; names are unique", "flows", i
                )
            first[flow.name] = i
            if flow.start_s >= self.duration_s:
                raise misplaced(
                    f"flow '{flow.name}' starts at {flow.start_s:g} s, when the run of {self.duration_s:g} s is over", "flows", i
                )
        if self.flows and not self.patterns:
            start, stop = self.window()
            if not self._has_sample(start, stop, self.duration_s):
                raise misplaced(
                    f"there is no window to judge: all contributors are active and warmed up from {start:g} s to {stop:g} s, "
                    f"which must hold at least one whole sample of {self.sample_interval_s:g} s",
                    "warmup_s",
                )

    def stop_of(self, flow: Flow) -> float:
        """Returns the time at which a flow ends, in seconds: its own stop or the end of the run."""
        return self.duration_s if flow.stop_s is None else min(flow.stop_s, self.duration_s)

    def window(self) -> tuple[float, float]:
        """From when to when the metrics look: all contributors are active, less the warm-up. A workload without contributors is
        judged while all its flows are active, or over the whole run if they never are together. Patterns must be expanded."""
        judged = [flow for flow in self.flows if flow.role == "contributor"]
        if judged:
            return max(flow.start_s for flow in judged) + self.warmup_s, min(self.stop_of(flow) for flow in judged)
        start, stop = max(flow.start_s for flow in self.flows), min(self.stop_of(flow) for flow in self.flows)
        return (start + self.warmup_s, stop) if start + self.warmup_s < stop else (self.warmup_s, self.duration_s)

    def scaled(self, time_scale: float) -> "Workload":
        """The same with its times multiplied; the sample interval stays, and so do the timers of congestion control. The
        duration is rounded up to whole samples. Roles must be placed. Raises BadInputError if too little time is left."""
        if not 0 < time_scale < float("inf"):
            raise BadInputError(f"the time scale is {time_scale:g}; it must be above 0, and finite")
        before, duration_s = self._scale or (1.0, self.duration_s)
        try:
            scaled = self._scaled(time_scale)
        except BadInputError as error:
            raise BadInputError(f"{error.sentence}{self._least_scale(before * time_scale)}") from error
        scaled._scale = before * time_scale, duration_s * time_scale
        return scaled

    def _scaled(self, time_scale: float) -> "Workload":
        return self._changed(
            f"at a time scale of {time_scale:g}",
            duration_s=self._whole_samples(self.duration_s * time_scale),
            warmup_s=round(self.warmup_s * time_scale, 9),
            flows=tuple(flow.stretched(time_scale) for flow in self.flows),
            patterns=tuple(pattern.stretched(time_scale) for pattern in self.patterns),
            **({"host_loads": tuple(load.stretched(time_scale) for load in self.host_loads)} if self.host_loads else {}),
        )

    def expanded(self, hosts: HostSelector, *, most_flows: int | None = None) -> "Workload":
        """The same with every pattern replaced by its flows on a fabric. Raises BadInputError, also once there are more than
        `most_flows`."""
        too_many = f"there are more than {most_flows} flows on this fabric, the most that are read here"
        if most_flows is not None and len(self.flows) > most_flows:
            raise self._bad_input(too_many, ("flows", most_flows))
        if not self.patterns:
            if not self.flows:
                raise self._bad_input(
                    f"workload '{self.name}' has roles alone; `ibcc hosts place` finds hosts for them", ("roles",)
                )
            return self
        flows: list[Flow] = list(self.flows)
        places: list[Place] = [("flows", i) for i in range(len(flows))]
        for i, pattern in enumerate(self.patterns):
            try:
                expanded = pattern.expand(hosts, self.duration_s)
            except BadInputError as error:
                if error.source is not None:  # it is about another file, such as a trace
                    raise
                raise self._bad_input(error.sentence, ("patterns", i)) from error
            flows += expanded
            if most_flows is not None and len(flows) > most_flows:
                raise self._bad_input(too_many, ("patterns", i))
            places += [("patterns", i)] * len(expanded)
        workload = self.model_copy(update={"flows": tuple(flows), "patterns": ()})
        workload._places = tuple(places)
        try:
            workload._check()
        except PydanticCustomError as error:
            least = "" if self._scale is None else workload._least_scale(self._scale[0])
            raise BadInputError(f"workload '{self.name}' with its patterns expanded: {error.message()}{least}") from error
        return workload

    def _has_sample(self, start_s: float, stop_s: float, duration_s: float) -> bool:
        samples = window_samples((start_s, stop_s), self.sample_interval_s, round(duration_s / self.sample_interval_s))
        return bool(samples.start < samples.stop)

    def _whole_samples(self, seconds: float) -> float:
        return round(max(1, math.ceil(seconds / self.sample_interval_s - 1e-6)) * self.sample_interval_s, 9)

    def _least_scale(self, refused: float) -> str:
        """Names the time scale, of two digits, from which on all up to 1 leave a window; empty if there is none above the refused
        one, or if that one leaves a window too."""
        scale, duration_s = self._scale or (1.0, self.duration_s)
        judged = [flow for flow in self.flows if flow.role == "contributor"] or self.flows
        start_s = max(flow.start_s for flow in judged) + self.warmup_s
        stops = [flow.stop_s for flow in judged if flow.stop_s is not None]
        power, least = math.floor(math.log10(refused)), refused
        larger = [digits * 10.0**exponent for exponent in range(power - 1, -1) for digits in range(10, 100)]
        for tried in sorted([1.0, refused, *(one for one in larger if refused < one < 1)], reverse=True):
            factor, rounded = tried / scale, self._whole_samples(duration_s * tried / scale)
            if not self._has_sample(start_s * factor, min([rounded, *(stop * factor for stop in stops)]), rounded):
                return "" if least <= tried else f"; time scales from {least:.2g} on leave one"
            least = tried
        return ""

    def bad_flow(self, index: int, sentence: str) -> BadInputError:
        """The error that one of the flows does not fit a fabric, with its file and line if it was read from one."""
        place = self._places[index] if self._places else ("flows", index)
        return self._bad_input(f"flow '{self.flows[index].name}': {sentence}", place)

    def bad_host_load(self, index: int, sentence: str) -> BadInputError:
        """The error that one of the host loads does not fit a fabric, likewise."""
        return self._bad_input(f"host load {index + 1}: {sentence}", ("host_loads", index))

    def _bad_input(self, sentence: str, place: Place) -> BadInputError:
        if self._document is None:
            return BadInputError(sentence)
        return BadInputError(sentence, source=self._document.source, line=self._document.line_of(place))

    def _changed(self, how: str, **changes: object) -> "Workload":
        try:
            workload = build_model(Workload, self.model_dump() | changes)
        except BadInputError as error:
            raise BadInputError(f"workload '{self.name}' {how}: {error.sentence}") from error
        workload._document = self._document
        return workload


def load_workload(path_or_name: str | Path) -> Workload:
    """Reads a workload by path or by the name of a packaged one. Its `fabric` and the files of its patterns come back as
    something that is found from anywhere. Raises BadInputError."""
    path = catalogue.find("workload", path_or_name)
    document = read_document(path)
    read = validate(Workload, document)
    patterns = tuple(pattern.anchored(path.parent) for pattern in read.patterns)
    workload = read.model_copy(update={"fabric": catalogue.anchored(read.fabric, path.parent), "patterns": patterns})
    workload._document = document
    return workload


DOCUMENTS.add("workload", Workload)
