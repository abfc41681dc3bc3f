import random
import unittest
from decimal import Decimal

from bursar.connector import postings

D = Decimal


class MemoryBooks:
    """The books as dictionaries: what Frappe's documents are to the connector."""

    def __init__(self, fees):
        self.fees = dict(fees)
        self.booked = {}
        self.waiting = []
        self.returned = set()

    def is_returned(self, debit_key):
        return debit_key in self.returned

    def find(self, key):
        return self.booked.get(key)

    def find_debit(self, debit_key):
        return next((one for one in self.booked.values() if one.debit_key == debit_key != ""), None)

    def has_student(self, identifier):
        return identifier == "EDU-STU-1"

    def open_fees(self, student, year):
        return [(name, amount) for name, amount in sorted(self.fees.items()) if amount > 0]

    def take(self, event):
        """As the connector does: what waits is tried again after each booking."""
        if event["event"] == "flex.instalment.bounced":
            self.returned.add(postings.debit_key_of(event["payload"]))
        try:
            new = postings.postings_of(event, self)
        except postings.Wait:
            self.waiting.append(event)
            return
        for posting in new:
            self.booked[posting.key] = posting
            for line in posting.lines:
                if line.fees:
                    self.fees[line.fees] += line.debit - line.credit
        if new:
            waiting, self.waiting = self.waiting, []
            for one in waiting:
                self.take(one)

    def sum_of(self, account):
        lines = [line for posting in self.booked.values() for line in posting.lines if line.account == account]
        return sum((line.debit - line.credit for line in lines), D(0))


def paid(payment_id, amount, code="pay.payment.debited", **more):
    payment = {"id": payment_id, "amount": D(amount), "product": "pay", "mode": "upi", "transaction_id": "T1"}
    student = {"identifier": "EDU-STU-1", "academic_year_start": 2026}
    return {"event": code, "payload": {"payment": payment, "student": student, **more}}


def refunded(payment_id, refund_id, amount):
    payload = {"payment": {"id": payment_id}, "refund": {"id": refund_id, "amount": D(amount)}}
    return {"event": "refund.processed", "payload": payload}


def bounced(instalment):
    return {
        "event": "flex.instalment.bounced",
        "payload": {"instalment": instalment, "reason": {"message": "Not enough money"}},
    }


class Booking(unittest.TestCase):
    def setUp(self):
        self.books = MemoryBooks({"FEE-1": D("40000.00"), "FEE-2": D("11500.50")})

    def test_a_payment_settles_the_oldest_fees_first_and_leaves_nothing_open(self):
        self.books.take(paid("pay_1", "51500.50"))
        self.assertEqual(self.books.fees, {"FEE-1": D("0.00"), "FEE-2": D("0.00")})
        self.assertEqual(self.books.sum_of("clearing"), D("51500.50"))

    def test_two_events_of_one_payment_and_repeats_are_booked_once(self):
        for event in [paid("pay_1", "100.10"), paid("pay_1", "100.10", "pay.payment.settled"), paid("pay_1", "100.10")]:
            self.books.take(event)
        self.assertEqual(list(self.books.booked), ["pay_1"])

    def test_what_is_more_than_owed_stays_with_the_student(self):
        self.books.take(paid("pay_1", "60000.00"))
        last = self.books.booked["pay_1"].lines[-1]
        self.assertEqual((last.student, last.fees, last.credit), ("EDU-STU-1", None, D("8499.50")))

    def test_money_of_nobody_known_goes_to_suspense(self):
        event = paid("pay_1", "10.00")
        del event["payload"]["student"]
        self.books.take(event)
        self.assertEqual(self.books.sum_of("suspense"), D("-10.00"))

    def test_a_refund_opens_the_fees_again_also_when_it_arrives_first(self):
        self.books.take(refunded("pay_1", "rfd_1", "1500.50"))
        self.assertEqual(self.books.booked, {})
        self.books.take(paid("pay_1", "51500.50"))
        self.books.take(refunded("pay_1", "rfd_1", "1500.50"))
        self.assertEqual(self.books.fees, {"FEE-1": D("0.00"), "FEE-2": D("1500.50")})
        self.assertEqual(self.books.sum_of("clearing"), D("50000.00"))

    def test_a_debit_that_the_bank_takes_back_opens_its_fees_again_once(self):
        instalment = {"id": "inst_1", "attempt": 1}
        self.books.take(paid("pay_1", "40000.00", "flex.instalment.debited", instalment=instalment))
        for _ in range(2):
            self.books.take(bounced(instalment))
        self.assertEqual(self.books.fees["FEE-1"], D("40000.00"))
        self.assertEqual(self.books.sum_of("clearing"), D(0))

    def test_a_debit_whose_return_arrived_first_counts_for_nothing(self):
        instalment = {"id": "inst_1", "attempt": 1}
        self.books.take(bounced(instalment))
        self.books.take(paid("pay_1", "40000.00", "flex.instalment.debited", instalment=instalment))
        self.assertEqual(self.books.fees["FEE-1"], D("40000.00"))
        self.assertEqual(self.books.sum_of("clearing"), D(0))

    def test_a_return_opens_the_fees_that_its_debit_had_settled_whichever_event_brings_it(self):
        instalment = {"id": "inst_1", "attempt": 1}
        self.books.take(paid("pay_1", "40000.00", "flex.instalment.debited", instalment=instalment))
        self.books.fees["FEE-2"] = D(0)
        # Known of, but not acted on: the settled event that follows makes up for it.
        self.books.returned.add("inst_1 1")
        self.books.take(paid("pay_1", "40000.00", "flex.instalment.settled", instalment=instalment))
        self.assertEqual(self.books.fees["FEE-1"], D("40000.00"))

    def test_a_bounce_of_what_was_never_debited_books_nothing(self):
        self.books.take(bounced({"id": "inst_1", "attempt": 1}))
        self.books.take({"event": "flex.instalment.skipped", "payload": {}})
        self.books.take({"event": "something.new", "payload": {}})
        self.assertEqual(self.books.booked, {})

    def test_every_entry_balances_and_any_order_comes_to_the_same_sum(self):
        chance = random.Random(7)
        for _ in range(100):
            amounts = [D(chance.randrange(1, 10**6)) / 100 for _ in range(5)]
            events = [paid(f"pay_{i}", amount) for i, amount in enumerate(amounts)]
            events += [refunded(f"pay_{i}", f"rfd_{i}", amount / 2) for i, amount in enumerate(amounts)]
            events += [chance.choice(events) for _ in range(5)]
            chance.shuffle(events)
            books = MemoryBooks({"FEE-1": D("9000.00"), "FEE-2": D("3000.00")})
            for event in events:
                books.take(event)
            for posting in books.booked.values():
                self.assertEqual(sum(line.debit for line in posting.lines), sum(line.credit for line in posting.lines))
            self.assertEqual(len(books.booked), 10)
            self.assertEqual(books.sum_of("clearing"), sum(amounts) - sum(amount / 2 for amount in amounts))


class Settling(unittest.TestCase):
    def test_a_transfer_balances_also_where_refunds_outweigh_payments(self):
        for gross, charges, refunds in [("1000.00", "11.80", "0.00"), ("100.00", "0.00", "300.00")]:
            settlement = {"id": "stl_1", "utr": "U1", "gross": D(gross), "charges": D(charges), "refunds": D(refunds)}
            settlement["net"] = D(gross) - D(charges) - D(refunds)
            posting = postings.settlement_posting(settlement)
            self.assertEqual(sum(line.debit for line in posting.lines), sum(line.credit for line in posting.lines))


if __name__ == "__main__":
    unittest.main()
