"""A webhook receiver on the Python client: SECRET_KEY=… PORT=3000 python3 receiver.py"""

import json
import os
import sqlite3
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, urlsplit

from bursar import SignatureError, verify_webhook

SECRET_KEY = os.environ["SECRET_KEY"]
MAX_BODY_BYTES = 1024 * 1024

# In your ERP: three tables of its database. The primary keys are what keeps a repeat from being booked twice.
db = sqlite3.connect(os.environ.get("BOOKS", ":memory:"), isolation_level=None)
db.executescript("""
    create table if not exists events (event_id text primary key);
    create table if not exists bookings (id text primary key, type text, payment_id text, amount text, instalment text);
    create table if not exists returned (instalment text primary key);
""")

# Money that reaches the institute. A settled event books too: it may be the first of its payment to arrive.
MONEY = {
    f"{what}.{state}"
    for what in ("pay.payment", "flex.downpayment", "flex.instalment")
    for state in ("debited", "settled")
}


def take(event):
    """All of an event once, or nothing of it."""
    db.execute("begin immediate")
    try:
        if db.execute("insert or ignore into events values (?)", [event["event_id"]]).rowcount == 1:
            book(event["event"], event["payload"])
        db.execute("commit")
    except BaseException:
        db.execute("rollback")
        raise


def book(code, payload):
    if code in MONEY:
        payment = payload["payment"]
        add(payment["id"], "payment", payment["id"], payment["amount"], debit_of(payload))
    elif code == "refund.processed":
        refund = payload["refund"]
        add(refund["id"], "refund", payload["payment"]["id"], refund["amount"], None)
    elif code == "flex.instalment.bounced":
        # At once or late: a debit of this attempt, booked before or after this event, does not count.
        db.execute("insert or ignore into returned values (?)", [debit_of(payload)])
    # Codes are added: what we do not know is none of our business.


def debit_of(payload):
    instalment = payload.get("instalment")
    return instalment and f"{instalment['id']} {instalment['attempt']}"


def add(row_id, kind, payment_id, amount, instalment):
    row = [row_id, kind, payment_id, str(amount), instalment]
    db.execute("insert or ignore into bookings values (?, ?, ?, ?, ?)", row)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        length = int(self.headers.get("content-length", 0))
        if length > MAX_BODY_BYTES:
            return self.answer(413)
        # The body as it came: one that was parsed and written again has another signature.
        raw_body = self.rfile.read(length)
        try:
            take(verify_webhook(raw_body, self.headers, SECRET_KEY))
        except SignatureError:
            return self.answer(401)
        except Exception as error:  # Not a 2xx: it is sent again.
            self.log_error("%r", error)
            return self.answer(500)
        self.answer(200)

    def do_GET(self):
        """What stands in the books of a payment, for tests; in production behind a password, or absent."""
        wanted = parse_qs(urlsplit(self.path).query).get("payment_id", [""])[0]
        query = """select type, id, amount from bookings where payment_id = ?
            and coalesce(instalment, '') not in (select instalment from returned)"""
        rows = db.execute(query, [wanted]).fetchall()
        self.answer(200, {"bookings": [dict(zip(("type", "id", "amount"), row)) for row in rows]})

    def answer(self, status, data=None):
        body = json.dumps({"status": "success" if status == 200 else "error", "data": data}).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_request(self, code="-", size="-"):
        pass


if __name__ == "__main__":
    server = HTTPServer(("127.0.0.1", int(os.environ.get("PORT", "3000"))), Receiver)
    print(f"listening on {server.server_port}", flush=True)
    server.serve_forever()
