"""The named checks that need no cloud (``ip_addr``, ``dns_name``, …).

Those that ask a service (``nova.flavor``) pass here: see
:mod:`orch.template.service_constraints`.
"""

import collections.abc
import datetime
import difflib
import functools
import ipaddress
import re
import zoneinfo

from orch import json_depth
from orch.plugin import constraints as plugin_constraints
from orch.template.parameters import cron

_LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\Z")
_MAC = re.compile(
    r"X{1,2}([:-])(X{1,2}\1){4}X{1,2}|X{1,4}([:.-])X{1,4}\3X{1,4}"
    r"|X{5,6}[:-]X{5,6}|X{11,12}".replace("X", "[0-9A-Fa-f]")
)
_PREFIX = re.compile(r"0|[1-9][0-9]{0,2}")
_YEAR_OR_MONTH = re.compile(r"([0-9]{4})(-[0-9]{2})?")
_MAX_NAME_LENGTH = 255
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


def find_failure(name: str, value: object) -> str | None:
    """Return why the value does not pass the named check, if so."""
    check = _CHECKS.get(name)
    if check is None:
        if name.partition(".")[0] in _SERVICES and "." in name:
            return None
        if name in plugin_constraints.load_constraints():
            return None
        return (
            f'"{value}" does not validate {name} (constraint not found).'
            f" {_advice(name)}"
        ).strip()
    try:
        check(value)
    except (ValueError, TypeError) as error:
        return failure_text(value, str(error))
    return None


def failure_text(value: object, reason: str) -> str:
    """Return why a value is wrong, in Heat's words.

    :param reason: of the check
    """
    return f"Error validating value '{value}': {reason}"


def _advice(name: str) -> str:
    """Return which check may have been meant."""
    near = difflib.get_close_matches(name[:_MAX_NAME_LENGTH], _CHECKS, n=1)
    return f"Did you mean {near[0]}?" if near else ""


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not a string")
    return value


def _ip_addr(value: object) -> None:
    text = _text(value)
    try:
        if "%" in text:
            raise ValueError("a zone belongs to one host")
        ipaddress.ip_address(text)
    except ValueError:
        raise ValueError("Invalid IP address") from None


def _net_cidr(value: object) -> None:
    text = _text(value)
    address, _, prefix = text.partition("/")
    try:
        _ip_addr(address)
        if not _PREFIX.fullmatch(prefix):
            raise ValueError("the prefix is no number")
        ipaddress.ip_network(text, strict=False)
    except ValueError:
        raise ValueError(f"'{text}' is not a valid IP subnet") from None


def _ip_or_cidr(value: object) -> None:
    (_net_cidr if "/" in _text(value) else _ip_addr)(value)


def _mac_addr(value: object) -> None:
    if not _MAC.fullmatch(_text(value)):
        raise ValueError("Invalid MAC address")


def _dns_name(value: object) -> None:
    if not value:
        return
    text = _text(value)
    if len(text) > _MAX_NAME_LENGTH:
        raise ValueError(
            f"'{text}' exceeds the {_MAX_NAME_LENGTH} character FQDN limit"
        )
    labels = text.removesuffix(".").split(".")
    for label in labels:
        if not _LABEL.match(label):
            raise ValueError(
                f"'{text}' not in valid format. Reason: Name '{label}' must"
                " be 1-63 characters long, each of which can only be a"
                " small letter, a digit or a hyphen."
            )
    if text.endswith(".") and len(labels) > 1 and labels[-1].isdigit():
        raise ValueError(
            f"'{text}' not in valid format. Reason: TLD '{labels[-1]}' must"
            " not be all numeric."
        )


def _rel_dns_name(value: object) -> None:
    _dns_name(value)
    if value and _text(value).endswith("."):
        raise ValueError(
            f"'{value}' is a FQDN. It should be a relative domain name."
        )


def _dns_domain(value: object) -> None:
    _dns_name(value)
    if value and not _text(value).endswith("."):
        raise ValueError(f"'{value}' must end with '.'.")


def _json_string(value: object) -> None:
    try:
        json_depth.parse_json(_text(value))
    except ValueError as error:
        raise ValueError(f"JSON string expected, got: {error}") from None


def _parse_time(text: str) -> datetime.datetime:
    """Return the moment that a text names; the first of a year or month.

    :raises ValueError: it names none
    """
    short = _YEAR_OR_MONTH.fullmatch(text)
    if short is not None:
        text = f"{short[1]}{short[2] or '-01'}-01"
    elif "W" in text:
        raise ValueError("weeks are not known")
    return datetime.datetime.fromisoformat(text)


def _iso_8601(value: object) -> None:
    try:
        _parse_time(_text(value))
    except ValueError:
        raise ValueError("not an ISO 8601 date and time") from None


def _expiration(value: object) -> None:
    if not value:
        return
    try:
        when = _parse_time(_text(value).strip())
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
    try:
        cron.check_crontab(_text(value))
    except ValueError as error:
        raise ValueError(f"Invalid CRON expression: {error}") from None


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
    "ip_or_cidr": _ip_or_cidr,
    "iso_8601": _iso_8601,
    "json_string": _json_string,
    "mac_addr": _mac_addr,
    "net_cidr": _net_cidr,
    "rel_dns_name": _rel_dns_name,
    "test_constr": _anything,
    "timezone": _timezone,
}
