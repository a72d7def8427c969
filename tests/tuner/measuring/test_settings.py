# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from typing import Annotated

import pytest

from tuner.document_base.model import DocumentModel, Within
from tuner.errors import BadInputError
from tuner.measuring.settings import NoSettings, model_settings, own_settings


class Settings(DocumentModel):
    path: str
    ttl_s: Annotated[int, Within(1)] = 60


def test_each_gets_its_own() -> None:
    settings = {"model.switch.read_ports": 2, "backend.path": "x"}
    assert model_settings(settings) == {"switch.read_ports": 2}
    assert own_settings("name", settings, Settings) == Settings(path="x")


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({}, r"backend 'name' lacks the setting 'backend\.path'"),
        ({"path": "x"}, r"backend 'name' has no setting 'path'; its settings begin with 'model\.' or 'backend\.'"),
        ({"backend.pth": "x"}, r"backend 'name': unknown setting 'backend\.pth'; did you mean 'backend\.path'"),
        ({"backend.path": 7}, r"backend 'name': backend\.path is 7; text is expected"),
        ({"backend.path": "x", "backend.ttl_s": 0}, r"backend\.ttl_s is 0; it must be at least 1"),
    ],
)
def test_what_is_wrong_is_named(settings: dict[str, object], sentence: str) -> None:
    with pytest.raises(BadInputError, match=sentence):
        own_settings("name", settings, Settings)


def test_who_takes_none_says_so() -> None:
    assert own_settings("name", {"model.x": 1}, NoSettings) == NoSettings()
    with pytest.raises(BadInputError, match=r"has no setting 'backend\.path'; its settings begin with 'model\.'$"):
        own_settings("name", {"backend.path": "x"}, NoSettings)
