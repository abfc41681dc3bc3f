import dataclasses
import random
import unittest
from datetime import date
from decimal import Decimal

from bursar.connector import mapping

ASHA = mapping.Guardian("EDU-GRD-1", "Asha Rao", "asha@example.in", "9876543210")
RAVI = mapping.Guardian("EDU-GRD-2", "Ravi Rao", "ravi@example.in", "9876543211")
KABIR = mapping.Student(
    identifier="EDU-STU-1",
    fullname="Kabir Rao",
    program="Class 5",
    year_start=2026,
    year_end=2027,
    is_new=False,
    date_of_birth=date(2015, 6, 20),
    guardians=[ASHA, RAVI],
    fees=[("Tuition Fee", Decimal("40000.00")), ("Transport", Decimal("11500.50")), ("Tuition Fee", Decimal("10"))],
)


def changed(**changes):
    return dataclasses.replace(KABIR, **changes)


class Registering(unittest.TestCase):
    def test_each_parent_who_can_be_reached_is_a_user_of_the_one_student(self):
        unreachable = mapping.Guardian("EDU-GRD-3", "Uncle", "", "")
        bodies = mapping.register_bodies(changed(guardians=[unreachable, ASHA, RAVI]))
        self.assertEqual([name for name, _ in bodies], ["EDU-GRD-1", "EDU-GRD-2"])
        self.assertEqual(bodies[0][1]["student"], bodies[1][1]["student"])
        self.assertEqual(bodies[0][1]["student"]["primary_contact_name"], "Asha Rao")

    def test_fees_of_one_category_add_up_exactly(self):
        [(_, body), _] = mapping.register_bodies(KABIR)
        self.assertEqual(
            body["fee_components"],
            [
                {"component_type": "TUITION_FEE", "fee_amount": Decimal("40010.00")},
                {"component_type": "TRANSPORT", "fee_amount": Decimal("11500.50")},
            ],
        )

    def test_two_categories_that_read_alike_are_refused(self):
        with self.assertRaises(mapping.NotReady):
            mapping.components(changed(fees=[("Tuition Fee", Decimal(1)), ("Tuition-Fee", Decimal(1))]))

    def test_money_taken_in_frappe_goes_along_under_its_voucher(self):
        paid = mapping.Payment("ACC-PAY-1", Decimal("100.01"), date(2026, 6, 1), "cash")
        [(_, body), _] = mapping.register_bodies(changed(payments=[paid]))
        [sent] = body["payments"]
        self.assertEqual(sent["transaction_id"], "ACC-PAY-1")
        self.assertEqual(sum(line["amount"] for line in sent["fee_components"]), Decimal("100.01"))

    def test_parts_add_up_to_the_paisa_whatever_the_weights(self):
        chance = random.Random(1)
        for _ in range(500):
            weights = [(str(i), Decimal(chance.randrange(1, 10**7)) / 100) for i in range(chance.randrange(1, 6))]
            amount = Decimal(chance.randrange(1, 10**8)) / 100
            parts = mapping.in_proportion(amount, weights)
            self.assertEqual(sum(part for _, part in parts), amount)
            self.assertTrue(all(part >= 0 for _, part in parts))


class Fetching(unittest.TestCase):
    def code(self, student):
        status, body = mapping.fetch_answer(student)
        return body.get("code", status)

    def test_every_answer_of_the_contract(self):
        self.assertEqual(self.code(None), "student_not_found")
        self.assertEqual(self.code(changed(is_enabled=False)), "student_discontinued")
        moved = changed(is_enabled=False, reason_for_leaving="Transferred to the north branch")
        self.assertEqual(self.code(moved), "student_transferred")
        self.assertEqual(self.code(changed(fees=[])), "data_error")
        self.assertEqual(self.code(changed(guardians=[])), "data_error")
        self.assertEqual(self.code(KABIR), 200)

    def test_a_record_has_text_where_the_contract_has_text(self):
        _, body = mapping.fetch_answer(KABIR)
        self.assertEqual(body["data"]["student"]["academic_year_start"], "2026")
        self.assertEqual(body["data"]["fee_components"][1], {"component_type": "TRANSPORT", "fee_amount": "11500.50"})


class Comparing(unittest.TestCase):
    def test_only_what_differs_is_shown(self):
        ours = [("A", 2026, Decimal("1.00")), ("B", 2026, Decimal("2.00"))]
        theirs = [("A", 2026, Decimal("1")), ("B", 2026, Decimal("3")), ("C", 2026, Decimal("4"))]
        self.assertEqual(
            mapping.differences(ours, theirs),
            [("B", 2026, Decimal("2.00"), Decimal("3")), ("C", 2026, None, Decimal("4"))],
        )


if __name__ == "__main__":
    unittest.main()
