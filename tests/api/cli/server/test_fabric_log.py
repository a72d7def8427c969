# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc --server URL fabric log` against a service that runs."""

import csv
import json

from tests.api.cli.server.conftest import Ibcc
from tuner.documents.profile import load_profile, profile_revision


def test_trial_runs_are_told_newest_first_with_their_revision(ibcc_server: Ibcc) -> None:
    assert json.loads(ibcc_server("fabric", "log", "two-switch", "--output", "json")) == []
    ibcc_server("fabric", "apply", "two-switch", "gran-2010", "--ttl-s", "600")
    (begun,) = json.loads(ibcc_server("fabric", "log", "two-switch", "--output", "json"))
    assert (begun["profile"], begun["version"], begun["is_over"]) == ("gran-2010", 1, False)
    assert begun["revision"] == profile_revision(load_profile("gran-2010"))
    assert begun["sentence"].startswith("Nothing was measured under this profile")
    ibcc_server("fabric", "restore", "two-switch")
    ibcc_server("fabric", "apply", "two-switch", "gran-2012", "--ttl-s", "600")
    rows = list(csv.DictReader(ibcc_server("fabric", "log", "two-switch", "--output", "csv").splitlines()))
    assert [(row["profile"], row["is_over"]) for row in rows] == [("gran-2012", "False"), ("gran-2010", "True")]
    (newest,) = csv.DictReader(ibcc_server("fabric", "log", "two-switch", "-n", "1", "--output", "csv").splitlines())
    assert newest == rows[0]
    table = ibcc_server("fabric", "log", "two-switch")
    assert table.index("gran-2012") < table.index("gran-2010")
    assert begun["revision"] in table


def test_a_fabric_that_is_not_there_and_no_number_of_runs_are_refused(ibcc_server: Ibcc) -> None:
    assert "'nowhere'" in ibcc_server("fabric", "log", "nowhere", code=2)
    assert "-n" in ibcc_server("fabric", "log", "two-switch", "-n", "0", code=2)
