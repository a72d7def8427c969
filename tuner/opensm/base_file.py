# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The base file of OpenSM's plugin: what one master leaves to the next (docs/operate/handover.md has the format)."""

import hashlib
import hmac
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tuner.errors import BadInputError

VERSION = 1
MAX_BYTES = 256 << 20

_HEAD = re.compile(rb"ibcc-base-file (\d{1,9})(?: sha256 ([0-9a-f]{64}) hmac-sha256 ([0-9a-f]{64}|none))?[^\n]*\n")


@dataclass(frozen=True)
class BaseFile:
    """One that is whole, and signed if it has to be."""

    content: bytes
    document: dict[str, Any]

    @property
    def number(self) -> int:
        return int(self.document["number"])

    def is_of_fabric(self, other: "BaseFile") -> bool:
        """True if both have the same subnet prefix, and half of the nodes that they name are the same: hosts come and go."""
        here, there = self.document["fabric"], other.document["fabric"]
        named, known = set(there["some"]), set(here["some"])
        return here["subnet_prefix"] == there["subnet_prefix"] and 2 * len(named & known) >= min(len(named), len(known))


def parse(content: bytes, name: str, keys: Sequence[int]) -> BaseFile:
    """Checks the bytes of a base file. `keys`: one of them must have signed it; without any it need not be signed. Raises
    BadInputError with `name` in the sentence."""
    head = _HEAD.match(content)
    if head is None:
        raise BadInputError(
            f"IBCC0865: {name} is no base file, or is cut: its first line must begin with 'ibcc-base-file {VERSION} sha256'"
        )
    version, digest, signature = int(head[1]), head[2], head[3]
    if version != VERSION:
        raise BadInputError(
            f"IBCC0867: {name} is a base file of version {version}, and this ibcc reads version {VERSION}: use a newer one"
        )
    body = content[head.end() :]
    if digest is None or hashlib.sha256(body).hexdigest().encode() != digest:
        raise BadInputError(f"IBCC0865: {name} is cut or damaged: its bytes are not those of its SHA-256; copy it again")
    if keys and signature == b"none":
        raise BadInputError(f"IBCC0868: {name} is not signed: the OpenSM that wrote it must have the same key file (--key-file)")
    if keys and not any(hmac.compare_digest(_signed(body, key), signature) for key in keys):
        raise BadInputError(f"IBCC0868: {name} is signed by a key that the key file does not have; give that as previous")
    try:
        document = json.loads(body)
        BaseFile(content, document).is_of_fabric(BaseFile(content, document))
        int(document["number"])
    except (ValueError, KeyError, TypeError) as error:
        raise BadInputError(f"IBCC0865: {name} is a base file with a document that makes no sense: {error!r}") from error
    return BaseFile(content, document)


def _signed(body: bytes, key: int) -> bytes:
    return hmac.new(key.to_bytes(8, "big"), body, hashlib.sha256).hexdigest().encode()
