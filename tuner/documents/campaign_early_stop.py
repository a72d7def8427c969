# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`early_stop:` of a campaign."""

from typing import Annotated

from tuner.document_base.model import DocumentModel, Within


class EarlyStopOptions(DocumentModel):
    """A trial is not measured to the end once a constraint is surely broken."""

    confidence: Annotated[float, Within(0.5, 0.999999)] = 0.99
    """Confidence that a trial which keeps the constraints is not stopped by chance."""
