"""Keeps both sides in step: students to Bursar, events and settlements into the books."""

import json

import frappe
from frappe.utils import now_datetime

from bursar_connector import records
from bursar_connector.books import FrappeBooks
from bursar.connector import sync as core
from bursar.connector.mapping import NotReady
from bursar.connector.postings import Wait, debit_key_of, postings_of, settlement_posting

MISSING = "Install {0} first: bench get-app {0}, then bench --site SITE install-app {0}."


def check_requirements():
    for app in ("erpnext", "education"):
        if app not in frappe.get_installed_apps():
            frappe.throw(MISSING.format(app))


def settings():
    return frappe.get_single("Bursar Settings")


def client():
    from bursar import Bursar

    chosen = settings()
    return Bursar(chosen.base_url, chosen.api_key, chosen.get_password("api_secret"))


# Students


def student_changed(doc, _method=None):
    _push_later(doc.name)


def guardian_changed(doc, _method=None):
    for student in frappe.get_all("Student Guardian", filters={"guardian": doc.name}, pluck="parent", limit=50):
        _push_later(student)


def fees_changed(doc, _method=None):
    _push_later(doc.student)


def payment_taken(doc, _method=None):
    if doc.party_type == "Student":
        _push_later(doc.party)


def payment_cancelled(doc, _method=None):
    if doc.party_type == "Student" and settings().is_enabled:
        frappe.enqueue(
            "bursar_connector.sync.cancel_payment", student=doc.party, voucher=doc.name, enqueue_after_commit=True
        )


def cancel_payment(student, voucher):
    core.cancel_payment(client(), student, voucher)


def _push_later(student):
    if not settings().is_enabled:
        return
    frappe.enqueue(
        "bursar_connector.sync.push",
        student=student,
        enqueue_after_commit=True,
        job_id=f"bursar-push-{student}",
        deduplicate=True,
    )


def push(student):
    record = records.load(student)
    if record is not None:
        _push_record(client(), record)


def push_all():
    if not settings().is_enabled:
        return
    bursar = client()
    for record in records.all_records():
        _push_record(bursar, record)


def _push_record(bursar, record):
    """A record that is not ready stays as it was, and stands in the error log and among the differences."""
    try:
        return core.push(bursar, record)
    except NotReady as error:
        frappe.log_error(title=f"Bursar: {record.identifier} is not ready", message=str(error))


# Events


def lock_books():
    """
    One booking at a time. A transaction of MariaDB sees what was committed before its first plain read, so a new one
    begins here, with the lock: a bounce that is booked beside its debit would not see it.
    """
    frappe.db.commit()
    frappe.db.sql("select value from `tabSingles` where doctype = 'Bursar Settings' and field = 'company' for update")


def take(event):
    """Books an event once, all of it or nothing. False: it was here before."""
    lock_books()
    try:
        is_new = _take(event)
    except BaseException:
        frappe.db.rollback()
        raise
    frappe.db.commit()
    return is_new


def _take(event):
    if frappe.db.exists("Bursar Event", event["event_id"]):
        return False
    payload = event["payload"]
    doc = frappe.get_doc(
        {
            "doctype": "Bursar Event",
            "event_id": event["event_id"],
            "event_code": event["event"],
            "status": "Received",
            "payment_id": (payload.get("payment") or {}).get("id"),
            "debit_key": debit_key_of(payload),
            "payload": json.dumps(event, default=str),
        }
    )
    doc.insert(ignore_permissions=True)
    _process(doc, event)
    return True


def _process(doc, event):
    books = FrappeBooks(settings())
    try:
        new = postings_of(event, books)
    except Wait as error:
        doc.db_set({"status": "Waiting", "note": f"Waits for {error}"}, update_modified=False)
        return
    for posting in new:
        books.book(posting)
    _note_settlement(event["payload"])
    doc.db_set({"status": "Done", "note": ", ".join(one.key for one in new)}, update_modified=False)
    for posting in new:
        _retry_waiting(posting.payment_id)


def _note_settlement(payload):
    payment = payload.get("payment") or {}
    if payment.get("settlement_utr") and frappe.db.exists("Bursar Booking", payment["id"]):
        frappe.db.set_value("Bursar Booking", payment["id"], "settlement_utr", payment["settlement_utr"])


def _retry_waiting(payment_id):
    for name in frappe.get_all("Bursar Event", filters={"status": "Waiting", "payment_id": payment_id}, pluck="name"):
        doc = frappe.get_doc("Bursar Event", name)
        _process(doc, core.parse(doc.payload))


def catch_up():
    """Every hour: the events that no webhook brought, and the transfers to the bank."""
    chosen = settings()
    if not chosen.is_enabled:
        return
    bursar = client()
    for page in core.pages_of_events(bursar, chosen.last_event or None):
        for event in page:
            take(event)
        frappe.db.set_single_value("Bursar Settings", "last_event", page[-1]["event_id"])
        frappe.db.commit()
    for settlement in bursar.list_settlements(limit=200):
        book_settlement(settlement)
    frappe.db.set_single_value("Bursar Settings", "last_caught_up", now_datetime())


def book_settlement(settlement):
    lock_books()
    if not frappe.db.exists("Bursar Booking", settlement["id"]):
        books = FrappeBooks(settings())
        books.book(settlement_posting(settlement))
        frappe.db.set_value("Bursar Booking", settlement["id"], "settlement_utr", settlement["utr"])
    frappe.db.commit()


# Differences


def list_differences():
    waiting = frappe.get_all(
        "Bursar Event", filters={"status": ["!=", "Done"]}, fields=["name", "event_code as code", "note"]
    )
    booked = set(frappe.get_all("Bursar Booking", filters={"kind": "settlement"}, pluck="name"))
    waits = [{"name": one.name, "code": one.code, "note": one.note or ""} for one in waiting]
    return core.report(client(), records.outstanding(), waits, booked)
