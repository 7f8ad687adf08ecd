"""Formats times, durations, paths and values for users."""

import datetime
import json


def time_text(value: datetime.datetime | None) -> str:
    """Format a time in UTC, to the second; empty where there is none."""
    if value is None:
        return ""
    utc = value.astimezone(datetime.UTC)
    return utc.strftime("%Y-%m-%dT%H:%M:%SZ")


def span_text(seconds: float) -> str:
    """Format a duration: ``42 s``, ``3 min 05 s``, ``2 h 10 min``."""
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    minutes, seconds = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {seconds:02} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min"


def requester_text(
    cause: str, requested_by: str | None, policy_set_by: str | None
) -> str:
    """Format who asked for an operation, or what caused it.

    ``ann``, ``signal by bob``, ``repair, policy of ann``.
    """
    if cause == "request":
        return requested_by or ""
    by = f" by {requested_by}" if requested_by else ""
    policy = f", policy of {policy_set_by}" if policy_set_by else ""
    return f"{cause}{by}{policy}"


def path_text(names: tuple[str, ...]) -> str:
    """Format the path of a resource in a tree: ``group/0/server``."""
    return "/".join(names)


def value_text(content: object) -> str:
    """Format a value in one line."""
    if isinstance(content, str):
        return content
    return json.dumps(content, default=str, ensure_ascii=False)
