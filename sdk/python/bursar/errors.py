"""Everything that this package raises."""

from __future__ import annotations

from typing import Any, Mapping, Sequence


class BursarError(Exception):
    pass


class ConnectionError(BursarError):
    """No answer: the connection failed or was cut. With its Idempotency-Key the request may be sent again."""


class TimeoutError(ConnectionError):
    """No answer in time."""


class SignatureError(BursarError):
    """A webhook that is not from Bursar, was changed on the way, or is too old."""


class ApiError(BursarError):
    """The API refused the request."""

    def __init__(
        self,
        message: str,
        *,
        http_status: int,
        code: str,
        request_id: str | None = None,
        fields: Sequence[Mapping[str, str]] = (),
        data: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.http_status = http_status
        #: A code of the error registry, such as HUE00000.
        self.code = code
        #: Quote it when you ask for help.
        self.request_id = request_id
        #: The fields to change: dictionaries of `key`, a dotted path, and `message`.
        self.fields = list(fields)
        #: Data that helps, such as the id of the resource in the way.
        self.data = dict(data or {})


class InvalidRequestError(ApiError):
    """HUE00000: the request has to change; `fields` names what."""


class AuthenticationError(ApiError):
    """AUE00000: no active API key, or the wrong secret."""


class PermissionError(ApiError):
    """AUE00001: the API key lacks the scope of the operation."""


class NotFoundError(ApiError):
    """HUE00001: no such resource in this institute."""


class ConflictError(ApiError):
    """HUE00002: the resource is in a state that does not allow it."""


class MethodNotAllowedError(ApiError):
    """HUE00003: the address does not serve this method."""


class TooLargeError(ApiError):
    """HUE00004: the body or file is too large."""


class IdempotencyMismatchError(ApiError):
    """IDE00000: the Idempotency-Key was used for another request."""


class IdempotencyInProgressError(ApiError):
    """IDE00001: the first request with this Idempotency-Key is still running."""


class RateLimitError(ApiError):
    """RLE00000: too many requests for this API key."""


class ServerError(ApiError):
    """SYE00000: a fault of the server."""


class UnavailableError(ServerError):
    """SYE00001: briefly unavailable."""


_CLASSES = {
    "HUE00000": InvalidRequestError,
    "HUE00001": NotFoundError,
    "HUE00002": ConflictError,
    "HUE00003": MethodNotAllowedError,
    "HUE00004": TooLargeError,
    "AUE00000": AuthenticationError,
    "AUE00001": PermissionError,
    "IDE00000": IdempotencyMismatchError,
    "IDE00001": IdempotencyInProgressError,
    "RLE00000": RateLimitError,
    "SYE00000": ServerError,
    "SYE00001": UnavailableError,
}


def class_of(code: str, http_status: int) -> type[ApiError]:
    """By its code; one that this version does not know is an ApiError, or a ServerError from 500 on."""
    return _CLASSES.get(code, ServerError if http_status >= 500 else ApiError)
