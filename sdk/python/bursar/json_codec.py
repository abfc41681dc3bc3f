"""JSON with exact money: amounts are read as Decimal from the digits that were sent, and written as text."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from .amounts import AMOUNTS

_TWO_DECIMALS = Decimal("0.01")


def parse(text: str | bytes) -> Any:
    return json.loads(text, parse_float=Decimal, object_pairs_hook=_read_object)


def _read_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    return {key: _read_field(key, value) for key, value in pairs}


def _read_field(key: str, value: Any) -> Any:
    if key in AMOUNTS and isinstance(value, (int, Decimal)) and not isinstance(value, bool):
        return _read_amount(Decimal(value))
    return value


def _read_amount(amount: Decimal) -> Decimal:
    # An amount has no third decimal. One that has is given as it came: rounding would hide it.
    return amount if amount.as_tuple().exponent < -2 else amount.quantize(_TWO_DECIMALS)


def write(value: Any) -> bytes:
    return json.dumps(value, default=_write_decimal, ensure_ascii=False).encode()


def _write_decimal(value: Any) -> str:
    if isinstance(value, Decimal):
        return format(value, "f")
    raise TypeError(f"{type(value).__name__} cannot be sent as JSON")
