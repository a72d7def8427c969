# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A campaign: what is searched, by what it is judged, how long, and from which seeds."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field, GetJsonSchemaHandler, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from ccsim.policy import profile_keys
from tuner.document_base.known_names import KnownNames
from tuner.document_base.model import DocumentModel, ListOf, Within, misplaced, validate
from tuner.document_base.yaml_core import Document, read_document
from tuner.documents import catalogue
from tuner.documents.campaign_goals import Goal, GoalOf, Limit, default_constraints, known_constraints
from tuner.documents.campaign_rules import Confirmation, ConfirmOn, EarlyStopOptions, Recommend, Screening, Stop, Variants
from tuner.documents.campaign_scenarios import OWN, Scenarios, with_regret
from tuner.documents.device_model import meanings
from tuner.documents.overrides import overridden
from tuner.documents.parameter import ParameterOf, Scalar
from tuner.documents.registry import DOCUMENTS
from tuner.documents.roles import RoleCounts
from tuner.documents.samplers import AnySampler, Tpe
from tuner.errors import BadInputError

Name: TypeAlias = Annotated[str, Field(min_length=1)]
Seed: TypeAlias = Annotated[int, Within(0, 2**63 - 1)]


def _fields() -> dict[str, str]:
    """Fields of all devices, and parameters of simulated devices; fields of some devices are known to the reader only."""
    fields = {path.replace("[]", ".0"): key.meaning for path, key in profile_keys().items()}
    return fields | {f"model.{path}": f"For studies on simulated devices: {text}" for path, text in meanings().items()}


class Budget(DocumentModel):
    """Limits of the search; the first that is reached ends it. The confirmation comes on top."""

    trials: Annotated[int, Within(1, 1_000_000)] = 60
    """Number of profiles measured, resumed sessions and published profiles included."""
    time_s: Annotated[float, Within(0, above=True)] | None = None
    """Seconds of searching, resumed sessions included; running trials are finished."""


