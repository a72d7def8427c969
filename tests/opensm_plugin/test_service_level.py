# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The SL at which MADs go: that of OpenSM's own managers, or the one that an administrator of a fabric with QoS has named."""

import pytest

from tests.opensm_plugin.devices import wanted
from tests.opensm_plugin.mad_record import Recorder, recorder
from tests.opensm_plugin.plugin_process import CONGESTION_CONTROL, PluginBed

__all__ = ["recorder"]


@pytest.mark.parametrize(("options", "sl"), [("", 0), ("--sl 5", 5)])
def test_all_mads_go_at_it(plugin_bed: PluginBed, recorder: Recorder, options: str, sl: int) -> None:
    with plugin_bed.opensm("gran-2010", options=options, environment=recorder.environment(plugin_bed)) as process:
        process.await_done()
        assert plugin_bed.held() == wanted(plugin_bed.wanted("gran-2010"))
    sent = recorder.sent(CONGESTION_CONTROL)
    assert len(sent) >= 45, "a probe, and tables, for nine devices"
    assert {mad.sl for mad in sent} == {sl}
