"""The books of ERPNext, as the rules in core read and write them."""

import json
from dataclasses import asdict
from decimal import Decimal

import frappe
from frappe.utils import nowdate

from bursar.connector.postings import Line, Posting

ACCOUNTS = ("clearing", "bank", "charges", "suspense")


class FrappeBooks:
    def __init__(self, settings):
        self.settings = settings

    def find(self, key):
        return _posting(frappe.db.get_value("Bursar Booking", key, FIELDS, as_dict=True))

    def find_debit(self, debit_key):
        found = frappe.db.get_value("Bursar Booking", {"debit_key": debit_key, "kind": "payment"}, FIELDS, as_dict=True)
        return _posting(found) if debit_key else None

    def is_returned(self, debit_key):
        bounced = {"debit_key": debit_key, "event_code": "flex.instalment.bounced"}
        return frappe.db.exists("Bursar Event", bounced) is not None

    def has_student(self, identifier):
        return frappe.db.exists("Student", identifier) is not None

    def open_fees(self, student, year):
        years = academic_years(year)
        if not years:
            return []
        rows = frappe.get_all(
            "Fees",
            filters={"student": student, "academic_year": ["in", years], "docstatus": 1, "outstanding_amount": [">", 0]},
            fields=["name", "outstanding_amount"],
            order_by="due_date asc, name asc",
        )
        return [(row.name, money(row.outstanding_amount)) for row in rows]

    def book(self, posting: Posting):
        """The key first: a second booking of it fails before anything is posted."""
        booking = frappe.get_doc(
            {
                "doctype": "Bursar Booking",
                "booking_key": posting.key,
                "kind": posting.kind,
                "amount": float(posting.amount),
                "payment_id": posting.payment_id,
                "debit_key": posting.debit_key,
                "student": posting.student,
                "year": posting.year,
                "lines": json.dumps([asdict(line) for line in posting.lines], default=str),
            }
        )
        booking.insert(ignore_permissions=True)
        booking.db_set("journal_entry", self._post(posting), update_modified=False)

    def _post(self, posting: Posting):
        entry = frappe.get_doc(
            {
                "doctype": "Journal Entry",
                "voucher_type": "Journal Entry",
                "company": self.settings.company,
                "posting_date": nowdate(),
                "cheque_no": posting.key,
                "cheque_date": nowdate(),
                "user_remark": posting.remark,
                "accounts": [self._row(line) for line in posting.lines],
            }
        )
        entry.flags.ignore_permissions = True
        entry.insert()
        entry.submit()
        return entry.name

    def _row(self, line: Line):
        row = {
            "account": self._account(line),
            "debit_in_account_currency": float(line.debit),
            "credit_in_account_currency": float(line.credit),
            "cost_center": self.settings.cost_center,
        }
        if line.student:
            row.update(party_type="Student", party=line.student)
            row.update({"reference_type": "Fees", "reference_name": line.fees} if line.fees else {})
            if not line.fees and line.credit:
                row["is_advance"] = "Yes"
        return row

    def _account(self, line: Line):
        if line.account in ACCOUNTS:
            return self.settings.get(f"{line.account}_account")
        if line.fees:
            return frappe.db.get_value("Fees", line.fees, "receivable_account")
        return frappe.db.get_value("Company", self.settings.company, "default_receivable_account")


FIELDS = ["name", "kind", "amount", "payment_id", "debit_key", "student", "year", "lines"]


def _posting(row):
    if row is None:
        return None
    lines = [
        Line(one["account"], Decimal(one["debit"]), Decimal(one["credit"]), one["student"], one["fees"])
        for one in json.loads(row["lines"])
    ]
    amount = money(row.amount)
    return Posting(row.name, row.kind, row.payment_id, amount, lines, "", row.student, row.year, row.debit_key or "")


def academic_years(start):
    """Names of the academic years that begin in this year."""
    years = frappe.get_all("Academic Year", fields=["name", "year_start_date"])
    return [year.name for year in years if year.year_start_date and year.year_start_date.year == start]


def money(amount) -> Decimal:
    """Frappe keeps decimals and hands them out as floats; to the paisa they are what was stored."""
    return Decimal(str(amount or 0)).quantize(Decimal("0.01"))
