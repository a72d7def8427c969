# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import pytest

from tuner.fabric.importers.link_masks import LinkMasks


@pytest.mark.parametrize(
    ("a", "b", "rate"),
    [
        (LinkMasks(), LinkMasks(), "4xSDR"),
        (LinkMasks(width=31, speed=7), LinkMasks(width=31, speed=7), "12xQDR"),
        (LinkMasks(width=1 | 2 | 16), LinkMasks(width=1 | 16), "2xSDR"),
        (LinkMasks(width=2 | 4), LinkMasks(width=31), "8xSDR"),
        (LinkMasks(speed=7), LinkMasks(speed=3), "4xDDR"),
        (LinkMasks(extspeed=15), LinkMasks(extspeed=7), "4xHDR"),
        # Without an extended speed in common, it is the best of the others.
        (LinkMasks(speed=7, extspeed=8), LinkMasks(speed=7, extspeed=7), "4xQDR"),
        (LinkMasks(speed=7, fdr10=True), LinkMasks(speed=7, fdr10=True), "4xFDR10"),
        (LinkMasks(speed=3, fdr10=True), LinkMasks(speed=7, fdr10=True), "4xDDR"),
        (LinkMasks(speed=7, fdr10=True), LinkMasks(speed=7), "4xQDR"),
    ],
)
def test_a_link_runs_at_the_best_that_both_sides_have(a: LinkMasks, b: LinkMasks, rate: str) -> None:
    assert a.rate_with(b) == b.rate_with(a) == rate


def test_sides_with_nothing_in_common_are_refused() -> None:
    with pytest.raises(ValueError, match="no width in common: the bits 1 here and 2 there"):
        LinkMasks(width=1).rate_with(LinkMasks())
    with pytest.raises(ValueError, match="no speed in common: the bits 4 here and 1 there"):
        LinkMasks(speed=4).rate_with(LinkMasks())


def test_options_are_read_wherever_they_stand() -> None:
    assert LinkMasks().with_options(" w=0x1f, s = 3 other=9 e=15") == LinkMasks(width=31, speed=3, extspeed=15)
    assert LinkMasks().with_options("s=0").speed == 4  # as ibsim has it
    assert LinkMasks().with_options("") == LinkMasks()


@pytest.mark.parametrize(("text", "sentence"), [("w=32", "width 32 is no set"), ("s=8", "from 1 to 7"), ("e=16", "from 0 to 15")])
def test_options_out_of_range_are_refused(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        LinkMasks().with_options(text)


@pytest.mark.parametrize("rate", ["1xSDR", "2xDDR", "4xQDR", "8xFDR", "12xFDR10", "4xEDR", "4xHDR", "12xNDR"])
def test_two_sides_with_the_rate_in_their_comments_run_at_it(rate: str) -> None:
    masks = LinkMasks().with_rate_of(f' # "peer" lid 3 {rate}')
    assert masks.rate_with(masks) == rate


def test_a_rate_that_ibsim_does_not_know_is_refused() -> None:
    with pytest.raises(ValueError, match="no rate '4xXDR'; the best it has is 12xNDR"):
        LinkMasks().with_rate_of('"peer" lid 3 4xXDR')
