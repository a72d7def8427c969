# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Models of hosts (`host_models:`): how fast a host takes what its adapter receives, see docs/research/host-model.md."""

from typing import Annotated, Any, TypeAlias

from pydantic import AfterValidator, model_validator

import ccsim
from tuner.document_base.model import DocumentModel, ListOf, Within, unknown_name
from tuner.documents.flow import Gbps, Name
from tuner.documents.host_presets import PRESETS

Positive: TypeAlias = Annotated[float, Within(0, 1e9, above=True)]
Share: TypeAlias = Annotated[float, Within(0, 1)]
Weight: TypeAlias = Annotated[float, Within(0, 1, above=True)]


def _known_preset(name: str) -> str:
    if name not in PRESETS:
        raise ValueError(unknown_name("preset", name, list(PRESETS)))
    return name


def _as_many_as_levels(factors: tuple[float, ...]) -> tuple[float, ...]:
    if len(factors) != 5:
        raise ValueError(f"has {len(factors)} numbers; there are 5 levels, from no throttling to the strongest")
    return factors


class HostCc(DocumentModel):
    """hostCC on a host: it marks packets and throttles the host's other work when PCIe writes wait for memory."""

    target_gbps: Gbps | None = None
    """Payload that the adapter is to get, in Gb/s; without it, 80."""
    occupancy_lines: Positive | None = None
    """Cache lines in the root complex above which packets are marked; without it, 70."""
    occupancy_weight: Weight | None = None
    """Weight of a new sample of the occupancy; without it, 1/8."""
    bandwidth_weight: Weight | None = None
    """Weight of a new sample of the bandwidth; without it, 1/256."""
    least_lines: Annotated[float, Within(0, 1e6)] | None = None
    """Occupancy up to which a sample is ignored; without it, 10."""
    most_gbps: Gbps | None = None
    """Bandwidth from which on a sample is ignored, in Gb/s; without it, 142.9."""
    sample_ns: Annotated[float, Within(100, 1e9)] | None = None
    """Time between two samples in ns; without it, 600."""
    step_down_us: Annotated[float, Within(0, 1e6)] | None = None
    """Least time between two steps to a lower level in us; without it, 150."""
    level_factors: Annotated[ListOf[Share], AfterValidator(_as_many_as_levels)] | None = None
    """Part of their memory traffic that the host's cores keep at each of the 5 levels, from no throttling to the strongest;
    without it, [1, 0.8, 0.6, 0.4, 0]. These strengths are not published."""


class HostModel(DocumentModel):
    """A host as its adapter sees it. A field that is left out has the preset's value, and without a preset its default."""

    preset: Annotated[str, AfterValidator(_known_preset)] | None = None
    """A machine of docs/research/host-model.md, such as skylake-100g, whose values the other fields replace."""
    hosts: ListOf[Name] = ()
    """Hosts that have the model, written as in links, beside those whose `host_model` names it."""
    write_credits_lines: Annotated[float, Within(1, 1e6)] | None = None
    """Cache lines that the adapter may have in flight to memory: PCIe write credits; without it, 92."""
    base_latency_ns: Positive | None = None
    """Time in ns that a line holds its credit on an idle host; without it, 300."""
    pcie_gbps: Gbps | None = None
    """Payload that the adapter's PCIe link carries, in Gb/s; without it, 110 (Gen3 x16)."""
    memory_gbytes_per_s: Positive | None = None
    """Bandwidth of a memory node in GB/s, as a memory-bound program reaches it; without it, 90."""
    cores: Annotated[int, Within(1, 4096)] | None = None
    """Cores that can load a memory node; without it, 28."""
    core_lines: Positive | None = None
    """Cache lines that a memory-bound core keeps in flight; without it, 44.5, which is fitted."""
    core_gbytes_per_s: Positive | None = None
    """Bandwidth of one memory-bound core alone, in GB/s; without it, 12.5."""
    ddio_share: Share | None = None
    """Part of the adapter's writes that stay in the last-level cache; without it, 0."""
    remote_share: Share | None = None
    """Part of the adapter's writes that go to the other memory node; without it, 0."""
    remote_latency_ns: Annotated[float, Within(0, 1e6)] | None = None
    """Time in ns that such a write takes longer; without it, 70."""
    socket_gbytes_per_s: Positive | None = None
    """Bandwidth between the sockets in GB/s, for such writes; without it, 20."""
    iotlb_entries: Annotated[int, Within(0, 10**9)] | None = None
    """Translations that the IOMMU keeps; 0, the default: the IOMMU is off."""
    page_bytes: Annotated[int, Within(4096, 2**40)] | None = None
    """Size of the pages that are registered; without it, 2097152."""
    walk_step_ns: Annotated[float, Within(0, 1e6)] | None = None
    """Time in ns to read one level of the page table after a miss; without it, 103, which is fitted."""
    translations: Annotated[int, Within(0, 1000)] | None = None
    """Translations that a packet needs; without it, 6. Pages of 4096 bytes add one."""
    region_bytes: Annotated[float, Within(1, 1e15)] | None = None
    """Memory that a receiving thread registers, in bytes; without it, 12582912."""
    control_pages: Annotated[int, Within(0, 10**6)] | None = None
    """Pages of descriptors and completions of a thread; without it, 10, which is fitted."""
    threads: Annotated[int, Within(1, 10**6)] | None = None
    """Receiving threads; without it, 12."""
    thread_gbps: Gbps | None = None
    """Payload that one of them takes, in Gb/s; without it, no limit."""
    receive_buffer_bytes: Annotated[int, Within(4096, 10**9)] | None = None
    """Receive buffer of the adapter for each VL in bytes; without it, `model.ca.input_buffer_bytes`."""
    lossy_buffer_bytes: Annotated[int, Within(4096, 10**9)] | None = None
    """Buffer in bytes of an adapter that drops, for the count of what it would have dropped; without it, 1048576."""
    mark_buffer_bytes: Annotated[int, Within(1, 10**9)] | None = None
    """Fill of the receive buffer in bytes above which the adapter marks packets; without it, never."""
    hostcc: HostCc | None = None
    """hostCC; without it, the host does not run it. `{}` runs it with its defaults."""

    @model_validator(mode="after")
    def _marks_within_its_buffer(self) -> "HostModel":
        marks, buffer = self.mark_buffer_bytes, self.values().get("receive_buffer_bytes")
        if marks is not None and buffer is not None and marks >= buffer:
            raise ValueError(f"marks above {marks} bytes in a receive buffer of {buffer} bytes; mark_buffer_bytes must be less")
        return self

    def values(self) -> dict[str, Any]:
        """Returns the fields that the preset or the document gives, without hostcc."""
        own = self.model_dump(exclude={"preset", "hosts", "hostcc"}, exclude_none=True)
        return {**(PRESETS[self.preset] if self.preset is not None else {}), **own}

    def simulated(self) -> ccsim.HostModel:
        """Returns the model as the simulator takes it."""
        made = ccsim.HostModel()
        for name, value in self.values().items():
            setattr(made, name, float(value))
        if self.hostcc is not None:
            settings = ccsim.HostCcSettings()
            settings.enabled = True
            for name, value in self.hostcc.model_dump(exclude_none=True).items():
                setattr(settings, name, value)
            made.hostcc = settings
        return made


def preset_model(name: str) -> HostModel | None:
    """Returns the model of a preset's name; None if there is no such preset."""
    return HostModel(preset=name) if name in PRESETS else None
