# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Says of a study which parameters of the simulated devices it varied: no administrator can set these on a fabric."""

from collections.abc import Mapping, Sequence
from typing import Any

from tuner.campaign.result import CampaignResult
from tuner.document_base.words import listed
from tuner.report.text import value
from tuner.search.space import MODEL

Document = Mapping[str, Any]


def varied_document(result: CampaignResult) -> list[dict[str, Any]]:
    """Returns for each varied parameter `{path, devices, recommended}`: the value of the devices as they are, and that of the
    recommended trial; null where nothing is recommended, or where the parameter's condition does not hold. Empty in a campaign
    that varies profiles alone."""
    space, tried = result.setup.space, result.recommended
    model: Mapping[str, Any] = {} if tried is None else space.model(tried.record.params)
    return [
        {"path": path, "devices": space.unchanged(path), "recommended": model.get(path.removeprefix(MODEL))}
        for path in space.model_paths
    ]


def on_varied_model(report: Document) -> list[str]:
    """Returns the sentences of a report of a study; none of other campaigns."""
    varied: Sequence[Document] = report.get("varied_model", ())
    if not varied:
        return []
    sentences = [
        f"This study varies {listed([one['path'] for one in varied])}, which no administrator can set; the figures hold for "
        "simulated devices only, and no profile has these values."
    ]
    chosen = [f"{one['path']} = {value(one['recommended'])}" for one in varied if one["recommended"] is not None]
    if chosen:
        sentences.append(f"The recommended trial was measured with {listed(chosen)}.")
    return sentences
