# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The failures that people are told about, each with the exit code that CONTRACTS pins.

Raise one of these with a single sentence that holds the offending value and what would be right; the command line prints the
sentence and exits with the code, the service maps it to a problem document.
"""

from datetime import datetime


class IbccError(Exception):
    """Base of every failure with a sentence for people."""

    exit_code = 1


class BadInputError(IbccError):
    """A document, option or value is wrong. `source`, `line` and `column` (both from 1) say where, when there is such a place."""

    exit_code = 2

    def __init__(self, sentence: str, *, source: str | None = None, line: int | None = None, column: int | None = None) -> None:
        self.sentence, self.source, self.line, self.column = sentence, source, line, column
        where = "" if source is None else f"{source}: " if line is None else f"{source}:{line}: "
        super().__init__(where + sentence)


class NoFeasibleProfileError(IbccError):
    """A campaign ended without a profile that keeps every constraint."""

    exit_code = 1


class NoCongestionError(IbccError):
    """A workload congests nothing, so that no profile helps it."""

    exit_code = 1


class DeadlockError(IbccError):
    """A run ended with buffers that wait for each other for ever; its measurement is printed all the same."""

    exit_code = 1


class UnreachableError(IbccError):
    """The fabric or the service cannot be reached."""

    exit_code = 3


class ApplyFailedError(IbccError):
    """Applying a profile failed, and the base profile is in force again."""

    exit_code = 4


class NeedsPersonError(IbccError):
    """Something is in a state that no program should decide about."""

    exit_code = 5


class InterruptedRunError(IbccError):
    """A person or a signal stopped the work; what was finished is kept."""

    exit_code = 130


class WindowClosedError(InterruptedRunError):
    """No host may be measured on before the next maintenance window, which begins at `opens_at`; what was finished is kept."""

    exit_code = 3

    def __init__(self, sentence: str, opens_at: datetime) -> None:
        self.opens_at = opens_at
        super().__init__(sentence, opens_at)  # with all that it is made of, so that it comes back from other processes

    def __str__(self) -> str:
        return str(self.args[0])
