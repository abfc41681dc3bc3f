"""Keeps both sides in step, whatever the ERP: the client asks Bursar, the ERP's own code reads and writes its tables."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any

from bursar.connector.mapping import Student, differences, register_bodies


def push(bursar: Any, record: Student) -> str | None:
    """Registers the student under every parent, and drops or takes back who left or returned. Safe to repeat."""
    service_id = None
    if record.is_enabled:
        for registration_id, body in register_bodies(record):
            service_id = bursar.register_student(registration_id, body)["service_student_id"]
    found = bursar.list_students(
        identifier=record.identifier, academic_year_start=record.year_start, academic_year_end=record.year_end, limit=1
    )
    known = next(iter(found), None)
    if known is None:
        return service_id
    if (known["status"] == "dropped") == record.is_enabled:
        (bursar.activate_student if record.is_enabled else bursar.drop_student)(known["service_student_id"])
    return service_id


def cancel_payment(bursar: Any, identifier: str, voucher: str) -> None:
    """A payment that the ERP told and has cancelled; of whichever year it was."""
    from bursar import NotFoundError

    for one in bursar.list_students(identifier=identifier, limit=200):
        try:
            bursar.cancel_direct_payment(one["service_student_id"], voucher)
        except NotFoundError:
            pass  # Of another year, or never told.


def pages_of_events(bursar: Any, cursor: str | None) -> Iterator[list[dict[str, Any]]]:
    """Those after the cursor, the oldest first. Take a page, keep the id of its last event, and ask for the next one."""
    events = bursar.list_events(order="oldest", limit=200)
    while True:
        page, following = events.page(cursor)
        if page:
            yield page
            cursor = page[-1]["event_id"]
        if following is None:
            return


def parse(text: str) -> dict[str, Any]:
    """An event that was kept as text, with exact amounts."""
    event = json.loads(text, parse_float=Decimal)
    for block in ("payment", "refund"):
        money = event["payload"].get(block)
        if money is not None and "amount" in money:
            money["amount"] = Decimal(str(money["amount"]))
    return event


def report(
    bursar: Any,
    outstanding: Iterable[tuple[str, int, Decimal]],
    waiting: Iterable[Mapping[str, str]],
    booked: Collection[str],
) -> list[dict[str, str]]:
    """What differs: students, events that wait (`name`, `code`, `note`), transfers that are not among the booked ones."""
    theirs = [
        (one["identifier"], one["academic_year_start"], one["fee_summary"]["outstanding"])
        for one in bursar.list_students(limit=200)
    ]
    rows = [
        {
            "what": "Outstanding differs" if here is not None and there is not None else "Only on one side",
            "about": f"{student} {year}",
            "here": "" if here is None else str(here),
            "there": "" if there is None else str(there),
        }
        for student, year, here, there in differences(outstanding, theirs)
    ]
    rows += [
        {"what": "Event waits", "about": f"{one['code']} {one['name']}", "here": one["note"], "there": ""} for one in waiting
    ]
    rows += [
        {"what": "Transfer is not booked", "about": one["utr"], "here": "", "there": str(one["net"])}
        for one in bursar.list_settlements(limit=200)
        if one["id"] not in booked
    ]
    return rows
