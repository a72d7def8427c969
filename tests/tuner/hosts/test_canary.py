# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""On simulated adapters, of which some are made deaf: their tables hold no delay, whatever the profile says."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ccsim.policy import Profile
from tuner.backends.simulated import SimulatedBackend
from tuner.documents.inventory_canary import CanarySettings
from tuner.errors import BadInputError
from tuner.hosts.canary import groups, measure_reactions
from tuner.measuring.options import BackendOptions

HOSTS = [f"H{n}" for n in range(1, 8)]
QUICK = CanarySettings(senders=3, duration_s=0.05)


class PartlyDeaf(SimulatedBackend):
    def __init__(self, deaf: list[str]) -> None:
        super().__init__(BackendOptions())
        self._deaf = deaf
        self.restored = 0

    def apply(self, profile: Profile) -> str:
        document = profile.to_dict()
        if profile.enable and self._deaf:
            silent = {"ccti_limit": 0, "entries": [{"shift": 0, "multiplier": 0}]}
            document["overrides"] = [{"match": {"node": host}, "cct": silent} for host in self._deaf]
        return super().apply(Profile.from_dict(document))

    def restore(self) -> None:
        self.restored += 1
        super().restore()


def verdicts(deaf: list[str], hosts: list[str] = HOSTS) -> dict[str, str]:
    backend = PartlyDeaf(deaf)
    backend.open()
    found = measure_reactions(backend, hosts, fabric="two-switch", settings=QUICK)
    assert backend.restored == 1
    backend.close()
    return {reaction.host: reaction.verdict for reaction in found}


def test_all_that_throttle_are_found() -> None:
    assert verdicts([]) == dict.fromkeys(HOSTS, "yes")


def test_deaf_ones_are_found_among_them() -> None:
    assert verdicts(["H2", "H6"]) == {**dict.fromkeys(HOSTS, "yes"), "H2": "no", "H6": "no"}


def test_where_nobody_throttles_nothing_is_said() -> None:
    assert verdicts(HOSTS) == dict.fromkeys(HOSTS, "unknown")


@settings(max_examples=60)
@given(st.integers(3, 80), st.integers(2, 64))
def test_every_host_sends_and_never_alone_nor_to_itself(n: int, senders: int) -> None:
    hosts = [f"H{k}" for k in range(n)]
    found = groups(hosts, senders)
    assert {host for group, _ in found for host in group} == set(hosts)
    for group, receiver in found:
        assert 2 <= len(set(group)) == len(group) <= senders
        assert receiver not in group


def test_two_hosts_are_too_few() -> None:
    with pytest.raises(BadInputError, match="needs at least 3 hosts"):
        groups(["a", "b"], 8)
