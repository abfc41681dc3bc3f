"""The settings, and what is read of OpenEduCat: students of a year, their fees, and what was paid in Odoo itself."""

import hashlib
import json

from bursar import Bursar, BursarError
from bursar.connector import sync as core
from bursar.connector.mapping import Guardian, NotReady, Payment, Student, register_bodies
from bursar.connector.postings import EVENT_CODES, Wait, debit_key_of, postings_of, settlement_posting
from odoo import fields, models
from odoo.exceptions import UserError

from .books import OdooBooks, money


class OpStudentCourse(models.Model):
    _inherit = "op.student.course"

    bursar_told = fields.Char(readonly=True, copy=False, help="Digest of what Bursar was last told.")
    bursar_vouchers = fields.Text(readonly=True, copy=False, help="Payments of Odoo that Bursar was told of.")


class BursarSettings(models.Model):
    _name = "bursar.settings"
    _description = "Bursar"

    name = fields.Char(default="Bursar", required=True)
    active = fields.Boolean("Enabled", default=True)
    company_id = fields.Many2one("res.company", required=True, default=lambda self: self.env.company)
    base_url = fields.Char("Address of Bursar", required=True)
    api_key = fields.Char("API key", required=True)
    api_secret = fields.Char("API secret", required=True)
    webhook_secret = fields.Char(help="Bursar signs its webhooks with it; at least 16 characters.")
    fetch_name = fields.Char("Name for fetch-student", default="bursar")
    fetch_password = fields.Char("Password for fetch-student")
    failure_email = fields.Char("Mail when webhooks fail")
    journal_id = fields.Many2one("account.journal", required=True, domain=[("type", "=", "general")])
    clearing_account_id = fields.Many2one("account.account", "Clearing account", required=True)
    bank_account_id = fields.Many2one("account.account", "Bank account", required=True)
    charges_account_id = fields.Many2one("account.account", "Charges of the gateway", required=True)
    suspense_account_id = fields.Many2one("account.account", "Money of nobody known", required=True)
    last_event = fields.Char(readonly=True)
    turns = fields.Integer(readonly=True)
    notes = fields.Text(readonly=True)

    def the_one(self):
        found = self.search([], limit=1)
        if not found:
            raise UserError("Bursar has no settings yet.")
        return found

    def client(self):
        return Bursar(self.base_url, self.api_key, self.api_secret)

    # What OpenEduCat knows

    def student(self, identifier):
        return self.env["op.student"].with_context(active_test=False).search([("gr_no", "=", identifier)], limit=1)

    def all_students(self):
        return self.env["op.student"].with_context(active_test=False).search([("gr_no", "!=", False)])

    def load(self, identifier, year=None):
        """The record of a student in the year that is asked for, or in the newest; None: no such record."""
        student = self.student(identifier) if identifier else None
        years = self._years(student) if student else []
        return next((self._record(student, one) for one in years if year in (None, one[0])), None)

    def _years(self, student):
        """First year, last year and courses of each academic year, the newest first."""
        years = {}
        for course in student.course_detail_ids:
            span = course.academic_years_id or course.batch_id
            if span.start_date:
                years.setdefault((span.start_date.year, span.end_date.year), []).append(course)
        return [(start, end, courses) for (start, end), courses in sorted(years.items(), reverse=True)]

    def _record(self, student, of_year):
        start, end, courses = of_year
        invoices = self.invoices(student, start)
        charged = invoices.invoice_line_ids.filtered(lambda one: one.display_type in (False, "product"))
        return Student(
            identifier=student.gr_no,
            fullname=student.name,
            program=courses[0].course_id.name,
            year_start=start,
            year_end=end,
            is_new=len(self._years(student)) == 1,
            date_of_birth=student.birth_date or None,
            guardians=self._guardians(student),
            fees=[(line.product_id.name or line.name, money(line.price_total)) for line in charged],
            is_enabled=student.active,
            payments=self._payments(invoices),
        )

    def _guardians(self, student):
        """Parents where OpenEduCat's module of parents is installed; otherwise the emergency contact, or the student."""
        partners = [student.emergency_contact, student.partner_id]
        if "parent_ids" in student._fields and student.parent_ids:
            return [_guardian(parent.name) for parent in student.parent_ids]
        reachable = [one for one in map(_guardian, filter(None, partners)) if one.email and one.mobile]
        return reachable[:1]

    def invoices(self, student, year):
        """Posted invoices of the fees of a year."""
        mine = [course for start, _, courses in self._years(student) if start == year for course in courses]
        pairs = {(one.course_id.id, one.batch_id.id) for one in mine}
        details = student.fees_detail_ids.filtered(
            lambda one: (one.course_id.id, one.batch_id.id) in pairs and one.invoice_id.state == "posted"
        )
        return details.invoice_id

    def _payments(self, invoices):
        """What was set off against the fees and is not ours: cash, a cheque, a transfer."""
        sums, days = {}, {}
        receivable = invoices.line_ids.filtered(lambda one: one.account_id.account_type == "asset_receivable")
        for part in receivable.matched_credit_ids:
            move = part.credit_move_id.move_id
            if not self.env["bursar.booking"].search_count([("move_id", "=", move.id)]):
                sums[move.name] = sums.get(move.name, money(0)) + money(part.amount)
                days[move.name] = move.date
        return [Payment(name, amount, days[name]) for name, amount in sums.items()]

    def outstanding(self):
        for student in self.all_students().filtered("active"):
            for start, _, _ in self._years(student):
                yield student.gr_no, start, money(sum(self.invoices(student, start).mapped("amount_residual")))

    # Students to Bursar

    def push_changed(self):
        """Tells Bursar of each record that is not as it was told, and of payments that were cancelled. For cron."""
        told = 0
        for settings in self or self.search([]):
            notes = []
            bursar = settings.client()
            for student in settings.all_students():
                for of_year in settings._years(student):
                    try:
                        told += settings._push(bursar, student, of_year)
                    except (NotReady, BursarError) as error:
                        notes.append(f"{student.gr_no} {of_year[0]}: {error}")
            settings.notes = "\n".join(notes)
        return told

    def _push(self, bursar, student, of_year):
        record, course = self._record(student, of_year), of_year[2][0]
        told = register_bodies(record) if record.is_enabled else "left"
        digest = hashlib.sha256(json.dumps(told, default=str, sort_keys=True).encode()).hexdigest()
        if course.bursar_told == digest:
            return 0
        core.push(bursar, record)
        vouchers = [one.voucher for one in record.payments]
        for gone in set(json.loads(course.bursar_vouchers or "[]")) - set(vouchers):
            core.cancel_payment(bursar, record.identifier, gone)
        course.write({"bursar_told": digest, "bursar_vouchers": json.dumps(vouchers)})
        return 1

    # Events into the books

    def take(self, event):
        """
        Books an event once, all of it or nothing. Whoever comes second changes a row that the first has changed, and Odoo
        begins its request anew: it then sees what the first has booked.
        """
        self.env.cr.execute("update bursar_settings set turns = coalesce(turns, 0) + 1 where id = %s", [self.id])
        events = self.env["bursar.event"]
        if events.search_count([("name", "=", event["event_id"])]):
            return
        kept = events.create(
            {
                "name": event["event_id"],
                "code": event["event"],
                "payment_id": (event["payload"].get("payment") or {}).get("id"),
                "debit_key": debit_key_of(event["payload"]),
                "payload": json.dumps(event, default=str),
            }
        )
        self._process(kept, event)

    def _process(self, kept, event):
        books = OdooBooks(self)
        try:
            new = postings_of(event, books)
        except Wait as error:
            kept.write({"state": "waiting", "note": f"Waits for {error}"})
            return
        for posting in new:
            books.book(posting)
        payment = event["payload"].get("payment") or {}
        if payment.get("settlement_utr"):
            self.env["bursar.booking"].search([("name", "=", payment["id"])]).utr = payment["settlement_utr"]
        kept.write({"state": "done", "note": ", ".join(one.key for one in new)})
        for posting in new:
            waiting = [("state", "=", "waiting"), ("payment_id", "=", posting.payment_id)]
            for one in self.env["bursar.event"].search(waiting, order="id"):
                self._process(one, core.parse(one.payload))

    def catch_up(self):
        """The events that no webhook brought, and the transfers to the bank. For cron."""
        for settings in self or self.search([]):
            bursar = settings.client()
            for page in core.pages_of_events(bursar, settings.last_event or None):
                for event in page:
                    if event["event"] in EVENT_CODES:
                        settings.take(event)
                settings.last_event = page[-1]["event_id"]
            booked = set(self.env["bursar.booking"].search([("kind", "=", "settlement")]).mapped("name"))
            for one in bursar.list_settlements(limit=200):
                if one["id"] not in booked:
                    OdooBooks(settings).book(settlement_posting(one), one["utr"])

    # Buttons

    def button_check(self):
        bursar = self.client()
        branches = ", ".join(one["name"] for one in bursar.list_branches())
        codes = {one["event_code"] for one in bursar.list_webhooks()}
        missing = [code for code in EVENT_CODES if code not in codes]
        webhooks = f"Not subscribed: {', '.join(missing)}." if missing else "All webhooks are subscribed."
        self.notes = f"Bursar answers. Branches: {branches}.\n{webhooks}"

    def button_subscribe(self):
        bursar, site = self.client(), self.get_base_url()
        for code in EVENT_CODES:
            bursar.add_webhook(
                {
                    "event_code": code,
                    "url": f"{site}/bursar/webhook",
                    "failure_notification_email": self.failure_email,
                    "secret_key": self.webhook_secret,
                }
            )
        self.notes = f"Subscribed: {', '.join(EVENT_CODES)}."

    def button_push(self):
        self.push_changed()

    def button_catch_up(self):
        self.catch_up()

    def differences(self):
        waiting = self.env["bursar.event"].search([("state", "=", "waiting")])
        waits = [{"name": one.name, "code": one.code, "note": one.note or ""} for one in waiting]
        booked = set(self.env["bursar.booking"].search([("kind", "=", "settlement")]).mapped("name"))
        return core.report(self.client(), self.outstanding(), waits, booked)

    def button_differences(self):
        self.env["bursar.difference"].search([]).unlink()
        self.env["bursar.difference"].create(self.differences())
        return {
            "type": "ir.actions.act_window",
            "name": "Differences",
            "res_model": "bursar.difference",
            "view_mode": "list",
        }


class BursarDifference(models.TransientModel):
    _name = "bursar.difference"
    _description = "What differs between Odoo and Bursar"

    what = fields.Char()
    about = fields.Char()
    here = fields.Char("Here")
    there = fields.Char("At Bursar")


def _guardian(partner):
    mobile = "mobile" in partner._fields and partner.mobile
    return Guardian(f"odoo-{partner.id}", partner.name, partner.email or "", mobile or partner.phone or "")
