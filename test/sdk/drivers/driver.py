"""The Python client behind the protocol of driver.ts."""

import base64
import json
import os
import re
import sys
from decimal import Decimal

from bursar import ApiError, Bursar, BursarError, List, verify_webhook

bursar = Bursar(
    os.environ["BURSAR_URL"],
    os.environ["BURSAR_KEY"],
    os.environ["BURSAR_SECRET"],
    timeout=int(os.environ["BURSAR_TIMEOUT_MS"]) / 1000,
)


def answer(question):
    if "verify" in question:
        asked = question["verify"]
        return verify_webhook(asked["body"], asked["headers"], asked["secret"], now=asked.get("now"))
    name = re.sub(r"[A-Z]", lambda letter: "_" + letter[0].lower(), question["call"])
    args = list(question["args"])
    keywords = {("from_" if key == "from" else key): value for key, value in question.get("query", {}).items()}
    if "file" in question:
        args.append(question["file"]["text"].encode())
        keywords["content_type"] = question["file"]["contentType"]
    if "idempotencyKey" in question.get("options", {}):
        keywords["idempotency_key"] = question["options"]["idempotencyKey"]
    result = getattr(bursar, name)(*args, **keywords)
    if isinstance(result, List):
        return list(result)
    return base64.b64encode(result).decode() if isinstance(result, bytes) else result


def describe(error):
    known = {"class": type(error).__name__, "message": str(error)}
    if isinstance(error, ApiError):
        known.update(
            code=error.code, fields=error.fields, request_id=error.request_id, http_status=error.http_status
        )
    return known


def write(value):
    if isinstance(value, Decimal):
        return format(value, "f")
    raise TypeError(type(value))


for line in sys.stdin:
    try:
        result = {"value": answer(json.loads(line))}
    except BursarError as error:
        result = {"error": describe(error)}
    print(json.dumps(result, default=write), flush=True)
