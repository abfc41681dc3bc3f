"""Students of Frappe Education, as the rules in core have them."""

import frappe

from bursar_connector.books import money
from bursar.connector.mapping import Guardian, Payment, Student


def load(identifier, year=None):
    """The record of a student in the year that is asked for, or in the newest; None: no such record."""
    student = frappe.db.get_value(
        "Student",
        identifier,
        ["name", "student_name", "enabled", "date_of_birth", "joining_date", "reason_for_leaving"],
        as_dict=True,
    )
    if student is None:
        return None
    enrollments = frappe.get_all(
        "Program Enrollment",
        filters={"student": identifier, "docstatus": 1},
        fields=["name", "program", "academic_year"],
        order_by="enrollment_date desc",
    )
    for enrollment in enrollments:
        start, end = frappe.db.get_value(
            "Academic Year", enrollment.academic_year, ["year_start_date", "year_end_date"]
        )
        if year is None or start.year == year:
            return _student(student, enrollment, start, end)
    return None


def all_records():
    """Every student in every year of an enrollment."""
    for enrollment in frappe.get_all(
        "Program Enrollment", filters={"docstatus": 1}, fields=["student", "academic_year"], distinct=True
    ):
        start = frappe.db.get_value("Academic Year", enrollment.academic_year, "year_start_date")
        record = load(enrollment.student, start.year)
        if record is not None:
            yield record


def _student(student, enrollment, start, end):
    documents = frappe.get_all(
        "Fees",
        filters={"student": student.name, "academic_year": enrollment.academic_year, "docstatus": ["in", [1, 2]]},
        fields=["name", "docstatus"],
        order_by="due_date asc, name asc",
    )
    fees = [one.name for one in documents if one.docstatus == 1]
    cancelled = [one.name for one in documents if one.docstatus == 2]
    return Student(
        identifier=student.name,
        fullname=student.student_name,
        program=enrollment.program,
        year_start=start.year,
        year_end=end.year,
        is_new=student.joining_date is not None and start <= student.joining_date <= end,
        date_of_birth=student.date_of_birth,
        guardians=_guardians(student.name),
        # Of cancelled fees 0 remains: a component that is not sent stays as it was.
        fees=[*_components(fees), *((category, money(0)) for category, _ in _components(cancelled))],
        is_enabled=bool(student.enabled),
        reason_for_leaving=student.reason_for_leaving or "",
        payments=_payments(fees),
    )


def _guardians(student):
    names = frappe.get_all(
        "Student Guardian", filters={"parent": student, "parenttype": "Student"}, pluck="guardian", order_by="idx"
    )
    found = {
        one.name: Guardian(one.name, one.guardian_name, one.email_address or "", one.mobile_number or "")
        for one in frappe.get_all(
            "Guardian",
            filters={"name": ["in", names]},
            fields=["name", "guardian_name", "email_address", "mobile_number"],
        )
    }
    return [found[name] for name in names if name in found]


def _components(fees):
    rows = frappe.get_all(
        "Fee Component",
        filters={"parent": ["in", fees], "parenttype": "Fees"},
        fields=["fees_category", "amount"],
        order_by="idx",
    )
    return [(row.fees_category, money(row.amount)) for row in rows]


def _payments(fees):
    """What was set off against the fees by anything but our own entries."""
    if not fees:
        return []
    rows = frappe.get_all(
        "Payment Ledger Entry",
        filters={"against_voucher_type": "Fees", "against_voucher_no": ["in", fees], "delinked": 0},
        fields=["voucher_type", "voucher_no", "posting_date", "amount"],
        order_by="posting_date asc, name asc",
    )
    vouchers = {row.voucher_no for row in rows}
    ours = set(
        frappe.get_all("Bursar Booking", filters={"journal_entry": ["in", list(vouchers)]}, pluck="journal_entry")
    )
    sums = {}
    for row in rows:
        if row.voucher_type == "Fees" or row.voucher_no in ours:
            continue
        paid_on, amount = sums.get(row.voucher_no, (row.posting_date, money(0)))
        sums[row.voucher_no] = (paid_on, amount - money(row.amount))
    return [Payment(voucher, amount, paid_on) for voucher, (paid_on, amount) in sums.items() if amount > 0]


def outstanding():
    """Student, year and what is outstanding here."""
    starts = dict(frappe.get_all("Academic Year", fields=["name", "year_start_date"], as_list=True))
    rows = frappe.get_all(
        "Fees",
        filters={"docstatus": 1},
        fields=["student", "academic_year", "sum(outstanding_amount) as outstanding"],
        group_by="student, academic_year",
    )
    return [(row.student, starts[row.academic_year].year, money(row.outstanding)) for row in rows if row.academic_year]
