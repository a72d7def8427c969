# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Base of every document's model: strict types, ranges that read well, and errors as sentences with file and line."""

import ast
import difflib
import inspect
import itertools
import textwrap
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeAlias, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    ValidationError,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, ErrorDetails, PydanticCustomError, core_schema

from tuner.document_base.yaml_core import Document, Place, read_document
from tuner.errors import BadInputError

M = TypeVar("M", bound=BaseModel)
T = TypeVar("T")

# A list in the document, a tuple in the model: strict pydantic does not turn one into the other by itself.
ListOf: TypeAlias = Annotated[tuple[T, ...], BeforeValidator(lambda value: tuple(value) if isinstance(value, list) else value)]


MAX_KNOWN = 30
"""Maximum number of known names that are listed when none is near an unknown one."""
MOST_HOSTS = 3
"""Maximum number of hosts, or other nodes, that a sentence names: a fabric may have thousands."""


class DocumentModel(BaseModel):
    """Base of every part of a document: immutable, no conversions between types, no unknown keys."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid", allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _refuse_unknown_keys(cls, values: object) -> object:
        if isinstance(values, Mapping):
            known = [field.alias or name for name, field in cls.model_fields.items()]
            for key in values:
                if key not in known:
                    # Near names are looked for where the fault is told: a document may have thousands of such keys.
                    raise PydanticCustomError("unknown_key", "unknown key '{key}'", {"key": key, "known": known})
        return values

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Describes each property by the text below its field.

        pydantic's own `use_attribute_docstrings` reads the sources of all models as they are imported, which takes every command
        longer than the documents themselves do; schemas are rarely asked for.
        """
        json_schema = handler(schema)
        properties = handler.resolve_ref_schema(json_schema).get("properties", {})
        for name, text in _field_texts(cls).items():
            if (property_schema := properties.get(cls.model_fields[name].alias or name)) is not None:
                property_schema.setdefault("description", text)
        return json_schema


_PARSING = threading.Lock()
"""Python 3.11 counts the depth of what its parser builds in one place for all threads: it raises SystemError where two meet."""


def _field_texts(model: type[BaseModel]) -> dict[str, str]:
    """The string that stands below a field in its class, or in the nearest base that has the field, by the field's name."""
    texts: dict[str, str] = {}
    for base in reversed(model.__mro__):
        if not issubclass(base, DocumentModel):
            continue
        try:
            with _PARSING:
                (definition,) = ast.parse(textwrap.dedent(inspect.getsource(base))).body
        except OSError:  # made by a call of create_model(), or in an interactive session
            continue
        assert isinstance(definition, ast.ClassDef)
        for field, below in itertools.pairwise([*definition.body, ast.Pass()]):
            if not isinstance(field, ast.AnnAssign) or not isinstance(field.target, ast.Name):
                continue
            texts.pop(field.target.id, None)
            if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant) and isinstance(below.value.value, str):
                texts[field.target.id] = inspect.cleandoc(below.value.value)
    return {name: text for name, text in texts.items() if name in model.model_fields}


