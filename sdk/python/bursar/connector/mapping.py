"""What Frappe Education knows of a student, as Bursar's API and fetch-student have it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any

ZERO = Decimal("0.00")


@dataclass(frozen=True)
class Guardian:
    name: str
    fullname: str
    email: str
    mobile: str


@dataclass(frozen=True)
class Payment:
    """Money that was taken in Frappe and not by Bursar: cash, a cheque, a transfer."""

    voucher: str
    amount: Decimal
    paid_on: date
    mode: str = "others"


@dataclass(frozen=True)
class Student:
    """One student in one academic year: a Program Enrollment."""

    identifier: str
    fullname: str
    program: str
    year_start: int
    year_end: int
    is_new: bool
    date_of_birth: date | None
    guardians: Sequence[Guardian]
    fees: Sequence[tuple[str, Decimal]]
    """Fee category and amount, of every submitted Fees document of the year."""
    is_enabled: bool = True
    reason_for_leaving: str = ""
    payments: Sequence[Payment] = field(default=())


class NotReady(Exception):
    """The record cannot be used for collection; the message can be shown to parents."""


def component_of(category: str) -> str:
    """Tuition Fee → TUITION_FEE."""
    return re.sub(r"[^A-Z0-9]+", "_", category.upper()).strip("_")[:64]


def components(student: Student) -> list[tuple[str, Decimal]]:
    """What each component costs in all; several Fees documents of a year add up."""
    names: dict[str, str] = {}
    sums: dict[str, Decimal] = {}
    for category, amount in student.fees:
        code = component_of(category)
        if names.setdefault(code, category) != category:
            raise NotReady(f"The fee categories {names[code]} and {category} read alike. Rename one of them.")
        sums[code] = sums.get(code, ZERO) + amount
    return list(sums.items())


def contact(student: Student) -> Guardian:
    for guardian in student.guardians:
        if guardian.email and guardian.mobile:
            return guardian
    raise NotReady("No guardian of this student has both an e-mail address and a mobile number.")


def register_bodies(student: Student) -> list[tuple[str, dict[str, Any]]]:
    """Registration id and body for each guardian who can be reached: one student, several parents."""
    first = contact(student)
    reachable = [first, *(one for one in student.guardians if one is not first and one.email and one.mobile)]
    fees = components(student)
    return [
        (
            guardian.name,
            {
                # The same contact each time: it belongs to the student, and the user is made by the first call.
                "student": _student(student, first, is_text=False),
                "fee_components": [{"component_type": code, "fee_amount": amount} for code, amount in fees],
                "payments": [_payment(one, fees) for one in student.payments],
            },
        )
        for guardian in reachable
    ]


def _student(student: Student, guardian: Guardian, *, is_text: bool) -> dict[str, Any]:
    body: dict[str, Any] = {
        "fullname": student.fullname,
        "identifier": student.identifier,
        "grade": student.program[:64],
        "new_admission": student.is_new,
        "academic_year_start": str(student.year_start) if is_text else student.year_start,
        "academic_year_end": str(student.year_end) if is_text else student.year_end,
        "primary_contact_name": guardian.fullname,
        "primary_contact_number": guardian.mobile,
        "primary_contact_email": guardian.email,
    }
    if student.date_of_birth is not None:
        body["date_of_birth"] = student.date_of_birth.isoformat()
    elif not is_text:
        raise NotReady("The student has no date of birth.")
    return body


def _payment(payment: Payment, fees: Sequence[tuple[str, Decimal]]) -> dict[str, Any]:
    return {
        "amount": payment.amount,
        "paid_at": payment.paid_on.isoformat(),
        "mode": payment.mode,
        "transaction_id": payment.voucher,
        "fee_components": [
            {"component_type": code, "amount": part} for code, part in in_proportion(payment.amount, fees) if part > 0
        ],
    }


def in_proportion(amount: Decimal, weights: Sequence[tuple[str, Decimal]]) -> list[tuple[str, Decimal]]:
    """Exact to the paisa; what rounding leaves goes to the last."""
    total = sum((weight for _, weight in weights), ZERO)
    if total == 0:
        raise NotReady("There is a payment and no fee.")
    parts: list[tuple[str, Decimal]] = []
    left = amount
    for code, weight in weights[:-1]:
        part = (amount * weight / total).quantize(Decimal("0.01"), rounding="ROUND_DOWN")
        parts.append((code, part))
        left -= part
    return [*parts, (weights[-1][0], left)]


def fetch_answer(student: Student | None) -> tuple[int, dict[str, Any]]:
    """What the fetch-student endpoint answers: HTTP status and body."""
    if student is None:
        return _refusal("student_not_found", "This student is not in our register.")
    if not student.is_enabled:
        if "transfer" in student.reason_for_leaving.lower():
            return _refusal("student_transferred", "The student has moved to another branch.")
        return _refusal("student_discontinued", "The student has left.")
    try:
        guardian = contact(student)
        fees = components(student)
        if not fees:
            raise NotReady("No fees are set for this student yet.")
    except NotReady as error:
        return _refusal("data_error", str(error))
    data = {
        "student": _student(student, guardian, is_text=True),
        "fee_components": [{"component_type": code, "fee_amount": str(amount)} for code, amount in fees],
        "user": {"name": guardian.fullname, "phone": guardian.mobile},
    }
    return 200, {"status": "success", "data": data}


def _refusal(code: str, message: str) -> tuple[int, dict[str, Any]]:
    return 422, {"status": "error", "code": code, "message": message}


def differences(
    ours: Iterable[tuple[str, int, Decimal]], theirs: Iterable[tuple[str, int, Decimal]]
) -> list[tuple[str, int, Decimal | None, Decimal | None]]:
    """Student, year, outstanding here and at Bursar, where they differ; None: not there."""
    here = {(identifier, year): amount for identifier, year, amount in ours}
    there = {(identifier, year): amount for identifier, year, amount in theirs}
    return [
        (identifier, year, here.get((identifier, year)), there.get((identifier, year)))
        for identifier, year in sorted(here.keys() | there.keys())
        if here.get((identifier, year)) != there.get((identifier, year))
    ]
