# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Any bytes are a net file of ibsim, or refused by a sentence."""

from tests.tuner.fabric.importers.fabric_or_sentence import require_buildable, require_sentence
from tuner.errors import BadInputError
from tuner.fabric.importers.ibsim import Ibsim

INSTRUMENT = ["tuner.fabric.importers.ibsim", "tuner.fabric.importers.link_masks", "tuner.fabric.importers.topology"]


def one_input(data: bytes) -> None:
    text = data.decode("utf-8", errors="replace")
    try:
        imported = Ibsim().read(text, source="fuzz", name="fuzz", mtu_bytes=4096)
    except BadInputError as error:
        require_sentence(error)
        return
    require_buildable(imported.fabric, imported.sentences, data)
