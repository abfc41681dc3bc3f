"""Webhooks: who sent a delivery, and what it says."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import time
from typing import Any, Mapping, Sequence, cast

from .errors import SignatureError
from .json_codec import parse
from .types import WebhookEvent

_STANDARD_PREFIX = "whsec_"


def verify_webhook(
    raw_body: str | bytes,
    headers: Mapping[str, Any],
    secret: str | Sequence[str],
    *,
    tolerance_seconds: float = 300,
    now: float | None = None,
) -> WebhookEvent:
    """
    The event of a delivery, if it is genuine and at most five minutes old; raises SignatureError otherwise.

    `raw_body` is the body as it came, byte for byte: one that was parsed and written again has another signature.
    Several secrets may be given while one is replaced by another.
    """
    given = {name.lower(): value for name, value in headers.items()}
    names = ("webhook-id", "webhook-timestamp", "webhook-signature")
    if not all(isinstance(given.get(name), str) for name in names):
        raise SignatureError("The headers webhook-id, webhook-timestamp and webhook-signature are needed.")
    event_id, timestamp, signatures = (given[name] for name in names)
    moment = time.time() if now is None else now
    if not re.fullmatch(r"[0-9]{1,12}", timestamp) or abs(moment - int(timestamp)) > tolerance_seconds:
        raise SignatureError("The delivery is too old, or the clock of this machine is wrong.")
    body = raw_body.encode() if isinstance(raw_body, str) else bytes(raw_body)
    secrets = [secret] if isinstance(secret, str) else secret
    expected = [_sign(one, f"{event_id}.{timestamp}.".encode() + body) for one in secrets]
    sent = [one[len("v1,") :] for one in signatures.split(" ") if one.startswith("v1,")]
    if not any(hmac.compare_digest(one.encode(), other.encode()) for one in sent for other in expected):
        raise SignatureError("The signature does not fit the body and the secret.")
    return cast(WebhookEvent, parse(body))


def _sign(secret: str, signed: bytes) -> str:
    is_standard = secret.startswith(_STANDARD_PREFIX)
    key = base64.b64decode(secret[len(_STANDARD_PREFIX) :]) if is_standard else secret.encode()
    return base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
