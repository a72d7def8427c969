# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Addresses of notifiers and their deliveries: queries, and messages that test an address."""

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from api.access.audit import record_audit
from api.access.principal import Principal
from api.base.problems import Conflict, NotFound
from api.base.times import now
from api.configuration.notification_addresses import AddressOptions, with_log
from api.configuration.settings import Settings
from api.database.models.delivery import Delivery
from api.documents.notifications import AddressDocument, DeliveryDocument
from api.events.items import item_of
from api.http.pages import Key, PageQuery, paginate, paginate_list
from api.notifiers.deliveries import message_of
from api.states.deliveries import ENDED, OPEN, DeliveryState

_TOO_MUCH = "events of all fabrics are in messages"


def list_addresses(
    session: Session, principal: Principal, settings: Settings, page: PageQuery
) -> tuple[list[AddressDocument], str | None]:
    """Those of the settings of this server, by name. Raises Forbidden."""
    principal.require_all_fabrics(_TOO_MUCH)
    addresses = with_log(settings.notify)
    names, cursor = paginate_list(list(addresses), str, page)
    return [_address_document(session, name, addresses[name]) for name in names], cursor


def list_deliveries(
    session: Session, principal: Principal, page: PageQuery, *, address: str | None, state: DeliveryState | None
) -> tuple[list[DeliveryDocument], str | None]:
    """Newest first. Raises Forbidden."""
    principal.require_all_fabrics(_TOO_MUCH)
    query = select(Delivery)
    if address is not None:
        query = query.where(Delivery.address == address)
    if state is not None:
        query = query.where(Delivery.state == state)
    rows, cursor = paginate(session, query, [Key(Delivery.id, descending=True)], page)
    return [delivery_document(row) for row in rows], cursor


def create_test(session: Session, principal: Principal, settings: Settings, address: str) -> DeliveryDocument:
    """A message that says that it is a test, due at once. Raises Forbidden, NotFound, and Conflict while another test is open."""
    principal.require_all_fabrics(_TOO_MUCH)
    if address not in with_log(settings.notify):
        raise NotFound(f"The settings have no address {address!r:.80}.")
    if session.scalar(select(Delivery.id).where(Delivery.address == address, Delivery.test, Delivery.state.in_(OPEN)).limit(1)):
        raise Conflict(f"A test of {address} is not sent yet; wait for its end.")
    moment = now()
    item = item_of(0, moment, "notify", "test", None, "info", {"address": address, "by": principal.username})
    row = Delivery(address=address, test=True, severity="info", items=[item], counts={"info": 1}, due_at=moment)
    session.add(row)
    session.flush()
    record_audit(session, principal, "notify.test", f"address {address}")
    return delivery_document(row)


def delivery_document(row: Delivery) -> DeliveryDocument:
    shown = set(DeliveryDocument.model_fields) - {"title"}
    return DeliveryDocument(**{name: getattr(row, name) for name in shown}, title=message_of(row).title())


def _address_document(session: Session, name: str, options: AddressOptions) -> AddressDocument:
    mine = Delivery.address == name
    last = select(Delivery).where(mine, Delivery.state.in_(ENDED)).order_by(Delivery.ended_at.desc(), Delivery.id.desc()).limit(1)
    row = session.scalars(last).first()
    return AddressDocument(
        name=name,
        kind=options.kind,
        where=options.where(),
        minimum=options.minimum,
        fabrics=options.fabrics,
        group_s=options.group_s,
        messages_per_hour=options.messages_per_hour,
        open=session.scalar(select(func.count()).where(mine, Delivery.state.in_(OPEN))) or 0,
        last=None if row is None else delivery_document(row),
    )
