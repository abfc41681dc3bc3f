"""A client of the Bursar fee collection API, on the standard library alone."""

from .client import List
from .errors import (
    ApiError,
    AuthenticationError,
    BursarError,
    ConflictError,
    ConnectionError,
    IdempotencyInProgressError,
    IdempotencyMismatchError,
    InvalidRequestError,
    MethodNotAllowedError,
    NotFoundError,
    PermissionError,
    RateLimitError,
    ServerError,
    SignatureError,
    TimeoutError,
    TooLargeError,
    UnavailableError,
)
from .operations import Bursar
from .webhooks import verify_webhook

__all__ = [
    "ApiError",
    "AuthenticationError",
    "Bursar",
    "BursarError",
    "ConflictError",
    "ConnectionError",
    "IdempotencyInProgressError",
    "IdempotencyMismatchError",
    "InvalidRequestError",
    "List",
    "MethodNotAllowedError",
    "NotFoundError",
    "PermissionError",
    "RateLimitError",
    "ServerError",
    "SignatureError",
    "TimeoutError",
    "TooLargeError",
    "UnavailableError",
    "verify_webhook",
]
