# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A device that does not hold, or did not hold, its tables."""

from collections.abc import Iterator

from tuner.checks.cause import Cause
from tuner.checks.likely_causes import RULES, Seen


def device_tables(seen: Seen) -> Iterator[Cause]:
    for entry in seen.entries:
        for finding in entry.observation.findings:
            if finding.code.startswith("device-"):
                yield Cause(
                    name=finding.code,
                    sentence=finding.sentence,
                    place=finding.place,
                    evidence=(finding.evidence,),
                    next_step=finding.next_step,
                    weight=3.0 if finding.severity == "fail" else 0.0,
                )


RULES.add("device-tables", device_tables)