class Campaign(DocumentModel):
    """`ibcc_campaign: 1`. Profiles and workloads are paths, or names of the ones that ibcc brings."""

    ibcc_campaign: Literal[1]
    name: Name
    description: str = ""
    workloads: ListOf[Name]
    """Each trial measures all of them; objectives are means over them by default, and constraints must be kept in each."""
    fabric: Name | None = None
    """Fabric of all workloads, instead of those that they name: hosts that play their roles are found on it."""
    subnet: Annotated[int, Within(1, None)] | None = None
    """Subnet that is taken of a `fabric` that has several, such as planes or rails."""
    roles: RoleCounts | None = None
    """Other numbers of hosts than the workloads' roles have."""
    backend: Name = "simulated"
    base: Name = "gran-2010"
    """Profile whose fields the space replaces; without a space, the published one for the fabric's devices and links."""
    baseline: Name = "off"
    """Profile that constraints compare with; by default CC is off."""
    expert: Name = "gran-2010"
    """Published profile that the recommendation is compared with; without a space, the one for the fabric's devices and links."""
    start_from: ListOf[Name] = ()
    """Profiles whose values of the space are measured first; `present` is the one that the fabric has now."""
    start_values: dict[Name, Annotated[dict[str, Scalar], Field(min_length=1)]] = Field(default_factory=dict)
    """More values of the space to measure first, by a name for their trial: what an earlier campaign found, for example."""
    suggestion: bool = True
    """Measures the profile that `ibcc profile suggest` would give first of all, and in a campaign with `variants` the one for the
    devices of all of them."""
    warm_start: ListOf[Name] = ()
    """Storages of earlier campaigns: what those on like fabrics found is carried to this one and measured first."""
    space: Annotated[dict[str, ParameterOf], KnownNames(_fields)] = Field(default_factory=dict)
    """Fields to search; without any, those of the attributes that the fabric's devices have, about suggested values. Fields of a
    profile, such as `ca.ccti_timer` or `cct.curve.full_scale_us`; in studies on simulated devices also parameters
    of their model, such as `model.switch.hysteresis_bytes`, which no administrator can set."""
    objectives: ListOf[GoalOf] = (Goal(objective="victim_throughput"), Goal(objective="treatment_variation"))
    constraints: Annotated[dict[str, Limit], KnownNames(known_constraints)] = Field(default_factory=default_constraints)
    budget: Budget = Budget()
    stop: Stop = Stop()
    """Rules that may end the search before its budget does."""
    seeds: ListOf[Seed] = (1,)
    """Seeds of the measurements, the same for every trial, so that profiles differ by their effect and not by luck."""
    sampler: AnySampler = Tpe()
    """Method of choosing the next profile; a kind's name alone takes its defaults."""
    parallel: Annotated[int, Within(1, 1024)] = 1
    """Trials measured at once."""
    time_scale: Annotated[float, Within(0, 100, above=True)] = 1.0
    """Factor for the times of the workloads: a short run finds bad profiles sooner."""
    early_stop: EarlyStopOptions | None = EarlyStopOptions()
    """Rule that ends a trial early; null: every trial is measured to the end."""
    screening: Screening | None = None
    """A cheap measurement before the search's own; null: none."""
    confirmation: Confirmation
    confirm_on: ConfirmOn | None = None
    """Another backend for the confirmation; null: the search's."""
    variants: Variants = Field(default_factory=dict)
    """Other models of the devices: scenarios with the workloads' own contributors, in which the best trials are measured after
    the search. What keeps the constraints in the most of them is recommended."""
    scenarios: Scenarios | None = None
    """Device models, numbers of contributors, places and more, all of which one profile is to serve: the search improves the
    worst case over them. Null: the workloads alone count, and `variants` decide afterwards."""
    recommend: Recommend = Recommend()
    hypervolume_reference: dict[str, float]
    """For each objective a value that is worse than any worth having; fixed, so that searches can be compared."""

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """A campaign with scenarios may leave out its objectives, and then what hypervolumes are measured from."""
        json_schema = super().__get_pydantic_json_schema__(schema, handler)
        resolved = handler.resolve_ref_schema(json_schema)
        resolved["required"].remove("hypervolume_reference")
        by_scenarios = {
            "required": ["scenarios"],
            "properties": {"scenarios": {"type": "object"}},
            "not": {"required": ["objectives"]},
        }
        resolved["anyOf"] = [{"required": ["hypervolume_reference"]}, by_scenarios]
        return json_schema

    @model_validator(mode="before")
    @classmethod
    def _has_goals(cls, document: Any) -> Any:
        return with_regret(document)

    @property
    def objective_names(self) -> tuple[str, ...]:
        """As values, reports and `hypervolume_reference` call them: `worst_total_throughput` for one over the worst case."""
        return tuple(goal.resolved().name for goal in self.objectives)

    @model_validator(mode="after")
    def _constraints_are_known(self) -> "Campaign":
        for name, limit in self.constraints.items():
            try:
                limit.bound(name)
            except BadInputError as error:
                raise misplaced(error.sentence, "constraints", name) from error
        return self

    @model_validator(mode="after")
    def _lists_hold_something_once(self) -> "Campaign":
        lists = {"workloads": self.workloads, "objectives": self.objective_names, "seeds": self.seeds}
        for place, items in lists.items():
            if not items:
                raise misplaced(f"{place} is empty; at least one is needed", place)
            if len(set(items)) != len(items):
                raise misplaced(f"{place} lists one twice: {', '.join(str(item) for item in items)}", place)
        return self

    @model_validator(mode="after")
    def _reference_covers_the_objectives(self) -> "Campaign":
        for name in self.objective_names:
            if name not in self.hypervolume_reference:
                raise misplaced(f"hypervolume_reference lacks the objective '{name}'", "hypervolume_reference")
        for name in self.hypervolume_reference:
            if name not in self.objective_names:
                raise misplaced(f"'{name}' is not one of the campaign's objectives", "hypervolume_reference", name)
        return self

    @model_validator(mode="after")
    def _scenarios_go_with_the_rest(self) -> "Campaign":
        if OWN in self.variants:
            raise misplaced(f"variants names '{OWN}', which stands for the campaign's own devices", "variants", OWN)
        if self.scenarios is None:
            return self
        if self.variants:
            raise misplaced(
                "the campaign has both variants and scenarios; write the variants as scenarios.models instead", "variants"
            )
        if self.backend != "simulated":
            sentence = f"scenarios are simulated, and the backend is '{self.backend}'; search with backend 'simulated'"
            raise misplaced(sentence, "scenarios")
        for other in ("screening", "confirm_on"):
            if getattr(self, other) is not None:
                raise misplaced(f"{other} does not go with scenarios, which are measured in order of risk anyway", other)
        return self

    @model_validator(mode="after")
    def _confirmation_is_fresh(self) -> "Campaign":
        if not self.confirmation.seeds:
            raise misplaced("confirmation.seeds is empty; at least one is needed", "confirmation", "seeds")
        if len(set(self.confirmation.seeds)) != len(self.confirmation.seeds):
            raise misplaced("confirmation.seeds lists one twice", "confirmation", "seeds")
        searched = {*self.seeds, *(self.screening.seeds if self.screening else ())}
        for seed in self.confirmation.seeds:
            if seed in searched:
                raise misplaced(f"seed {seed} is used in the search; the confirmation needs fresh ones", "confirmation", "seeds")
        return self

    @model_validator(mode="after")
    def _the_recommended_trial_is_in_the_budget(self) -> "Campaign":
        trial = self.recommend.trial
        if trial is not None and trial >= self.budget.trials:
            raise misplaced(f"recommend.trial is {trial}; trials 0 to {self.budget.trials - 1} are in the budget", "recommend")
        return self

    @model_validator(mode="after")
    def _something_is_searched(self) -> "Campaign":
        if self.space and all(parameter.value is not None for parameter in self.space.values()):
            raise misplaced("every field of the space is fixed; at least one needs a range or choices", "space")
        return self


