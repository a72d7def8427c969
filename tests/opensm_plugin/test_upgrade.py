# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The state folder that the plugin of an earlier version left behind (tests/data/upgrade/make.sh)."""

import json
import shutil
from pathlib import Path

from tests.opensm_plugin.plugin_process import PluginBed
from tests.opensm_plugin.test_keys import write_keys
from tuner.opensm.plugin_client import PluginClient


def test_what_an_earlier_plugin_left_is_read(plugin_bed: PluginBed, root: Path) -> None:
    """A base from the socket, a former base from the file, a trial run that ended with OpenSM, two keys, two reports."""
    options = write_keys(plugin_bed, "current: 0x5678\nprotect: yes\nlease_period_s: 0\n")
    shutil.copytree(root / "tests/data/upgrade/state", plugin_bed.folder / "plugin/state")
    (plugin_bed.folder / "plugin/state").chmod(0o700)
    for file in (plugin_bed.folder / "plugin/state").iterdir():
        file.chmod(0o600)
    with plugin_bed.opensm("gran-2010", options=options) as process:
        process.await_done()
        with PluginClient(process.setup.socket) as client:
            status = client.status()
            assert (status["base"]["revision"], status["base"]["name"]) == (2, "gran-2012")
            assert status["experiment_cut_short"] is True
            assert [one["revision"] for one in client.profile("base")["history"]] == [1]
            rows = {row["description"]: row for row in client.devices(kind="ca")}
            assert [rows[name]["throttles"] for name in ("H1", "H2", "H3")] == ["unknown", "no", "yes"]
            assert [line["what"] for line in client.changes(limit=100)][:3] == ["file", "job", "apply"]
            client.set_throttles(rows["H1"]["guid"], 1, "yes", by="a test")
        assert process.errors == []
    kept = json.loads((process.setup.state / "throttle_reports.json").read_text())
    assert [report["throttles"] for report in kept["reports"]] == ["yes", "no", "yes"]
    assert (process.setup.state / "keys").read_text().count("0x") == 2
