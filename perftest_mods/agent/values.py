# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Checks of values that come from outside: each returns the value, or raises RefusedError with one sentence."""

import json
import math
import re

DONE, FAILED, BAD_REQUEST, NOT_THERE = 0, 1, 2, 3


class RefusedError(Exception):
    """A request or configuration that is not carried out; one sentence says why."""

    def __init__(self, sentence, code=BAD_REQUEST):
        super().__init__(sentence)
        self.code = code


def integer(low, high):
    def check(value, where):
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise RefusedError(f"{where} is {shown(value)}; a whole number from {low} to {high} is expected")
        return value

    return check


def number(low, high):
    def check(value, where):
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not is_number or not low <= value <= high:  # not true of NaN
            raise RefusedError(f"{where} is {shown(value)}; a number from {low:g} to {high:g} is expected")
        return value

    return check


def text(pattern, what):
    expression = re.compile(pattern)

    def check(value, where):
        # fullmatch, because $ also matches before a newline at the end
        if not isinstance(value, str) or not expression.fullmatch(value):
            raise RefusedError(f"{where} is {shown(value)}; {what} is expected")
        return value

    return check


def true_or_false(value, where):
    if not isinstance(value, bool):
        raise RefusedError(f"{where} is {shown(value)}; true or false is expected")
    return value


def one_of(*values):
    def check(value, where):
        if isinstance(value, bool) or value not in values:
            raise RefusedError("{} is {}; it must be {}".format(where, shown(value), " or ".join(str(v) for v in values)))
        return value

    return check


def shown(value):
    """A value for a sentence: short, and of printable ASCII whatever it is."""
    written = ascii(value) if isinstance(value, (str, int, float, bool, type(None))) else "a " + type(value).__name__
    return written if len(written) <= 60 else written[:57] + "..."


STEP = re.compile(r"([0-9]{1,7}(?:\.[0-9]{1,9})?)=(max|off|[0-9]{1,6}(?:\.[0-9]{1,9})?)")


def schedule(value, where):
    """Steps of the meter's IBCC_METER_SCHEDULE: seconds that ascend from 0, each with a rate."""
    steps = [STEP.fullmatch(step) for step in value.split(",")] if isinstance(value, str) and len(value) <= 65536 else [None]
    if not all(steps):
        raise RefusedError(f"{where} is {shown(value)}; steps such as 0=max,1.5=off,2=12.5 are expected")
    times = [float(step.group(1)) for step in steps]
    if times[0] != 0 or any(later <= earlier for earlier, later in zip(times, times[1:])):
        raise RefusedError(f"{where} is {shown(value)}; its times must ascend from 0")
    return value


NAME = r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}"
REQUIRED = object()
port = integer(1024, 65535)
peer = text(r"(?=.{1,253}\Z)[A-Za-z0-9:][A-Za-z0-9._:-]*(?:%[A-Za-z0-9_]{1,15})?", "a host's name or address")


def fields(values, known, where):
    """Checked values of an object that has no others. None is as good as left out."""
    if not isinstance(values, dict):
        raise RefusedError(f"{where} is {shown(values)}; an object is expected")
    for key in values:
        if key not in known:
            raise RefusedError("{} has the unknown key {}; there are {}".format(where, shown(key), ", ".join(known)))
    found = {}
    for key, (check, default, _option) in known.items():
        value = values.get(key)
        if value is None and default is REQUIRED:
            raise RefusedError(f"{where} lacks the key '{key}'")
        found[key] = default if value is None else check(value, where + "." + key)
    return found


def parse_json(data):
    """JSON as strict as it gets: valid UTF-8, no key twice, no NaN, no number that takes long to read."""

    def pairs(items):
        if len({key for key, _ in items}) != len(items):
            raise ValueError("a key stands twice in one object")
        return dict(items)

    def whole(digits):
        if len(digits) > 20:
            raise ValueError(f"a number has {len(digits)} digits")
        return int(digits)

    def fraction(digits):
        value = float(digits) if len(digits) <= 64 else math.inf
        if math.isinf(value):
            raise ValueError("a number is too large or too long")
        return value

    def constant(name):
        raise ValueError(f"{name} is no number")

    try:
        # bytes would be decoded by guesses at their encoding
        return json.loads(
            data.decode("utf-8"), object_pairs_hook=pairs, parse_int=whole, parse_float=fraction, parse_constant=constant
        )
    except RecursionError:
        raise RefusedError("the request is nested too deeply") from None
    except ValueError as error:
        raise RefusedError(f"the request is not JSON: {ascii(str(error))[1:-1][:200]}") from None
