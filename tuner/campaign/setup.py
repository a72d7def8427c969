# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A campaign with everything that its document only names: profiles, workloads, objectives and constraints."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import ccsim
from ccsim.policy import Profile
from tuner.campaign.evaluation import Plan
from tuner.campaign.first_trials.record import FirstTrials
from tuner.campaign.scenarios.scenario import Scenario, models_of
from tuner.documents.campaign import Campaign
from tuner.documents.device_model import device_model, nested
from tuner.documents.fabric import FabricDocument
from tuner.documents.parameter import Scalar
from tuner.documents.workload import Workload
from tuner.fabric.built_fabric import BuiltFabric
from tuner.goals.constraints import Bound
from tuner.goals.objectives import Objective
from tuner.goals.recommendation import IN_ORDER, RULES, Rule
from tuner.placement.on_fabric import OnFabric
from tuner.search.samplers.base import Prior
from tuner.search.space import Space
from tuner.simulation.traffic_version import OTHER_TRAFFIC, TRAFFIC_VERSION, has_unequal_turns
from tuner.suggest.balanced import balanced

FIRST_SCHEME = "voqsw"
"""Scheme of the simulated devices in releases that have no other."""
PRESENT = "present"
"""In `start_from`: the profile that the fabric has now."""


@dataclass(frozen=True, kw_only=True)
class Setup:
    """Ready to run."""

    campaign: Campaign
    asked: Campaign
    """The campaign as its document has it: without what follows from the fabric."""
    space: Space
    baseline: Profile
    expert: Profile
    starts: Mapping[str, Mapping[str, Scalar]]
    """Published profiles by name: their values of the space, measured first."""
    first: FirstTrials | None = None
    """Further ones ahead of them: a suggestion, and what stored campaigns found. Known when the campaign runs; None: an earlier
    release began it."""
    starts_from_present: bool
    """The fabric is to be asked for its present profile, see fabric_facts.py."""
    workloads: tuple[Workload, ...]
    screening_workloads: tuple[Workload, ...]
    """Workloads of the screening; none without one."""
    confirmation_workloads: tuple[Workload, ...]
    fabrics: Mapping[str, FabricDocument]
    """Fabrics of all workloads, by what these call them."""
    built: Mapping[str, BuiltFabric]
    """The same, routed."""
    placements: tuple[OnFabric, ...] = ()
    """Where the workloads of the search run, in their order."""
    scenarios: tuple[Scenario, ...] = ()
    """What one profile is to serve: `scenarios:` of the document, or its workloads in each of `variants:`."""
    objectives: tuple[Objective, ...]
    constraints: tuple[Bound, ...]
    backend_settings: Mapping[str, Any]
    """Other settings that the measurements depend on, such as the simulated devices' free parameters."""

    @property
    def profiles(self) -> tuple[Profile, ...]:
        """The profiles that are measured for certain, or that all others are made from."""
        return (self.space.base, self.baseline, self.expert)

    @property
    def placed(self) -> list[tuple[BuiltFabric, Workload]]:
        """The workloads of the search, each with its fabric."""
        return [(self.built[one.fabric], one) for one in self.workloads]

    @property
    def search(self) -> Plan:
        """Plan of each trial. With scenarios, of one that is measured in all of them."""
        return self.in_scenarios(self.campaign.seeds) if self.searches_scenarios else self.at_home

    @property
    def searches_scenarios(self) -> bool:
        """The search runs in the scenarios. False: it runs on the campaign's own devices, and what it finds is measured in the
        scenarios afterwards, if there are some."""
        return self.campaign.scenarios is not None

    @property
    def at_home(self) -> Plan:
        """The workloads on the campaign's own devices, with the seeds and at the length of the search."""
        return _plan(self.workloads, self.campaign.time_scale, self.campaign.seeds)

    def in_scenarios(self, seeds: tuple[int, ...]) -> Plan:
        """Plan over all scenarios, at the length of the search."""
        plan = _plan(tuple(scenario.workload for scenario in self.scenarios), self.campaign.time_scale, seeds)
        return replace(plan, models=models_of(self.scenarios))

    @property
    def screening(self) -> Plan | None:
        """Plan of the screening that precedes each trial; None without a screening."""
        screening = self.campaign.screening
        if screening is None:
            return None
        return _plan(self.screening_workloads, screening.time_scale, screening.seeds or self.campaign.seeds[:1])

    @property
    def confirmation(self) -> Plan:
        """Plan under which the front of the search is measured again."""
        confirmation = self.campaign.confirmation
        return _plan(self.confirmation_workloads, confirmation.time_scale, confirmation.seeds)

    @property
    def prior(self) -> Prior | None:
        """Knowledge that the sampler starts from; None in a campaign that an earlier release began, which continues as it would
        have."""
        if self.first is None:
            return None
        has_good_starts = bool(self.first.values)
        if self.first.ground is None:
            return Prior(has_good_starts=has_good_starts)
        return balanced(self.space, self.first.ground, has_good_starts=has_good_starts)

    @property
    def rule(self) -> Rule:
        """Rule by which one profile is recommended."""
        if self.searches_scenarios and self.campaign.recommend.rule is None:
            return IN_ORDER
        return RULES.get(self.campaign.recommend.rule_for(tuple(objective.name for objective in self.objectives)))

    def variant_settings(self, name: str) -> dict[str, Any]:
        """The settings of the simulated devices in one of the variants; `switch.read_ports`, say, like `backend_settings`."""
        settings = self.campaign.variants[name]
        return {**self.backend_settings, **{path.removeprefix("model."): value for path, value in settings.items()}}

    def identity(self) -> dict[str, Any]:
        """Returns the conditions that the trials depend on, by part: the document, except for `budget`, `stop`, `parallel` and
        the stages after the search, with the contents of the documents that it names and the settings of the devices. Outcomes of
        the confirmation are kept under their own conditions."""
        after = {"confirmation", "confirm_on", "variants", "recommend"}
        first = {"suggestion", "warm_start"}  # their outcome is kept with the campaign, see first_trials/
        placed = {"fabric", "subnet", "roles", "scenarios"}  # the workloads have their outcome
        document = self.campaign.model_dump(
            mode="json", exclude={"description", "budget", "stop", "parallel", "start_from"} | after | first | placed
        )
        return document | {
            "workloads": [workload.model_dump(mode="json") for workload in (*self.workloads, *self.screening_workloads)],
            "base": self.space.base.to_dict(),
            "baseline": self.baseline.to_dict(),
            "expert": self.expert.to_dict(),
            "start_from": sorted({*self.starts, *([PRESENT] if self.starts_from_present else [])}),
            "backend_settings": dict(self.backend_settings),
            "fabrics": {name: digest_of(self._measured(name)) for name in self._searched_fabrics()},
            "devices": self._devices(),
            **({"traffic": TRAFFIC_VERSION} if self._is_simulated else {}),
            **({"scenarios": [scenario.to_json() for scenario in self.scenarios]} if self.searches_scenarios else {}),
        }

    def former_identities(self) -> list[dict[str, Any]]:
        """The identity as earlier versions stored it: without what came later."""
        identity = {key: value for key, value in self.identity().items() if key != "traffic"}
        identity["devices"] = {name: _before_turns(model) for name, model in identity["devices"].items()}
        identity["workloads"] = [_before_generators(workload) for workload in identity["workloads"]]
        return [identity]

    def outdated(self) -> str | None:
        """Returns why trials of an earlier release are not continued, to follow the campaign's name; None: they are."""
        workloads = (*self.workloads, *self.screening_workloads)
        if any(has_unequal_turns(workload.expanded(self.built[workload.fabric].hosts)) for workload in workloads):
            return f"{OTHER_TRAFFIC}: search again with --fresh, or another --storage"
        return None

    def _measured(self, name: str) -> dict[str, Any]:
        """Returns a fabric's document without what no measurement depends on."""
        left_out = {"hardware", "incomplete"}
        if not self.fabrics[name].congestion_control:  # as in documents of before there was the key
            left_out.add("congestion_control")
        return self.fabrics[name].model_dump(mode="json", exclude=left_out)

    @property
    def _is_simulated(self) -> bool:
        return self.campaign.backend in ("simulated", "emulated")

    def _devices(self) -> dict[str, Any]:
        """All parameters of the simulated devices by fabric, those included that nobody set: another release may have others."""
        if not self._is_simulated:
            return {}
        settings = nested(self.backend_settings)
        models = {
            name: device_model(self.fabrics[name].model, settings, mtu_bytes=self.fabrics[name].mtu_bytes).to_dict()
            for name in self._searched_fabrics()
        }
        return {name: self._as_stored(name, model) for name, model in models.items()}

    def _as_stored(self, name: str, model: Mapping[str, Any]) -> Mapping[str, Any]:
        """Returns the parameters of a fabric's devices without those of later releases that have no effect there."""
        model = _without_first_scheme(model)
        return model if self.fabrics[name].congestion_control else _without_nvidia(model)

    def _searched_fabrics(self) -> list[str]:
        return list(dict.fromkeys(workload.fabric for workload in (*self.workloads, *self.screening_workloads)))


