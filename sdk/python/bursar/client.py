"""One HTTP exchange with its retries; operations.py has a method for each operation."""

from __future__ import annotations

import base64
import http.client
import json
import random
import socket
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from typing import Any, Callable, Generic, Iterator, Mapping, TypeVar

from .errors import ApiError, ConnectionError, TimeoutError, class_of
from .json_codec import parse, write

Item = TypeVar("Item")

_FIRST_WAIT_S = 0.5
_LONGEST_WAIT_S = 8.0
# Who is asked to wait longer than this is told so instead.
_LONGEST_RETRY_AFTER_S = 60.0
_RETRIED = frozenset({429, 502, 503, 504})


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


class Client:
    def __init__(
        self,
        base_url: str,
        api_key: str,
        api_secret: str,
        *,
        timeout: float = 30.0,
        max_retries: int = 4,
    ) -> None:
        """`timeout`: seconds of one attempt. `max_retries`: attempts after the first."""
        self._base_url = base_url.rstrip("/")
        self._authorization = "Basic " + base64.b64encode(f"{api_key}:{api_secret}".encode()).decode()
        self._timeout = timeout
        self._max_retries = max_retries
        self._opener = urllib.request.build_opener(_NoRedirect)

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        idempotency_key: str | None = None,
    ) -> Any:
        """Any request, such as an operation that this version does not know; gives the whole envelope."""
        return self._send(method, path, query=query, body=body, idempotency_key=idempotency_key)[0]

    def _one(self, method: str, path: str, **sent: Any) -> Any:
        return self._send(method, path, **sent)[0].get("data")

    def _file(self, method: str, path: str, **sent: Any) -> bytes:
        return self._send(method, path, is_file=True, **sent)[1]

    def _list(self, path: str, query: Mapping[str, Any] | None) -> "List[Any]":
        return List(lambda cursor: self.request("GET", path, query={**(query or {}), **cursor}))

    def _send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        file: bytes | None = None,
        content_type: str | None = None,
        idempotency_key: str | None = None,
        is_file: bool = False,
    ) -> tuple[Any, bytes]:
        headers = {"Authorization": self._authorization, "Accept": "*/*" if is_file else "application/json"}
        if method != "GET":
            # Kept over all retries: nothing is done twice.
            headers["Idempotency-Key"] = idempotency_key or str(uuid.uuid4())
        data = file
        if file is not None:
            headers["Content-Type"] = content_type or "text/csv"
        elif body is not None:
            data = write(body)
            headers["Content-Type"] = "application/json"
        request = urllib.request.Request(
            self._base_url + path + _query_of(query), data=data, headers=headers, method=method
        )
        for attempt in range(self._max_retries + 1):
            try:
                return self._attempt(request, is_file)
            except _Retryable as failure:
                wait = _wait_before(attempt, failure.retry_after)
                if attempt == self._max_retries or wait is None:
                    raise failure.error from failure.error.__cause__
                time.sleep(wait)
        raise AssertionError("unreachable")

    def _attempt(self, request: urllib.request.Request, is_file: bool) -> tuple[Any, bytes]:
        what = f"{request.get_method()} {urllib.parse.urlsplit(request.full_url).path}"
        try:
            with self._opener.open(request, timeout=self._timeout) as response:
                status, headers, content = response.status, response.headers, response.read()
        except urllib.error.HTTPError as error:
            with error:
                status, headers, content = error.code, error.headers, _read_quietly(error)
        except (urllib.error.URLError, http.client.HTTPException, OSError) as error:
            raise _Retryable(_no_answer(what, error), None) from error
        if 200 <= status < 300 and is_file:
            return {}, content
        envelope = _read_envelope(content)
        if 200 <= status < 300 and envelope.get("status") == "success":
            return envelope, content
        code = str(envelope.get("code", "UNKNOWN"))
        refusal = class_of(code, status)(
            envelope.get("message") or f"{what} was answered by {status}, not by Bursar",
            http_status=status,
            code=code,
            request_id=envelope.get("request_id") or headers.get("X-Request-Id"),
            fields=envelope.get("errors") or (),
            data=envelope.get("data"),
        )
        # Never a refusal: that would be refused again.
        if status in _RETRIED or code == "IDE00001":
            raise _Retryable(refusal, _retry_after_of(headers.get("Retry-After")))
        raise refusal


class List(Generic[Item]):
    """All items of a list, asked for page by page as they are read: `for order in bursar.list_pay_orders():`"""

    def __init__(self, read: Callable[[dict[str, str]], Any]) -> None:
        self._read = read

    def page(self, cursor: str | None = None) -> tuple[list[Item], str | None]:
        """One page and the cursor of the next: the first page, or the one behind a cursor."""
        answer = self._read({} if cursor is None else {"cursor": cursor})
        return answer["data"], answer.get("next_cursor")

    def __iter__(self) -> Iterator[Item]:
        items, cursor = self.page()
        yield from items
        while cursor is not None:
            items, cursor = self.page(cursor)
            yield from items


class _Retryable(Exception):
    def __init__(self, error: ApiError | ConnectionError, retry_after: float | None) -> None:
        super().__init__(str(error))
        self.error = error
        self.retry_after = retry_after


def _no_answer(what: str, error: Exception) -> ConnectionError:
    reason = getattr(error, "reason", error)
    if isinstance(reason, (socket.timeout, TimeoutError)):
        return TimeoutError(f"{what}: no answer in time")
    return ConnectionError(f"{what}: no answer ({reason})")


def _read_quietly(error: urllib.error.HTTPError) -> bytes:
    try:
        return error.read()
    except (http.client.HTTPException, OSError):
        return b""


def _read_envelope(content: bytes) -> dict[str, Any]:
    try:
        envelope = parse(content)
    except (json.JSONDecodeError, UnicodeDecodeError):
        return {}
    return envelope if isinstance(envelope, dict) else {}


def _retry_after_of(header: str | None) -> float | None:
    return float(header) if header is not None and header.isdigit() else None


def _wait_before(attempt: int, retry_after: float | None) -> float | None:
    """None: it is not tried again. The wait doubles, with jitter, so that many clients do not come back at once."""
    if retry_after is not None and retry_after > _LONGEST_RETRY_AFTER_S:
        return None
    longest = min(_LONGEST_WAIT_S, _FIRST_WAIT_S * 2**attempt)
    return (longest / 2 if retry_after is None else retry_after) + random.random() * longest / 2


def _query_of(query: Mapping[str, Any] | None) -> str:
    sent = {name: value for name, value in (query or {}).items() if value is not None}
    return "?" + urllib.parse.urlencode(sent) if sent else ""
