# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The report of `ibcc fabric probe`: what one device of each model and firmware answers, without names and GUIDs of a site."""

from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, Field, WithJsonSchema

from tuner.document_base.model import DocumentModel, ListOf, Within
from tuner.documents.hardware import Firmware, Oui

Dialect: TypeAlias = Literal["a10", "nvidia", "nvidia-dcqcn", "nvidia-ppcc"]
"""`nvidia`: of a switch, whose attributes are the same for DCQCN and PPCC."""
VlReading: TypeAlias = Literal["mask", "modifier", "modifier-is-port", "unknown"]
Refusal: TypeAlias = Literal["refused", "answered", "silent"]
Misleading: TypeAlias = Literal["echo", "empty", "unstable", "any-port"]
LogLayout: TypeAlias = Literal["ib-types", "libibmad", "either", "neither"]

BLANK = "xx"
"""Stands in `data` for a byte that could identify a site."""


def _hexadecimal(text: str) -> str:
    pairs = [text[i : i + 2] for i in range(0, len(text), 2)]
    if len(text) > 448 or any(len(pair) != 2 or (pair != BLANK and not set(pair) <= set("0123456789abcdef")) for pair in pairs):
        raise ValueError(f"is '{text:.20}…'; bytes are pairs of 0-9 and a-f, or {BLANK}, at most 224 of them")
    return text


Bytes: TypeAlias = Annotated[
    str,
    AfterValidator(_hexadecimal),
    WithJsonSchema({"type": "string", "pattern": f"^([0-9a-f]{{2}}|{BLANK})*$", "maxLength": 448}),
]
Text: TypeAlias = Annotated[str, Field(max_length=200)]
Word: TypeAlias = Annotated[int, Within(0, 0xFFFF)]
LongWord: TypeAlias = Annotated[int, Within(0, 0xFFFFFFFF)]


class ProbeAnswer(DocumentModel):
    """One question, and the device's answer."""

    question: Annotated[str, Field(max_length=60)]
    """Name of the question, such as `ff09/vl1`; docs/operate/probing.md lists them."""
    attribute: Word
    """Attribute of class 0x21 that was asked for."""
    modifier: LongWord = 0
    """AttributeModifier of the request."""
    sent: Bytes = ""
    """Content of the request, without the zeros at its end."""
    status: Word | None = None
    """Status of the answer; 0 is success. None: there was no answer."""
    answered: Word | None = None
    """Attribute in the answer, if that is another one."""
    data: Bytes = ""
    """Content of the answer, without the zeros at its end."""


class Algorithm(DocumentModel):
    """One algorithm of the firmware, in the order of the slots."""

    algo_id: Word
    """Number of the algorithm."""
    major: Annotated[int, Within(0, 255)]
    """First part of its version."""
    minor: Annotated[int, Within(0, 255)]
    """Second part of its version."""


class ProbeFindings(DocumentModel):
    """Statements that follow from the answers of a device."""

    dialects: ListOf[Dialect] = ()
    """Congestion control that the device has; empty if it has none, or if its answers mislead."""
    misleading: ListOf[Misleading] = ()
    """Reasons not to believe answers: `echo` (they are the requests' content), `empty` (success and zeros), `unstable` (a
    repeated question has another answer), `any-port` (ports that do not exist are answered)."""
    vl_reading: VlReading | None = None
    """Place of the VL in a Get of CongestionPortProfileSettings: `mask` (vl_mask of the request), `modifier` (its upper half), or
    `modifier-is-port` (not the modifier; all VLs hold the same, so that the rest cannot be seen). None: not asked."""
    unknown_port: Refusal | None = None
    """Answer to CongestionSLMappingSettings of a port that does not exist. None: not asked."""
    port_as_modifier: Refusal | None = None
    """Answer to CongestionHCAGeneralSettings with the port as modifier, which is read as 0. None: not asked."""
    ver0: bool | None = None
    """Bit ver0Supported of EnhancedCongestionInfo: DCQCN."""
    ver1: bool | None = None
    """Bit ver1Supported of EnhancedCongestionInfo: PPCC."""
    capability_mask: Annotated[int, Within(0, 2**64 - 1)] | None = None
    """CC_Capability_Mask of EnhancedCongestionInfo."""
    algorithms: ListOf[Algorithm] = ()
    """Algorithms that CongestionHCAAlgoConfig lists."""
    missing_status: Word | None = None
    """Status by which the device refuses an attribute of the other kind of device."""
    control_map: LongWord | None = None
    """Control_Map of SwitchCongestionSetting. 0 and 0x1f do not tell the order of its bits."""
    log_layout: LogLayout | None = None
    """Layouts of a channel adapter's CongestionLog that its events fit. None: there are no events, or there is no log."""
    log_timestamp_at: Annotated[int, Within(4, 8)] | None = None
    """Byte of CongestionLog at which CurrentTimeStamp stands, as TimeStamp has the same value. None: not seen."""
    reserved_bits: ListOf[Annotated[str, Field(max_length=60)]] = ()
    """Questions whose answers have bits that no public layout has."""


