"""Facts of the processes that report."""

import typing


class ServiceFacts(typing.TypedDict, total=False):
    """One process that reports; ``is_up`` by the database's clock."""

    id: str
    host: str
    binary: str
    topic: str
    report_interval_s: int
    is_up: bool
    created_at: float
    updated_at: float