@dataclass(frozen=True)
class Within:
    """Range of a number, told whole when a value is outside: `Annotated[int, Within(1, 254)]`. `None`: no upper end."""

    low: float
    high: float | None = None
    above: bool = False
    """The low end itself is outside."""

    def __get_pydantic_core_schema__(self, source: type[Any], handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self._check, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        bounds: dict[str, Any] = handler(schema)
        bounds["exclusiveMinimum" if self.above else "minimum"] = self.low
        if self.high is not None:
            bounds["maximum"] = self.high
        return bounds

    def _check(self, value: float) -> float:
        too_low = value <= self.low if self.above else value < self.low
        if too_low or (self.high is not None and value > self.high):
            raise PydanticCustomError(
                "out_of_range", "is {value}; it must be {range}", {"value": value, "range": self.describe()}
            )
        return value

    def describe(self) -> str:
        low = f"above {self.low:g}" if self.above else f"{self.low:g}"
        if self.high is None:
            return low if self.above else f"at least {low}"
        return f"{low} and at most {self.high:g}" if self.above else f"from {low} to {self.high:g}"


def load(model: type[M], path: Path) -> M:
    """Reads and checks a file. Raises BadInputError."""
    return validate(model, read_document(path))


def validate(model: type[M], document: Document) -> M:
    """Checks a document. Raises BadInputError with one sentence: the problem that stands first, and how many more there are."""
    try:
        return model.model_validate(document.value)
    except ValidationError as error:
        raise _bad_input(error, document) from error


@dataclass(frozen=True)
class DocumentProblem:
    """A fault of a document: a sentence, and the place of the value that is wrong, or of the nearest one around it."""

    place: Place
    sentence: str
    is_key: bool = False
    """The key itself is wrong, not its value."""


MOST_UNKNOWN_KEYS = 10
"""Maximum number of unknown keys of one mapping that examine() finds: each hides all else there, and takes one look more."""
MOST_PROBLEMS = 100
"""Number of problems after which examine() looks for no further ones."""


def examine(model: type[M], document: Document) -> tuple[M | None, list[DocumentProblem]]:
    """Checks a document. Returns the model and no problem, or None and at most MOST_PROBLEMS in the order of their lines;
    validate() raises the first of them."""
    value: object = document.value
    problems: list[DocumentProblem] = []
    for _ in range(MOST_UNKNOWN_KEYS):
        try:
            found = model.model_validate(value)
        except ValidationError as error:
            errors = error.errors(include_url=False)
            unknown = [_problem(one, document) for one in _some(one for one in errors if one["type"] == "unknown_key")]
            if not unknown:
                problems += [_problem(one, document) for one in _some(errors)]
                break
            problems += unknown
            if len(problems) >= MOST_PROBLEMS:
                break
            value = _without(value, {one.place for one in unknown}, ())
        else:
            if not problems:
                return found, []
            break
    return None, sorted(problems, key=lambda one: document.line_of(one.place) or 0)[:MOST_PROBLEMS]


def _some(errors: Iterable[ErrorDetails]) -> list[ErrorDetails]:
    return list(itertools.islice(errors, MOST_PROBLEMS))


def _without(value: Any, places: set[Place], at: Place) -> Any:
    """A copy of the value at `at` without the mapping entries at `places`."""
    if isinstance(value, list):
        return [_without(inner, places, (*at, i)) for i, inner in enumerate(value)]
    if not isinstance(value, dict):
        return value
    return {key: _without(inner, places, (*at, key)) for key, inner in value.items() if (*at, key) not in places}


def build_model(model: type[M], values: Mapping[str, object], *, source: str | None = None) -> M:
    """Checks values that a program put together; `source` is what they came from. Raises BadInputError without a line."""
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise _bad_input(error, Document(source=source, value=None, lines={})) from error


def _bad_input(error: ValidationError, document: Document) -> BadInputError:
    errors = error.errors(include_url=False)
    first = _problem(min(errors, key=lambda one: document.line_of(_place_of(one, document)) or 0), document)
    others = len(errors) - 1
    more = f" (and {others} more problem{'s' if others > 1 else ''})" if others else ""
    return BadInputError(first.sentence + more, source=document.source, line=document.line_of(first.place))


def misplaced(sentence: str, *place: str | int) -> PydanticCustomError:
    """For validators that look at a whole document: the problem is at `place` in it."""
    return PydanticCustomError("misplaced", "{sentence}", {"sentence": sentence, "place": place})


def unknown_name(what: str, name: str, known: list[str], most: int = MAX_KNOWN) -> str:
    """The sentence for a name that is not among the known ones: names near ones, or `most` known ones when none is near."""
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.6)
    if near:
        return f"unknown {what} '{name}'; did you mean {_either(near)}?"
    if not known:
        return f"unknown {what} '{name}'; there are none"
    return f"unknown {what} '{name}'; known are {listed(known, most)}"


