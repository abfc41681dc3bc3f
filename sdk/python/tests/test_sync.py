import unittest
from decimal import Decimal

from bursar.connector import sync
from tests.test_mapping import KABIR, changed


class Page:
    def __init__(self, pages):
        self.pages = pages

    def page(self, cursor):
        return self.pages[cursor]

    def __iter__(self):
        return (one for page, _ in self.pages.values() for one in page)


class Sandbox:
    """Answers as the client does, and keeps what it was asked."""

    def __init__(self, students=(), pages=None, settlements=()):
        self.students, self.pages, self.settlements, self.asked = students, pages, settlements, []

    def register_student(self, registration_id, body):
        self.asked.append(("register", registration_id))
        return {"service_student_id": "stu_1"}

    def list_students(self, **_filters):
        return self.students

    def drop_student(self, service_id):
        self.asked.append(("drop", service_id))

    def activate_student(self, service_id):
        self.asked.append(("activate", service_id))

    def list_events(self, **_filters):
        return Page(self.pages)

    def list_settlements(self, **_filters):
        return self.settlements


def known(status):
    return [{"service_student_id": "stu_1", "status": status}]


class Pushing(unittest.TestCase):
    def test_a_student_is_registered_by_every_parent_and_taken_back_only_if_dropped(self):
        running = Sandbox(known("active"))
        self.assertEqual(sync.push(running, KABIR), "stu_1")
        self.assertEqual([what for what, _ in running.asked], ["register", "register"])
        dropped = Sandbox(known("dropped"))
        sync.push(dropped, KABIR)
        self.assertEqual(dropped.asked[-1], ("activate", "stu_1"))

    def test_who_left_is_dropped_once_and_never_made(self):
        left = changed(is_enabled=False)
        for students, asked in ((known("active"), [("drop", "stu_1")]), (known("dropped"), []), ([], [])):
            sandbox = Sandbox(students)
            sync.push(sandbox, left)
            self.assertEqual(sandbox.asked, asked)


class CatchingUp(unittest.TestCase):
    def test_events_come_page_by_page_from_the_cursor_and_an_empty_last_page_moves_nothing(self):
        first, second = [{"event_id": "evt_2"}], [{"event_id": "evt_3"}]
        pages = {"evt_1": (first, "evt_2"), "evt_2": (second, "evt_3"), "evt_3": ([], None)}
        self.assertEqual(list(sync.pages_of_events(Sandbox(pages=pages), "evt_1")), [first, second])

    def test_amounts_of_a_kept_event_are_exact(self):
        event = sync.parse('{"payload": {"payment": {"amount": 51500.50}, "refund": {"amount": "0.10"}}}')
        self.assertEqual(event["payload"]["payment"]["amount"], Decimal("51500.50"))
        self.assertEqual(event["payload"]["refund"]["amount"], Decimal("0.10"))


class Reporting(unittest.TestCase):
    def test_students_events_and_transfers_that_differ_are_listed_and_nothing_else(self):
        def there(identifier, amount):
            return {"identifier": identifier, "academic_year_start": 2026, "fee_summary": {"outstanding": Decimal(amount)}}

        sandbox = Sandbox(
            [there("A", "1.00"), there("B", "2.00"), there("C", "3.00")],
            settlements=[{"id": "stl_1", "utr": "U1", "net": Decimal("9.00")}, {"id": "stl_2", "utr": "U2", "net": Decimal("8.00")}],
        )
        ours = [("A", 2026, Decimal("1.00")), ("B", 2026, Decimal("2.50"))]
        waiting = [{"name": "evt_1", "code": "refund.processed", "note": "Waits for payment pay_1"}]
        rows = sync.report(sandbox, ours, waiting, {"stl_1"})
        self.assertEqual(
            [(row["what"], row["about"], row["here"], row["there"]) for row in rows],
            [
                ("Outstanding differs", "B 2026", "2.50", "2.00"),
                ("Only on one side", "C 2026", "", "3.00"),
                ("Event waits", "refund.processed evt_1", "Waits for payment pay_1", ""),
                ("Transfer is not booked", "U2", "", "8.00"),
            ],
        )
