# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A browser on a busy machine: what the viewer switches shows its new state at once."""

from tests.api.ui.visitor import Visitor


def test_a_switch_in_the_address_does_not_go_back(visitor: Visitor) -> None:
    visitor.visit("/campaigns")
    browser = visitor.page.context.new_cdp_session(visitor.page)
    browser.send("Emulation.setCPUThrottlingRate", {"rate": 20})
    archive = visitor.page.get_by_label("Show the archive")
    for _ in range(2):
        archive.check()  # fails where the state has not changed right after the click
        archive.uncheck()
