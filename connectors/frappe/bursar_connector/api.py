"""What Bursar calls, and what the buttons of the settings page do."""

import json

import frappe
from werkzeug.wrappers import Response

from bursar_connector import records, sync
from bursar.connector.mapping import fetch_answer
from bursar.connector.postings import EVENT_CODES


def _json(status, body):
    return Response(json.dumps(body), status=status, content_type="application/json")


@frappe.whitelist(methods=["GET"])
def fetch_student(identifier, academic_year_start=None, **_others):
    """Basic authentication with the API key and secret of the user in the settings; nobody else's records are its own."""
    _only_bursar()
    year = int(academic_year_start) if academic_year_start else None
    return _json(*fetch_answer(records.load(identifier, year)))


@frappe.whitelist(methods=["GET"])
def bookings(payment_id):
    """What is booked of a payment, for the integration check."""
    _only_bursar()
    rows = frappe.get_all("Bursar Booking", filters={"payment_id": payment_id}, fields=["name", "kind", "amount"])
    found = [{"type": row.kind, "id": row.name, "amount": row.amount} for row in rows]
    return _json(200, {"status": "success", "data": {"bookings": found}})


def _only_bursar():
    allowed = (sync.settings().erp_user, "Administrator")
    if frappe.session.user not in allowed:
        raise frappe.PermissionError


@frappe.whitelist(allow_guest=True, methods=["POST"])
def webhook():
    """Signed by Bursar, so no session is needed. Anything but a 2xx is sent again, and leaves nothing behind."""
    from bursar import SignatureError, verify_webhook

    settings = sync.settings()
    try:
        secret = settings.get_password("webhook_secret")
        event = verify_webhook(frappe.request.get_data(), dict(frappe.request.headers), secret)
    except SignatureError as error:
        return _json(401, {"status": "error", "message": str(error)})
    if event["event"] not in EVENT_CODES:
        return _json(200, {"status": "success"})
    user = frappe.session.user
    frappe.set_user("Administrator")
    try:
        sync.take(event)
    finally:
        frappe.set_user(user)
    return _json(200, {"status": "success"})


def _only_managers():
    frappe.only_for(("System Manager", "Accounts Manager"))


@frappe.whitelist(methods=["POST"])
def check_connection():
    """What works and what does not, in lines."""
    from bursar import BursarError

    _only_managers()
    try:
        bursar = sync.client()
        branches = ", ".join(one["name"] for one in bursar.list_branches())
        lines = [f"Bursar answers. Branches: {branches}."]
        codes = {one["event_code"] for one in bursar.list_webhooks()}
        missing = [code for code in EVENT_CODES if code not in codes]
        lines.append(f"Not subscribed: {', '.join(missing)}." if missing else "All webhooks are subscribed.")
        student = frappe.db.get_value("Program Enrollment", {"docstatus": 1}, "student")
        if student is None:
            return [*lines, "No student is enrolled, so fetch-student was not tried."]
        test = bursar.test_erp_fetch({"identifier": student})
        lines.append(f"Fetch-student for {student}: {test['outcome']}. {test.get('message', '')}")
        return lines
    except BursarError as error:
        return [f"Bursar cannot be used: {error}"]


@frappe.whitelist(methods=["POST"])
def subscribe():
    """Webhooks; in a sandbox the fetch-student endpoint too. In production an operator of Bursar sets that."""
    from bursar import NotFoundError

    _only_managers()
    settings, bursar = sync.settings(), sync.client()
    site = (settings.site_url or frappe.utils.get_url()).rstrip("/")
    for code in EVENT_CODES:
        bursar.add_webhook(
            {
                "event_code": code,
                "url": f"{site}/api/method/bursar_connector.api.webhook",
                "failure_notification_email": settings.failure_email,
                "secret_key": settings.get_password("webhook_secret"),
            }
        )
    lines = [f"Subscribed: {', '.join(EVENT_CODES)}."]
    url = f"{site}/api/method/bursar_connector.api.fetch_student"
    user = frappe.get_doc("User", settings.erp_user) if settings.erp_user else None
    if user is None or not user.api_key:
        return [*lines, "The user for fetch-student has no API key yet: generate one on its page."]
    try:
        bursar.set_sandbox_erp(
            {
                "url": url,
                "username": user.api_key,
                "password": user.get_password("api_secret"),
                "lookup": ["identifier", "academic_year_start", "academic_year_end"],
            }
        )
        return [*lines, f"Fetch-student is set to {url}."]
    except NotFoundError:
        return [*lines, f"Ask the operator of Bursar to set the fetch-student endpoint to {url}."]


@frappe.whitelist(methods=["POST"])
def push_now():
    _only_managers()
    frappe.enqueue("bursar_connector.sync.push_all", queue="long", job_id="bursar-push-all", deduplicate=True)
    return ["All students are being pushed; see the error log for those that are not ready."]
