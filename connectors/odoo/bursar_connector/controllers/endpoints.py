"""What Bursar calls: webhooks, signed; fetch-student and the bookings of the integration check, by name and password."""

import hmac
import json

from bursar import SignatureError, verify_webhook
from bursar.connector.mapping import fetch_answer
from bursar.connector.postings import EVENT_CODES
from odoo import http
from odoo.http import request

OPTIONS = {"type": "http", "auth": "public", "csrf": False, "save_session": False}


def answer(status, body):
    return request.make_response(json.dumps(body), [("Content-Type", "application/json")], status=status)


class BursarEndpoints(http.Controller):
    @http.route("/bursar/webhook", methods=["POST"], **OPTIONS)
    def webhook(self):
        """Anything but a 2xx is sent again, and leaves nothing behind. Two at once are booked one after the other."""
        settings = request.env["bursar.settings"].sudo().the_one()
        headers = dict(request.httprequest.headers)
        try:
            event = verify_webhook(request.httprequest.get_data(), headers, settings.webhook_secret or "")
        except SignatureError as error:
            return answer(401, {"status": "error", "message": str(error)})
        if event["event"] in EVENT_CODES:
            settings.take(event)
        return answer(200, {"status": "success"})

    @http.route("/bursar/fetch_student", methods=["GET"], **OPTIONS)
    def fetch_student(self, identifier="", academic_year_start="", **_others):
        settings = self._allowed()
        if settings is None:
            return self._refused()
        year = int(academic_year_start) if academic_year_start.isdigit() else None
        status, body = fetch_answer(settings.load(identifier, year))
        return answer(status, body)

    @http.route("/bursar/bookings", methods=["GET"], **OPTIONS)
    def bookings(self, payment_id="", **_others):
        if self._allowed() is None:
            return self._refused()
        rows = request.env["bursar.booking"].sudo().search([("payment_id", "=", payment_id)])
        found = [{"type": one.kind, "id": one.name, "amount": one.amount} for one in rows]
        return answer(200, {"status": "success", "data": {"bookings": found}})

    def _allowed(self):
        settings = request.env["bursar.settings"].sudo().the_one()
        given = request.httprequest.authorization
        if given is None or given.type != "basic" or not settings.fetch_password:
            return None
        name = hmac.compare_digest((given.username or "").encode(), (settings.fetch_name or "").encode())
        password = hmac.compare_digest((given.password or "").encode(), settings.fetch_password.encode())
        return settings if name and password else None

    def _refused(self):
        return answer(401, {"status": "error", "code": "unauthorized", "message": "Wrong name or password."})
