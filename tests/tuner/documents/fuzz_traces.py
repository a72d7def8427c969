# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Any bytes are a trace whose messages can be sent, or refused by a sentence."""

from tests.tuner.fabric.importers.fabric_or_sentence import require_sentence
from tuner.documents.flow import MAX_TIME_S
from tuner.documents.traces import MAX_MESSAGE_BYTES, parse_trace
from tuner.errors import BadInputError

INSTRUMENT = ["tuner.documents.traces"]


def one_input(data: bytes) -> None:
    try:
        flows = parse_trace(data, source="fuzz")
    except BadInputError as error:
        require_sentence(error)
        return
    assert len({(flow.src, flow.dst, flow.sl) for flow in flows}) == len(flows)
    for flow in flows:
        assert flow.src
        assert flow.dst
        assert flow.sl is None or 0 <= flow.sl <= 15
        assert 1 <= flow.line <= data.count(b"\n") + 1
        times = [time_s for time_s, _ in flow.messages]
        assert times == sorted(times)
        assert times
        assert times[0] >= 0
        assert times[-1] <= MAX_TIME_S
        assert all(1 <= size <= MAX_MESSAGE_BYTES for _, size in flow.messages)