def load_campaign(
    path_or_name: str | Path, changes: Mapping[str, Any] | None = None, *, seed: int | None = None
) -> tuple[Campaign, Document]:
    """Reads a campaign by path or by the name of a packaged one. Profiles and workloads come back as references that hold from
    anywhere; the document tells on which line a field stands.

    `changes`: values to replace, by dotted path. `seed`: the search's seed becomes `seed`, the measurements' seed, seed + 1, …,
    and the confirmation's go on from seed + 1000. Raises BadInputError.
    """
    path = catalogue.find("campaign", path_or_name)
    document = read_document(path)
    document = overridden(document, settled(document, changes or {}, seed=seed))
    campaign = validate(Campaign, document)
    folder = path.parent
    named = campaign.model_fields_set & {"base", "baseline", "expert"}  # what is not named may follow from the fabric
    anchored = {field: catalogue.anchored(getattr(campaign, field), folder) for field in named}
    if campaign.fabric is not None:
        anchored["fabric"] = catalogue.anchored(campaign.fabric, folder)
    lists = {
        field: tuple(catalogue.anchored(reference, folder) for reference in getattr(campaign, field))
        for field in ("workloads", "start_from")
    }
    parts: dict[str, Any] = {
        field: part.model_copy(update={"workloads": tuple(catalogue.anchored(reference, folder) for reference in part.workloads)})
        for field, part in (("screening", campaign.screening), ("confirm_on", campaign.confirm_on))
        if part is not None
    }
    if campaign.scenarios is not None:
        placed = tuple(
            roles.model_copy(update={"file": catalogue.anchored(roles.file, folder)}) for roles in campaign.scenarios.placed
        )
        parts["scenarios"] = campaign.scenarios.model_copy(update={"placed": placed})
    return campaign.model_copy(update=anchored | lists | parts), document


def settled(document: Document, changes: Mapping[str, Any], *, seed: int | None) -> dict[str, Any]:
    """Those changes, and what `seed` changes, by dotted path. Raises BadInputError for what is no campaign with them."""
    campaign = validate(Campaign, overridden(document, changes))
    return dict(changes) if seed is None else {**changes, **_reseeded(campaign, seed)}


def _reseeded(campaign: Campaign, seed: int) -> dict[str, Any]:
    changes = {
        "sampler": campaign.sampler.model_dump(mode="json") | {"seed": seed},
        "seeds": [seed + i for i in range(len(campaign.seeds))],
        "confirmation.seeds": [seed + 1000 + i for i in range(len(campaign.confirmation.seeds))],
    }
    if campaign.screening is not None and campaign.screening.seeds:
        changes["screening.seeds"] = [seed + i for i in range(len(campaign.screening.seeds))]
    return changes


DOCUMENTS.add("campaign", Campaign)
