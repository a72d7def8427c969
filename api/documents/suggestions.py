# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A suggested profile as JSON, with its reasons and how it does."""

from typing import Any, Literal

from pydantic import BaseModel, Field


class FanIn(BaseModel):
    least: int = Field(description="Contributors to one receiver at a time, at least.")
    most: int
    made_for: int = Field(description="Contributors that the values are worked out for.")


class ForecastDocument(BaseModel):
    """Forecast by the rule for some contributors to one receiver."""

    contributors: int
    verdict: Literal["cures", "unsure", "does nothing"]
    balance: float
    room: float
    cost: float = Field(description="Share of the hotspot's throughput that the profile may cost, 0 to 1.")
    cost_at_most: float = Field(
        description="The same with what simulations of incasts cost more, 0 to 1. At most 0.04 where the scenario is served."
    )
    settles_ms: float | None = Field(description="Time until contributors are at their fair share; null: never.")
    recovers_ms: float = Field(description="Longest time until a contributor sends at full rate again.")


class KeptPoint(BaseModel):
    contributors: int
    kept: float = Field(description="Share of their total that contributors keep at least, 0 to 1.")


class DeviceOutlookDocument(BaseModel):
    """Outlook with devices of one kind."""

    device: str = Field(description="Kind of devices; `given`: those that the settings say, where they are of no kind.")
    meaning: str
    made_for: bool = Field(description="True if the profile is made to serve them.")
    works_up_to: int | None = Field(description="Most contributors that it holds back; null: not even two.")
    forecasts: list[ForecastDocument]
    line: list[KeptPoint] = Field(description="Line to draw, from 2 contributors to `works_up_to`.")


class SuggestionDocument(BaseModel):
    name: str = Field(description="Name under which the profile can be stored.")
    document: str = Field(description="Profile document (YAML), for `create_profile`.")
    resolved: dict[str, Any] = Field(description="The same as an object, with all defaults.")
    contributors: FanIn
    most_contributors: int = Field(description="Contributors to one receiver that the fabric has hosts for.")
    receiver_gbps: float = Field(description="Payload that the receiver takes.")
    holds: str | None = Field(
        description="With which devices and how many contributors the profile holds by forecast, and who loses otherwise; null "
        "where adapters run DCQCN alone."
    )
    reasons: list[str]
    unknowns: list[str] = Field(description="What decides and is not known: its range, and how to find it out.")
    stops: list[str] = Field(description="The point at which the profile stops working; empty where adapters run DCQCN alone.")
    warnings: list[str] = Field(description="What makes the fabric a poor ground for it, such as a routing that carries little.")
    devices: list[DeviceOutlookDocument] = Field(description="Outlook by kind of adapters; empty where they run DCQCN alone.")
