# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""References of fabrics that may name one of several subnets, `planes.yaml#2`, what documents and options call `subnet: 2`; and
those of a fabric with a slow receiver, which scenarios of campaigns make: `two-switch!4=6.8`, host 4 receives 6.8 Gb/s."""

import os
import re

from tuner.documents.fabric import FabricDocument, load_fabric
from tuner.errors import BadInputError
from tuner.fabric.subnets import described, of_subnet, subnets

_SLOW_RECEIVER = re.compile(r"(.+)!([0-9]{1,6})=([0-9.e-]{1,20})")
_WITH_SUBNET = re.compile(r"(.+)#([1-9][0-9]{0,6})")


def with_subnet(reference: str, subnet: int | None) -> str:
    """Returns the reference of one subnet of a fabric, or, without a number, that of the whole fabric."""
    return reference if subnet is None else f"{reference}#{subnet}"


def chosen_fabric(fabric: str | None, subnet: int | None) -> str | None:
    """Returns the reference that the options --fabric and --subnet name. Raises BadInputError for a subnet of no fabric."""
    if fabric is None and subnet is not None:
        raise BadInputError(f"subnet {subnet} is of no fabric; name the fabric that has it by --fabric")
    return None if fabric is None else with_subnet(fabric, subnet)


def with_slow_receiver(reference: str, host: int, gbps: float) -> str:
    """Returns the reference of a fabric of which one host, by its place in the document from 0, receives at most `gbps` of
    payload."""
    return f"{reference}!{host}={gbps:g}"


def found_fabric(reference: str | os.PathLike[str]) -> FabricDocument:
    """Reads a fabric by path or name, or one subnet of it, maybe with a slow receiver. Raises BadInputError, also for a
    subnet that there is not."""
    slow = _SLOW_RECEIVER.fullmatch(os.fspath(reference))
    if slow is not None and not os.path.exists(reference):
        document, place = found_fabric(slow[1]), int(slow[2])
        hosts = list(document.hosts)
        hosts[place] = hosts[place].model_copy(update={"receive_gbps": float(slow[3])})
        return document.model_copy(update={"hosts": tuple(hosts)})
    match = _WITH_SUBNET.fullmatch(os.fspath(reference))
    if match is None or os.path.exists(reference):
        return load_fabric(reference)
    return of_subnet(load_fabric(match[1]), int(match[2]))


def require_one(document: FabricDocument) -> None:
    """Raises BadInputError, which names them, if a fabric has several subnets, of which hosts are to be chosen in one."""
    if len(found := subnets(document)) > 1:
        raise BadInputError(
            f"fabric '{document.name}' has {described(found)}; choose one, by --subnet or by subnet in a request or the document "
            "of a campaign"
        )