def digest_of(document: object) -> str:
    """Tells plain documents apart."""
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()


def _without_first_scheme(model: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters of the simulated devices without the scheme that was the only one before there was a choice, at its defaults:
    campaigns that earlier releases stored do not name it."""
    first = ccsim.Model()
    first.scheme.name = FIRST_SCHEME
    return {key: value for key, value in model.items() if (key, value) != ("scheme", first.to_dict()["scheme"])}


def _without_nvidia(model: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters of the simulated devices without those that devices with NVIDIA's attributes alone act on."""
    later = {"switch": {"mark_above_max"}, "ca": {"dcqcn_machine", "rpg_byte_unit_bytes", "cnp_limit"}}
    return dict(model) | {
        group: {key: value for key, value in model[group].items() if key not in names} for group, names in later.items()
    }


def _before_turns(model: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters of the simulated devices as before `ca.qp_scheduling` came."""
    return {**model, "ca": {key: value for key, value in model["ca"].items() if key != "qp_scheduling"}}


def _before_generators(workload: Mapping[str, Any]) -> dict[str, Any]:
    """A workload as before hotspots had `generator` and `queue_messages`, which stand at their defaults."""
    later = {"generator": "independent", "queue_messages": None}
    patterns = [
        {key: value for key, value in pattern.items() if pattern["kind"] != "hotspots" or (key, value) not in later.items()}
        for pattern in workload["patterns"]
    ]
    return {**workload, "patterns": patterns}


def _plan(workloads: tuple[Workload, ...], time_scale: float, seeds: tuple[int, ...]) -> Plan:
    return Plan(workloads=tuple(workload.scaled(time_scale) for workload in workloads), seeds=seeds)