class WriteTest(DocumentModel):
    """A changed value that was sent, and undone at once."""

    attribute: Word
    """Attribute of class 0x21."""
    field: Text
    """Field that was changed."""
    before: LongWord
    """Value that the device held."""
    sent: LongWord
    """Value that it was sent."""
    status: Word | None
    """Status of the answer to the Set; None: there was none."""
    held: LongWord | None
    """Value that the device held then; None: it was not told."""
    restored: bool
    """True if the device holds its former content again."""
    vl_reading: VlReading | None = None
    """Place of the VL in a Get of CongestionPortProfileSettings, as seen while VL 0 alone was changed. None: not seen."""

    @property
    def outcome(self) -> Literal["kept", "changed", "not-kept", "refused"]:
        if self.status is None or self.status & 0x7FFF:
            return "refused"
        if self.held == self.sent:
            return "kept"
        return "not-kept" if self.held in (self.before, None) else "changed"


class NotWritten(DocumentModel):
    """A value that the device has and that the write test left alone."""

    attribute: Word
    """Attribute of class 0x21."""
    field: Text
    """Field that would have been changed."""
    why: Text
    """Reason: what the device holds, and what a write test needs."""


class ProbedDevice(DocumentModel):
    """A device that stands for all of its model and firmware."""

    kind: Literal["switch", "adapter"]
    vendor_id: Oui
    """OUI of the maker, as NodeInfo has it."""
    device_id: Word
    """Number of the device among the maker's, as NodeInfo has it."""
    firmware: Firmware | None = None
    """Version of the firmware; None: the device does not tell it."""
    psid: Annotated[str, Field(max_length=16)] = ""
    """Name of the board's configuration."""
    num_ports: Annotated[int, Within(1, 255)]
    """Number of ports."""
    key: Literal["none", "needed", "unknown"]
    """Need of a CC_Key; a device that needs one is not asked further without it."""
    stopped: Text | None = None
    """Reason why not all was asked, if it was not."""
    duration_s: Annotated[float, Within(0, 1e9)]
    """Time that the questions took."""
    answers: ListOf[ProbeAnswer] = ()
    findings: ProbeFindings = ProbeFindings()
    write_tests: ListOf[WriteTest] = ()
    not_written: ListOf[NotWritten] = ()

    @property
    def vl_reading(self) -> VlReading | None:
        """The reading that the write test has shown, where the questions could not."""
        tested = (test.vl_reading for test in self.write_tests if test.vl_reading is not None)
        return (
            next(tested, self.findings.vl_reading) if self.findings.vl_reading == "modifier-is-port" else self.findings.vl_reading
        )


class ProbeReport(DocumentModel):
    """The whole report."""

    ibcc_probe: Literal[1]
    """Version of the format."""
    ibcc: Text
    """Version of ibcc that asked."""
    devices: ListOf[ProbedDevice] = ()
