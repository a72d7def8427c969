# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""OpenSM's log, line by line: `Nov 21 15:51:31 329690 [F3C5D6C0] 0x02 -> osm_ucast_mgr_process: dfsssp tables configured …`."""

import re
from dataclasses import dataclass

ERROR = 0x01
"""Level of the lines that report an error. Most carry a code, such as `ERR AB2B`; some of the routing engines' do not."""

_LINE = re.compile(r"\w{3} +\d+ \d\d:\d\d:\d\d \d{6} \[\w+\] 0x(?P<level>[0-9a-fA-F]{2}) -> (?P<text>.*)")
_ENGINE = re.compile(r"(?P<engine>\S+) tables configured on all switches")


@dataclass(frozen=True)
class LogLine:
    """One line of the log, without its time and thread."""

    level: int
    text: str
    arrived_s: float = 0.0
    """time.monotonic() at which it was read."""

    @property
    def is_error(self) -> bool:
        return self.level == ERROR

    @property
    def is_subnet_up(self) -> bool:
        """The end of a heavy sweep without a mistake."""
        return self.text.startswith("SUBNET UP")

    @property
    def engine(self) -> str | None:
        """The routing engine whose tables the switches were given, if this line tells: not those that were only tried."""
        found = _ENGINE.search(self.text)
        return None if found is None else found["engine"]


def parse(text: str, *, arrived_s: float = 0.0) -> LogLine | None:
    """None for what is no line of the log, such as the greeting that goes to standard output too."""
    match = _LINE.match(text)
    return None if match is None else LogLine(int(match["level"], 16), match["text"].rstrip(), arrived_s)
