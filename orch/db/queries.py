"""What may be asked of lists: filters, order, and where to go on."""

import collections.abc
import dataclasses

Filters = collections.abc.Mapping[str, collections.abc.Sequence[str]]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class StackQuery:
    """Which stacks, in which order.

    :ivar project_id: the owner; not looked at with ``all_projects``
    :ivar limit: how many at most; ``None`` for all
    :ivar marker: id of the stack after which to go on; one that names
        nothing is passed over
    :ivar sort_keys: among ``name``, ``status``, ``created_at``,
        ``updated_at``; others are passed over; without any the newest comes
        first
    :ivar sort_dir: ``asc`` or ``desc``
    :ivar filters: column to allowed values, any of them: ``id``, ``name``,
        ``action``, ``status``, ``project_id``, ``username``, ``parent_id``,
        ``disable_rollback``, ``timeout_mins``; other columns are passed over
    :ivar tags: has all of these
    :ivar tags_any: has any of these
    :ivar not_tags: has not all of these
    :ivar not_tags_any: has none of these
    :ivar show_deleted: stacks that are gone as well
    :ivar show_nested: nested ones as well as roots; so does a filter on
        ``parent_id``
    """

    project_id: str = ""
    limit: int | None = None
    marker: str | None = None
    sort_keys: tuple[str, ...] = ()
    sort_dir: str | None = None
    filters: Filters = dataclasses.field(default_factory=dict)
    tags: tuple[str, ...] = ()
    tags_any: tuple[str, ...] = ()
    not_tags: tuple[str, ...] = ()
    not_tags_any: tuple[str, ...] = ()
    show_deleted: bool = False
    show_nested: bool = False
    all_projects: bool = False


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class LeftoverQuery:
    """Which left-over physical resources; the newest come first.

    :ivar limit: how many at most; ``None`` for all
    :ivar marker: id of the one after which to go on; one that names nothing
        is passed over
    :ivar stack: id or name of the root of the stack that has left them
    :ivar type_name: of their resources
    :ivar since: left at this moment or later
    """

    project_id: str
    limit: int | None = None
    marker: str | None = None
    stack: str | None = None
    type_name: str | None = None
    since: float | None = None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class EventQuery:
    """Which events, in which order.

    :ivar limit: how many at most; ``None`` for all
    :ivar marker: id of the event after which to go on; one that names
        nothing is passed over
    :ivar sort_keys: among ``event_time``, ``resource_type``; others are
        passed over; without any they come as they happened
    :ivar sort_dir: ``asc`` or ``desc``
    :ivar resource_name: of this resource only
    :ivar filters: column to allowed values, any of them:
        ``resource_status``, ``resource_action``, ``resource_name``,
        ``resource_type``; other columns are passed over
    """

    limit: int | None = None
    marker: str | None = None
    sort_keys: tuple[str, ...] = ()
    sort_dir: str | None = None
    resource_name: str | None = None
    filters: Filters = dataclasses.field(default_factory=dict)
