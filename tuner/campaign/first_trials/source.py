# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Stored campaigns as sources of profiles: their trials, the references that these were measured beside, and their ground."""

from collections.abc import Iterable, Mapping
from typing import Any

from ccsim.policy import Profile, ProfileError
from tuner.campaign.evaluation import Evaluation
from tuner.campaign.first_trials.record import FIRST_TRIALS, FirstTrials
from tuner.campaign.stored import StoredCampaign, stored_campaigns
from tuner.document_base.model import build_model
from tuner.documents.parameter import Parameter
from tuner.documents.workload import Workload
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import build
from tuner.fabric.one_subnet import found_fabric
from tuner.measuring.configuration import Configuration
from tuner.search.space import Space, is_of_model
from tuner.suggest.ground import Ground, ground_of


class Source:
    """One stored campaign."""

    def __init__(self, stored: StoredCampaign) -> None:
        """Raises BadInputError if it does not keep what is needed of its documents."""
        self.name, self.storage, self.records = stored.name, stored.storage, stored.records
        self.outdated = stored.outdated
        """See StoredCampaign.outdated. The profiles are measured again, so they may still be of use."""
        self._facts: Mapping[str, Any] = stored.facts
        varied = [path for path in (stored.facts.get("identity") or {}).get("space", {}) if is_of_model(path)]
        if varied:
            raise BadInputError(f"it varied {', '.join(varied)}, so its profiles were measured on devices of many models")
        self._params = {record.number: record.params for record in stored.records}
        try:
            self._identity: Mapping[str, Any] = stored.facts["identity"]
            self._space = Space(
                {path: build_model(Parameter, one) for path, one in self._identity["space"].items()},
                Profile.from_dict(self._identity["base"]),
            )
            self.baseline = self._reference("baseline")
            self.expert = self._reference("expert")
            self.ground = self._ground()
        except (KeyError, TypeError, ProfileError) as error:
            raise BadInputError("it lacks the documents or the references of its search; an older ibcc began it") from error

    def profile(self, number: int) -> Profile:
        """The profile of a trial."""
        return self._space.profile(self._params[number], name=f"{self.name}-{number}")

    def _reference(self, role: str) -> Evaluation:
        profile = Profile.from_dict(self._identity[role])
        return Evaluation.from_json(self._facts[f"search:{Configuration(profile).digest}"]["evaluation"])

    def _ground(self) -> Ground | None:
        """Returns the ground that the campaign keeps; an older one keeps none, so it is read from its workloads, if their fabrics
        can still be read."""
        if FIRST_TRIALS in self._facts:
            return FirstTrials.from_json(self._facts[FIRST_TRIALS]).ground
        workloads = [build_model(Workload, document) for document in self._identity["workloads"]]
        return ground_of([(build(found_fabric(one.fabric)), one) for one in workloads], self._identity["backend_settings"])


def sources(locations: Iterable[str], notes: list[str]) -> list[Source]:
    """Returns the campaigns of the storages, and adds to `notes` which ones cannot be used and why. Raises BadInputError and
    UnreachableError for a storage that cannot be read."""
    found = []
    for location in locations:
        for stored in stored_campaigns(location):
            try:
                found.append(Source(stored))
            except BadInputError as error:
                notes.append(f"campaign '{stored.name}' in {stored.storage} is not used: {error.sentence}")
    return found
