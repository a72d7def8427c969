# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import pytest

from tests.tuner.campaign.test_hypervolumes import record
from tuner.campaign.cloning import best_trials, cloned
from tuner.campaign.stored import StoredCampaign
from tuner.errors import BadInputError


def old(**facts: object) -> StoredCampaign:
    return StoredCampaign(name="old", storage="c.sqlite3", owner=None, facts=facts, records=(), running=0)


def test_fronts_come_one_after_the_other_and_infeasible_trials_never() -> None:
    records = [
        record(0, 10, 4, -1),  # dominated by 1
        record(1, 11, 3, -1),
        record(2, 9, 1, -1),
        record(3, 13, 0, +1),  # would be the best, but breaks the constraint
        record(4, 8, 5, -1),  # dominated by 0
    ]
    assert [one.number for one in best_trials(records, (-1, 1), 3)] == [1, 2, 0]
    assert [one.number for one in best_trials(records, (-1, 1), 9)] == [1, 2, 0, 4]


def test_what_cannot_be_cloned_is_refused() -> None:
    with pytest.raises(BadInputError, match="campaign 'old' in c.sqlite3 has no stored document"):
        cloned(old(), "new", signs=())
    with pytest.raises(BadInputError, match="the clone of campaign 'old' needs another name"):
        cloned(old(settings={"campaign": {}}), "old", signs=())
