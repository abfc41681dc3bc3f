"""What an event means for the books: journal entries as plain data, each with the key under which it is booked once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Protocol

ZERO = Decimal("0.00")

EVENT_CODES = (
    "pay.payment.debited",
    "pay.payment.settled",
    "flex.downpayment.debited",
    "flex.downpayment.settled",
    "flex.instalment.debited",
    "flex.instalment.settled",
    "flex.instalment.bounced",
    "flex.instalment.skipped",
    "refund.processed",
)
MONEY = {code for code in EVENT_CODES if code.endswith((".debited", ".settled"))}


@dataclass(frozen=True)
class Line:
    """`account`: receivable, clearing, bank, charges or suspense; the settings say which one that is."""

    account: str
    debit: Decimal = ZERO
    credit: Decimal = ZERO
    student: str | None = None
    fees: str | None = None
    """The Fees document that it is set off against."""


@dataclass(frozen=True)
class Posting:
    """One journal entry, or with no lines a change that is only noted."""

    key: str
    kind: str
    payment_id: str
    amount: Decimal
    lines: Sequence[Line]
    remark: str
    student: str | None = None
    year: int | None = None
    debit_key: str = ""
    """Which attempt of which instalment: a bounce that comes late names nothing else."""


class Wait(Exception):
    """The event it needs is not here yet; it is tried again when that one arrives."""


class Books(Protocol):
    """What is read of the books."""

    def find(self, key: str) -> Posting | None: ...

    def find_debit(self, debit_key: str) -> Posting | None: ...

    def is_returned(self, debit_key: str) -> bool:
        """Whether the bounce of this attempt has arrived."""
        ...

    def has_student(self, identifier: str) -> bool: ...

    def open_fees(self, student: str, year: int) -> Sequence[tuple[str, Decimal]]:
        """Fees documents with what is outstanding, the earliest due first."""
        ...


def postings_of(event: Mapping[str, Any], books: Books) -> list[Posting]:
    """Those that are not booked yet; none for an event that moves no money."""
    code, payload = event["event"], event["payload"]
    if code in MONEY:
        wanted = _payment(payload, books)
    elif code == "refund.processed":
        wanted = [_refund(payload, books)]
    elif code == "flex.instalment.bounced":
        wanted = _return(payload, books)
    else:
        wanted = []
    return [posting for posting in wanted if books.find(posting.key) is None]


def debit_key_of(payload: Mapping[str, Any]) -> str:
    instalment = payload.get("instalment")
    return f"{instalment['id']} {instalment['attempt']}" if instalment else ""


def _payment(payload: Mapping[str, Any], books: Books) -> list[Posting]:
    """With its return, where the bank's bounce arrived before the debit."""
    posting = books.find(payload["payment"]["id"]) or _new_payment(payload, books)
    is_returned = posting.debit_key != "" and books.is_returned(posting.debit_key)
    return [posting, _returned(posting, "see its event")] if is_returned else [posting]


def _new_payment(payload: Mapping[str, Any], books: Books) -> Posting:
    payment, student = payload["payment"], payload.get("student")
    amount: Decimal = payment["amount"]
    known = student is not None and books.has_student(student["identifier"])
    identifier = student["identifier"] if known else None
    year = int(student["academic_year_start"]) if known else None
    return Posting(
        key=payment["id"],
        kind="payment",
        payment_id=payment["id"],
        amount=amount,
        lines=[Line("clearing", debit=amount), *_set_off(amount, identifier, year, books)],
        remark=f"Bursar {payment['product']} {payment['mode']} {payment['transaction_id']}",
        student=identifier,
        year=year,
        debit_key=debit_key_of(payload),
    )


def _set_off(amount: Decimal, student: str | None, year: int | None, books: Books) -> list[Line]:
    """The oldest fees first; what is more than is owed stays with the student as an advance."""
    if student is None or year is None:
        return [Line("suspense", credit=amount)]
    lines: list[Line] = []
    left = amount
    for fees, outstanding in books.open_fees(student, year):
        part = min(left, outstanding)
        if part > 0:
            lines.append(Line("receivable", credit=part, student=student, fees=fees))
            left -= part
    if left > 0:
        lines.append(Line("receivable", credit=left, student=student))
    return lines


def _refund(payload: Mapping[str, Any], books: Books) -> Posting:
    payment, refund = payload["payment"], payload["refund"]
    paid = books.find(payment["id"])
    if paid is None:
        raise Wait(f"payment {payment['id']}")
    return _back(paid, refund["id"], "refund", refund["amount"], f"Bursar refund of {payment['id']}")


def _return(payload: Mapping[str, Any], books: Books) -> list[Posting]:
    """None where nothing was debited: the bank returned it at once, or the debit is yet to arrive."""
    paid = books.find_debit(debit_key_of(payload))
    return [] if paid is None else [_returned(paid, payload["reason"]["message"])]


def _returned(paid: Posting, why: str) -> Posting:
    return _back(paid, f"return {paid.payment_id}", "return", paid.amount, f"Taken back by the bank: {why}")


def _back(paid: Posting, key: str, kind: str, amount: Decimal, remark: str) -> Posting:
    """Undoes the lines of the payment from the last one backwards, so that the oldest fees stay paid longest."""
    lines: list[Line] = []
    left = amount
    for line in reversed([line for line in paid.lines if line.credit > 0]):
        part = min(left, line.credit)
        if part > 0:
            lines.append(Line(line.account, debit=part, student=line.student, fees=line.fees))
            left -= part
    if left > 0:
        raise Wait(f"{key} is more than was paid")
    lines.append(Line("clearing", credit=amount))
    return Posting(
        key=key,
        kind=kind,
        payment_id=paid.payment_id,
        amount=amount,
        lines=lines,
        remark=remark,
        student=paid.student,
        year=paid.year,
    )


def settlement_posting(settlement: Mapping[str, Any]) -> Posting:
    """One transfer to the bank: what came in less what the provider kept and gave back."""
    net, charges = settlement["net"], settlement["charges"]
    taken = settlement["gross"] - settlement["refunds"]
    lines = [
        _signed("bank", net),
        _signed("charges", charges),
        _signed("clearing", -taken),
    ]
    return Posting(
        key=settlement["id"],
        kind="settlement",
        payment_id="",
        amount=net,
        lines=[line for line in lines if line.debit or line.credit],
        remark=f"Bursar settlement {settlement['utr']}",
    )


def _signed(account: str, amount: Decimal) -> Line:
    return Line(account, debit=amount) if amount >= 0 else Line(account, credit=-amount)