def listed(names: Sequence[str], most: int = MOST_HOSTS) -> str:
    """Returns the first of some names, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"


def _either(names: list[str]) -> str:
    quoted = [f"'{name}'" for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} or {quoted[-1]}"


def _problem(problem: ErrorDetails, document: Document) -> DocumentProblem:
    """One of pydantic's errors, in our words."""
    kind, context = problem["type"], problem.get("ctx", {})
    place = _place_of(problem, document)
    if kind == "misplaced":
        return DocumentProblem(place, context["sentence"])
    if kind == "unknown_key":
        where = describe_place(place[:-1])
        sentence = unknown_name("key", str(context["key"]), context["known"]) + (f" (in {where})" if where else "")
        return DocumentProblem(place, sentence, is_key=True)
    where = describe_place(place)
    if not where and document.lines:
        where = "the document"
    return DocumentProblem(place, f"{where} {_complaint(problem)}".lstrip())


def _place_of(problem: ErrorDetails, document: Document) -> Place:
    place = _place_in(document, problem["loc"], problem["type"])
    if problem["type"] == "misplaced":
        return (*place, *problem["ctx"]["place"])
    return (*place, problem["ctx"]["key"]) if problem["type"] == "unknown_key" else place


def _complaint(problem: ErrorDetails) -> str:
    """Returns the fault of a value, worded to follow the value's place in a sentence."""
    context = problem.get("ctx", {})
    value = _shown(problem["input"])
    match problem["type"]:
        case "missing":
            return f"lacks the key '{problem['loc'][-1]}'"
        case "int_type" | "int_from_float":
            return f"is {value}; a whole number is expected"
        case "float_type" | "finite_number":
            return f"is {value}; a number is expected"
        case "string_type":
            return f"is {value}; text is expected (quotes turn a number into text)"
        case "string_too_short":
            return "is empty; text is expected"
        case "string_pattern_mismatch":
            return f"is {value}; text that matches {context['pattern']} is expected"
        case "too_short":
            return f"is {value}; a list of {context['min_length']} or more is expected"
        case "bool_type":
            return f"is {value}; true or false is expected"
        case "literal_error":
            return f"is {value}; it must be {context['expected']}"
        case "tuple_type":
            return f"is {value}; a list is expected"
        case "model_type" | "dict_type" | "model_attributes_type":
            return f"is {value}; a mapping of keys to values is expected"
        case "union_tag_invalid":
            return f"has the {context['discriminator'].strip(chr(39))} '{context['tag']}'; known are {context['expected_tags']}"
        case "union_tag_not_found":
            return f"lacks the key {context['discriminator']}"
        case "value_error":
            return str(context["error"])
        case _:
            return problem["msg"]


def _place_in(document: Document, loc: tuple[int | str, ...], kind: str) -> Place:
    """pydantic's location without what is not in the document: the names of union members and missing keys."""
    if not document.lines:
        return loc[:-1] if kind == "missing" else loc
    place: Place = ()
    value: object = document.value
    missing = loc[-1] if kind == "missing" else None
    for step, following in itertools.zip_longest(loc, loc[1:]):
        key = _key_in(value, step)
        if key is None:
            continue
        inner = value[key]  # type: ignore[index]
        # The name of a union's member may be that of a key beside: then what follows is in the mapping, and not below the key.
        is_beside = following is not None and (following == missing or _key_in(value, following) is not None)
        if is_beside and not isinstance(inner, (dict, list)):
            continue
        place, value = (*place, key), inner
    return place


def _key_in(value: object, step: int | str) -> int | str | None:
    """The key or the index of a value that a step of pydantic's leads to; None if there is none."""
    if isinstance(value, list):
        return step if isinstance(step, int) and step < len(value) else None
    # Keys are text in the document, also where the model has numbers.
    return next((key for key in (step, str(step)) if isinstance(value, dict) and key in value), None)


def describe_place(place: Place) -> str:
    """A place as people write it: `flows[2].qps`, the first list item being 0."""
    text = ""
    for step in place:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def _shown(value: object) -> str:
    if value is None:
        return "empty"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"'{value}'"
    if isinstance(value, int | float):
        return str(value)
    return "a mapping" if isinstance(value, dict) else "a list"
