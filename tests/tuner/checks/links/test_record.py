# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import gzip
import json
from datetime import UTC, datetime

import pytest

from tests.tuner.checks.links.fake_fabric import FakeFabric
from tuner.checks.links.reading import Counts
from tuner.checks.links.record import from_record, to_record
from tuner.errors import BadInputError
from tuner.mads.performance import COUNTERS, Ability

AT = datetime(2026, 1, 31, 2, 17, tzinfo=UTC)


def test_a_record_comes_back_as_it_was() -> None:
    links = FakeFabric().links()
    counts = {
        links[0].a.key: Counts(Ability(extended=True, waits=True), tuple(range(len(COUNTERS)))),
        links[0].b.key: Counts(Ability(extended=False, waits=False), (*range(len(COUNTERS) - 1), None)),
    }
    waits = {links[1].a.key: 0.25}
    past = from_record(json.loads(json.dumps(to_record(AT, links, counts, waits, {}))))
    assert (past.at, past.counts, past.waits) == (AT, counts, waits)
    assert past.places == {link.key: link.place for link in links}
    assert past.names[links[2].b.key] == links[2].b.name


def test_a_record_of_another_version_is_a_sentence() -> None:
    with pytest.raises(BadInputError, match="of another version of ibcc"):
        from_record({"links_record": 99})


def test_a_record_of_many_links_is_small() -> None:
    links = FakeFabric(hosts=2000).links()
    counts = {
        end.key: Counts(Ability(extended=True, waits=True), (i, 0, 1, 0, 0, i * i, 0, 0, 0, 0, 10**9 + i * 7919))
        for i, link in enumerate(links)
        for end, _ in link.ends
    }
    text = json.dumps(to_record(AT, links, counts, {}, {}), separators=(",", ":")).encode()
    assert len(gzip.compress(text, 6)) < 50 * len(links)
