"""The named checks that need no cloud (``ip_addr``, ``dns_name``, …).

Those that ask a service (``nova.flavor``) are left to the plug-in that uses
the value: here they pass.
"""

import collections.abc
import datetime
import functools
import ipaddress
import json
import re
import zoneinfo

_LABEL = re.compile(r"[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\Z")
_MAC = re.compile(
    r"([0-9A-Fa-f]{2}([:-]))([0-9A-Fa-f]{2}\2){4}[0-9A-Fa-f]{2}\Z"
)
_CRON = re.compile(r"(\*|\d+(-\d+)?)(/\d+)?(,(\*|\d+(-\d+)?)(/\d+)?)*\Z")
_CRON_NAMES = re.compile(r"[A-Za-z]{3}(-[A-Za-z]{3})?\Z")
_LONGEST_NAME = 255
_SERVICES = frozenset(
    {
        "aodh",
        "barbican",
        "blazar",
        "cinder",
        "designate",
        "glance",
        "heat",
        "ironic",
        "keystone",
        "magnum",
        "manila",
        "mistral",
        "neutron",
        "nova",
        "octavia",
        "sahara",
        "senlin",
        "trove",
        "zaqar",
        "zun",
    }
)


def failure(name: str, value: object) -> str | None:
    """Return why the value does not pass the named check, if so."""
    check = _CHECKS.get(name)
    if check is None:
        if name.partition(".")[0] in _SERVICES and "." in name:
            return None
        return f'"{value}" does not validate {name} (constraint not found)'
    try:
        check(value)
    except (ValueError, TypeError) as error:
        return f"Error validating value '{value}': {error}"
    return None


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not a string")
    return value


def _ip_addr(value: object) -> None:
    try:
        ipaddress.ip_address(_text(value))
    except ValueError:
        raise ValueError("Invalid IP address") from None


def _net_cidr(value: object) -> None:
    text = _text(value)
    try:
        ipaddress.ip_network(text, strict=False)
    except ValueError:
        raise ValueError(f"'{text}' is not a valid IP subnet") from None


def _mac_addr(value: object) -> None:
    if not _MAC.match(_text(value)):
        raise ValueError("Invalid MAC address")


def _dns_name(value: object) -> None:
    text = _text(value)
    if not text:
        return
    if len(text) > _LONGEST_NAME:
        raise ValueError(
            f"'{text}' exceeds the {_LONGEST_NAME} character FQDN limit"
        )
    labels = text.removesuffix(".").split(".")
    for label in labels:
        if not _LABEL.match(label):
            raise ValueError(
                f"'{text}' not in valid format. Reason: Name '{label}' must"
                " be 1-63 characters long, each of which can only be"
                " alphanumeric or a hyphen."
            )
    if len(labels) > 1 and labels[-1].isdigit():
        raise ValueError(
            f"'{text}' not in valid format. Reason: TLD '{labels[-1]}' must"
            " not be all numeric."
        )


def _rel_dns_name(value: object) -> None:
    _dns_name(value)
    if _text(value).endswith("."):
        raise ValueError(
            f"'{value}' is a FQDN. It should be a relative domain name."
        )


def _dns_domain(value: object) -> None:
    _dns_name(value)
    if value and not _text(value).endswith("."):
        raise ValueError(f"'{value}' must end with '.'.")


def _json_string(value: object) -> None:
    try:
        json.loads(_text(value))
    except ValueError as error:
        raise ValueError(f"JSON string expected, got: {error}") from None


def _iso_8601(value: object) -> None:
    try:
        datetime.datetime.fromisoformat(_text(value))
    except ValueError:
        raise ValueError("not an ISO 8601 date and time") from None


def _expiration(value: object) -> None:
    try:
        when = datetime.datetime.fromisoformat(_text(value).strip())
    except ValueError:
        raise ValueError(
            f'Expiration time "{value}" is invalid: not a date and time'
        ) from None
    if when.tzinfo is None:
        when = when.replace(tzinfo=datetime.UTC)
    if when <= datetime.datetime.now(datetime.UTC):
        raise ValueError(
            f'Expiration time "{value}" is invalid: it is in the past'
        )


def _timezone(value: object) -> None:
    if value and _text(value) not in _timezones():
        raise ValueError(f"Invalid timezone: '{value}'")


@functools.cache
def _timezones() -> frozenset[str]:
    return frozenset(zoneinfo.available_timezones())


def _cron_expression(value: object) -> None:
    if not value:
        return
    fields = _text(value).split()
    if len(fields) not in (5, 6):
        raise ValueError(
            "Invalid CRON expression: exactly 5 or 6 columns have to be"
            " specified"
        )
    for field in fields:
        if not _CRON.match(field) and not _CRON_NAMES.match(field):
            raise ValueError(f"Invalid CRON expression: [{field}]")


def _anything(value: object) -> None:
    """Pass: the check of Heat's test resource waits, and allows all."""


_CHECKS: collections.abc.Mapping[
    str, collections.abc.Callable[[object], None]
] = {
    "cron_expression": _cron_expression,
    "dns_domain": _dns_domain,
    "dns_name": _dns_name,
    "expiration": _expiration,
    "ip_addr": _ip_addr,
    "ip_or_cidr": _net_cidr,
    "iso_8601": _iso_8601,
    "json_string": _json_string,
    "mac_addr": _mac_addr,
    "net_cidr": _net_cidr,
    "rel_dns_name": _rel_dns_name,
    "test_constr": _anything,
    "timezone": _timezone,
}
