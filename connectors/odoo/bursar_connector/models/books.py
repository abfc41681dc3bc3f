"""The books of Odoo, as the shared rules read and write them."""

import json
from dataclasses import asdict
from decimal import Decimal

from bursar.connector.postings import Line, Posting
from odoo import fields, models

OWN_ACCOUNTS = ("clearing", "bank", "charges", "suspense")


def money(amount) -> Decimal:
    """Odoo keeps decimals and hands them out as floats; to the paisa they are what was stored."""
    return Decimal(str(amount or 0)).quantize(Decimal("0.01"))


class BursarBooking(models.Model):
    _name = "bursar.booking"
    _description = "What is booked of Bursar's payments"
    _order = "id desc"

    name = fields.Char(required=True, readonly=True)
    kind = fields.Char(readonly=True)
    amount = fields.Float(digits=(16, 2), readonly=True)
    payment_id = fields.Char(index=True, readonly=True)
    debit_key = fields.Char(index=True, readonly=True)
    student = fields.Char(readonly=True)
    year = fields.Integer(readonly=True)
    utr = fields.Char("UTR", readonly=True)
    lines = fields.Text(readonly=True)
    move_id = fields.Many2one("account.move", "Journal entry", readonly=True, ondelete="restrict")

    def init(self):
        # In SQL, since versions of Odoo differ in how a model says it.
        self.env.cr.execute("create unique index if not exists bursar_booking_once on bursar_booking (name)")

    def as_posting(self):
        lines = [
            Line(one["account"], Decimal(one["debit"]), Decimal(one["credit"]), one["student"], one["fees"])
            for one in json.loads(self.lines)
        ]
        return Posting(
            key=self.name,
            kind=self.kind,
            payment_id=self.payment_id or "",
            amount=money(self.amount),
            lines=lines,
            remark="",
            student=self.student or None,
            year=self.year or None,
            debit_key=self.debit_key or "",
        )


class BursarEvent(models.Model):
    _name = "bursar.event"
    _description = "Events of Bursar"
    _order = "id desc"

    name = fields.Char("Event", required=True, readonly=True)
    code = fields.Char(readonly=True)
    state = fields.Selection([("waiting", "Waiting"), ("done", "Done")], default="done", readonly=True)
    payment_id = fields.Char(index=True, readonly=True)
    debit_key = fields.Char(readonly=True)
    note = fields.Char(readonly=True)
    payload = fields.Text(readonly=True)

    def init(self):
        self.env.cr.execute("create unique index if not exists bursar_event_once on bursar_event (name)")


class OdooBooks:
    def __init__(self, settings):
        self.settings = settings
        self.env = settings.env

    def find(self, key):
        return self._one([("name", "=", key)])

    def find_debit(self, debit_key):
        return self._one([("debit_key", "=", debit_key), ("kind", "=", "payment")]) if debit_key else None

    def _one(self, domain):
        found = self.env["bursar.booking"].search(domain, limit=1)
        return found.as_posting() if found else None

    def is_returned(self, debit_key):
        bounced = [("debit_key", "=", debit_key), ("code", "=", "flex.instalment.bounced")]
        return bool(self.env["bursar.event"].search_count(bounced))

    def has_student(self, identifier):
        return bool(self.settings.student(identifier))

    def open_fees(self, student, year):
        invoices = self.settings.invoices(self.settings.student(student), year)
        unpaid = invoices.filtered(lambda one: one.amount_residual > 0)
        due = unpaid.sorted(lambda one: (one.invoice_date_due or one.date, one.id))
        return [(str(one.id), money(one.amount_residual)) for one in due]

    def book(self, posting: Posting, utr=""):
        """The key first: a second booking of it fails before anything is posted."""
        booking = self.env["bursar.booking"].create(
            {
                "name": posting.key,
                "kind": posting.kind,
                "amount": float(posting.amount),
                "payment_id": posting.payment_id,
                "debit_key": posting.debit_key,
                "student": posting.student,
                "year": posting.year or 0,
                "utr": utr,
                "lines": json.dumps([asdict(line) for line in posting.lines], default=str),
            }
        )
        booking.move_id = self._post(posting)

    def _post(self, posting: Posting):
        rows = [(0, 0, {"sequence": at, **self._row(line)}) for at, line in enumerate(posting.lines)]
        move = self.env["account.move"].create(
            {
                "move_type": "entry",
                "journal_id": self.settings.journal_id.id,
                "ref": f"{posting.key} {posting.remark}".strip(),
                "line_ids": rows,
            }
        )
        move.action_post()
        for line, row in zip(posting.lines, move.line_ids.sorted("sequence")):
            if line.fees and line.credit:
                (row + self._receivable_of(line.fees)).reconcile()
            elif line.student and line.debit:
                self._take_back(posting.payment_id, line, row)
        return move.id

    def _row(self, line: Line):
        student = self.settings.student(line.student) if line.student else None
        return {
            "account_id": self._account(line, student),
            "partner_id": student.partner_id.id if student else False,
            "name": line.fees or "/",
            "debit": float(line.debit),
            "credit": float(line.credit),
        }

    def _account(self, line: Line, student):
        if line.account in OWN_ACCOUNTS:
            return self.settings[f"{line.account}_account_id"].id
        if line.fees:
            return self._receivable_of(line.fees).account_id.id
        return student.partner_id.property_account_receivable_id.id

    def _receivable_of(self, invoice):
        lines = self.env["account.move"].browse(int(invoice)).line_ids
        return lines.filtered(lambda one: one.account_id.account_type == "asset_receivable")

    def _take_back(self, payment_id, line: Line, row):
        """The payment lets go of its invoice, is set off against what went back, and pays of the invoice what is left of it."""
        payment = self.env["bursar.booking"].search([("payment_id", "=", payment_id), ("kind", "=", "payment")])
        paid = payment.move_id.line_ids.filtered(
            lambda one: one.account_id == row.account_id and one.credit > 0 and one.name == (line.fees or "/")
        )
        earlier = paid.matched_debit_ids.debit_move_id.filtered(lambda one: one.move_id.move_type == "entry")
        paid.remove_move_reconcile()
        for one in earlier + row:
            (paid + one).reconcile()
        if line.fees and not paid.reconciled:
            (paid + self._receivable_of(line.fees)).reconcile()
