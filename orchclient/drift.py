"""Drift: what of a stack is not as it was after the last change of ours."""

import collections.abc
import dataclasses
import time
import typing

from orchclient import errors
from orchclient import models
from orchclient import response_parser
from orchclient import retry
from orchclient import stack_lookup
from orchclient import transport

IN_SYNC: typing.Final = "in_sync"
DRIFTED: typing.Final = "drifted"
UNKNOWN: typing.Final = "unknown"
NOTHING: typing.Final = "nothing"
STATES: typing.Final = (IN_SYNC, DRIFTED, UNKNOWN, NOTHING)
POLICIES: typing.Final = ("report", "repair", "accept", "adopt", "ignore")

INTERVAL_S: typing.Final = 0.5
PAGE: typing.Final = 1000
"""Resources of one answer at most."""
_PATIENCE_S: typing.Final = 60.0

Counts = collections.abc.Mapping[str, int]
Policy = collections.abc.Mapping[str, object]
"""``{"stack": POLICY, "resources": {PATTERN: {"policy": POLICY,
"properties": {NAME: POLICY}}}}``; each part may be missing."""


class ObservationTimeoutError(errors.Error):
    """The caller waits no longer; the observation goes on."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A property that has drifted.

    :ivar expected: its value after the last change of ours
    :ivar live: its value when it was looked at
    :ivar policy: what is to be done about it
    """

    property: str
    expected: object
    live: object
    policy: str = "report"

    @classmethod
    def of(cls, body: response_parser.Json) -> "Difference":
        """Return the difference that a body describes."""
        return cls(
            property=response_parser.needed_text(body, "property"),
            expected=body.get("expected"),
            live=body.get("live"),
            policy=response_parser.text(body, "policy"),
        )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    """What was seen of one resource.

    :ivar path: names from the outermost stack down: ``web/server``
    :ivar state: one of :data:`STATES`
    :ivar is_vanished: the thing is not there any more: it has drifted
    :ivar coverage: how many of its properties were compared, in percent
    :ivar reason: why it is unknown, or is not repaired any more
    :ivar observed_at: ``None`` for never
    :ivar drifted_at: when its drift was first seen
    """

    name: str
    path: str
    type: str
    state: str
    physical_id: str = ""
    is_vanished: bool = False
    coverage: int = 0
    reason: str = ""
    observed_at: models.Moment | None = None
    drifted_at: models.Moment | None = None
    policy: str = "report"
    differences: tuple[Difference, ...] = ()

    @classmethod
    def of(cls, body: response_parser.Json) -> "Thing":
        """Return the thing that a body describes."""
        return cls(
            name=response_parser.needed_text(body, "resource_name"),
            path=response_parser.needed_text(body, "path"),
            type=response_parser.text(body, "resource_type"),
            state=response_parser.needed_text(body, "state"),
            physical_id=response_parser.text(body, "physical_resource_id"),
            is_vanished=response_parser.boolean(body, "is_vanished"),
            coverage=response_parser.integer(body, "coverage"),
            reason=response_parser.text(body, "reason"),
            observed_at=response_parser.find_moment(body, "observed_at"),
            drifted_at=response_parser.find_moment(body, "drifted_at"),
            policy=response_parser.text(body, "policy"),
            differences=tuple(
                map(Difference.of, response_parser.maps(body, "differences"))
            ),
        )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class StackDrift:
    """What was seen of one stack of a tree.

    :ivar path: of the resource that it is; empty for the outermost one
    :ivar counts: how many resources there are by state
    """

    id: str
    name: str
    path: str
    state: str
    coverage: int
    counts: Counts
    things: tuple[Thing, ...] = ()

    @classmethod
    def of(cls, body: response_parser.Json) -> "StackDrift":
        """Return the stack that a body describes."""
        return cls(
            id=response_parser.needed_text(body, "id"),
            name=response_parser.text(body, "stack_name"),
            path=response_parser.text(body, "path"),
            state=response_parser.needed_text(body, "state"),
            coverage=response_parser.integer(body, "coverage"),
            counts=_counts(body),
            things=tuple(map(Thing.of, response_parser.maps(body, "things"))),
        )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What was seen of a stack and all stacks in it.

    :ivar state: ``drifted`` where anything has; else ``unknown`` where
        anything is not known; else ``in_sync``
    :ivar coverage: how many properties were compared, in percent
    :ivar counts: how many resources there are by state
    :ivar asked_at: when somebody asked last for an observation
    :ivar observed_at: when all was looked at; ``None`` for never
    :ivar age_s: seconds since then, as the service counts them
    :ivar due_at: when the observer looks next; ``None`` for when asked
    :ivar is_under_way: it is being looked at, or was asked for
    :ivar body: the report as the service wrote it
    """

    state: str
    coverage: int
    counts: Counts
    asked_at: models.Moment | None = None
    observed_at: models.Moment | None = None
    age_s: float | None = None
    due_at: models.Moment | None = None
    is_under_way: bool = False
    stacks: tuple[StackDrift, ...] = ()
    body: response_parser.Json = dataclasses.field(
        default_factory=dict, repr=False
    )

    @classmethod
    def of(cls, body: response_parser.Json) -> "Report":
        """Return the report that a body describes."""
        is_aged = body.get("age") is not None
        return cls(
            state=response_parser.needed_text(body, "state"),
            coverage=response_parser.integer(body, "coverage"),
            counts=_counts(body),
            asked_at=response_parser.find_moment(body, "asked_at"),
            observed_at=response_parser.find_moment(body, "observed_at"),
            age_s=response_parser.number(body, "age") if is_aged else None,
            due_at=response_parser.find_moment(body, "due_at"),
            is_under_way=response_parser.boolean(body, "is_under_way"),
            stacks=tuple(
                map(StackDrift.of, response_parser.maps(body, "stacks"))
            ),
            body=body,
        )

    @property
    def things(self) -> tuple[Thing, ...]:
        """Return all resources, stack by stack."""
        return tuple(each for stack in self.stacks for each in stack.things)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A drift that no template can say.

    :ivar property: ``None`` for the whole resource
    :ivar reason: why, for people
    """

    path: str
    property: str | None
    reason: str


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Adoption:
    """A template in which the drift of a stack is wanted.

    :ivar template: text
    :ivar changes: path and property of what differs from the stored one
    """

    template: str
    changes: tuple[tuple[str, str], ...] = ()
    left_out: tuple[LeftOut, ...] = ()

    @classmethod
    def of(cls, body: response_parser.Json) -> "Adoption":
        """Return what a body describes."""
        return cls(
            template=response_parser.needed_text(body, "template"),
            changes=tuple(
                (
                    response_parser.text(each, "path"),
                    response_parser.text(each, "property"),
                )
                for each in response_parser.maps(body, "changes")
            ),
            left_out=tuple(
                LeftOut(
                    path=response_parser.text(each, "path"),
                    property=response_parser.find_text(each, "property"),
                    reason=response_parser.text(each, "reason"),
                )
                for each in response_parser.maps(body, "left_out")
            ),
        )


class Drifts:
    """Tells of the drift of stacks, and what is to be done about it."""

    def __init__(
        self, sender: transport.Transport, clock: retry.Clock = time
    ) -> None:
        self._sender = sender
        self._clock = clock
        self._patience = retry.Patience(_PATIENCE_S, clock)

    def show(
        self,
        stack: models.Which,
        *,
        states: collections.abc.Sequence[str] = (),
    ) -> Report:
        """Return what was seen last of a stack and the stacks in it.

        It is read page by page; what is said of the whole is of the first.

        :param states: only resources that are so; all by default
        """
        found = stack_lookup.identify(self._sender, stack)
        pages: list[response_parser.Json] = []
        marker = None
        while True:
            answer = self._page(found.path, states, PAGE, marker)
            pages.append(response_parser.inner(answer, "drift"))
            marker = _last(pages[-1])
            if marker is None or models.find_link(answer, "next") is None:
                return Report.of(_joined(pages))

    def _page(
        self,
        path: str,
        states: collections.abc.Sequence[str],
        limit: int,
        marker: str | None,
    ) -> response_parser.Json:
        query: dict[str, object] = {"limit": limit, "marker": marker}
        if states:
            query["state"] = list(states)
        return response_parser.mapping(
            self._sender.get(f"{path}/drift", query)
        )

    def observe(self, stack: models.Which) -> models.Moment:
        """Ask for a look at the whole tree of a stack; return when it was.

        :meth:`show` tells of it once ``is_under_way`` is false.
        """
        found = stack_lookup.identify(self._sender, stack)
        answer = self._sender.ask_once(
            "POST", f"{found.path}/actions", {"observe": {}}
        )
        return response_parser.moment(
            response_parser.inner(answer, "drift"), "asked_at"
        )

    def refresh(
        self,
        stack: models.Which,
        *,
        states: collections.abc.Sequence[str] = (),
        interval_s: float = INTERVAL_S,
        timeout_s: float | None = None,
    ) -> Report:
        """Ask for a look, wait for its end, and return what was seen.

        :param timeout_s: ``None`` waits as long as it takes
        :raises ObservationTimeoutError: it goes on after that
        """
        found = stack_lookup.identify(self._sender, stack)
        self.observe(found)
        began = self._clock.monotonic()
        while True:
            if self._patience.ask(lambda: self._is_over(found)):
                return self._patience.ask(
                    lambda: self.show(found, states=states)
                )
            waited_s = self._clock.monotonic() - began
            if timeout_s is not None and waited_s >= timeout_s:
                raise ObservationTimeoutError(
                    f"The observation of {found.name} goes on after"
                    f" {timeout_s:g} seconds."
                )
            self._clock.sleep(interval_s)

    def _is_over(self, stack: models.StackIdentity) -> bool:
        """Answer whether it was looked at, and nobody does now."""
        answer = self._page(stack.path, (), 0, None)
        report = Report.of(response_parser.inner(answer, "drift"))
        return report.observed_at is not None and not report.is_under_way

    def accept(
        self,
        stack: models.Which,
        paths: collections.abc.Sequence[str] | None = None,
    ) -> tuple[str, ...]:
        """Take what was seen for how it shall be; return the paths.

        :param paths: of resources; ``None`` for all that have drifted
        :raises orchclient.errors.BadRequestError: one has no drift, or has
            vanished
        :raises orchclient.errors.ConflictError: an operation is under way
        """
        found = stack_lookup.identify(self._sender, stack)
        told = None if paths is None else {"resources": list(paths)}
        answer = self._sender.ask_once(
            "POST", f"{found.path}/actions", {"accept_drift": told}
        )
        return response_parser.texts(
            response_parser.mapping(answer), "accepted"
        )

    def template(self, stack: models.Which) -> Adoption:
        """Return a template in which the drift that was seen is wanted."""
        found = stack_lookup.identify(self._sender, stack)
        answer = self._sender.get(f"{found.path}/drift/template")
        return Adoption.of(response_parser.mapping(answer))

    def policy(self, stack: models.Which) -> Policy:
        """Return what is to be done about drift of a stack."""
        found = stack_lookup.identify(self._sender, stack)
        answer = self._sender.get(f"{found.path}/drift/policy")
        return response_parser.inner(answer, "policy")

    def set_policy(self, stack: models.Which, policy: Policy) -> Policy:
        """Say what is to be done about drift; return it as it is kept.

        :param stack: that is in no other
        :raises orchclient.errors.BadRequestError: it is no such policy
        """
        found = stack_lookup.identify(self._sender, stack)
        answer = self._sender.ask(
            "PUT", f"{found.path}/drift/policy", {"policy": dict(policy)}
        )
        return response_parser.inner(answer, "policy")


def _counts(body: response_parser.Json) -> Counts:
    found = response_parser.find_map(body, "resources")
    return {state: response_parser.integer(found, state) for state in STATES}


def _last(page: response_parser.Json) -> str | None:
    """Return the path of the last resource of a page."""
    things = [
        thing
        for stack in response_parser.maps(page, "stacks")
        for thing in response_parser.maps(stack, "things")
    ]
    return response_parser.needed_text(things[-1], "path") if things else None


def _joined(
    pages: collections.abc.Sequence[response_parser.Json],
) -> response_parser.Json:
    """Return pages as one; a stack may begin in one and go on in another."""
    if len(pages) == 1:
        return pages[0]
    stacks: dict[str, dict[str, object]] = {}
    things: dict[str, list[response_parser.Json]] = {}
    for page in pages:
        for each in response_parser.maps(page, "stacks"):
            found = response_parser.needed_text(each, "id")
            stacks.setdefault(found, dict(each))
            things.setdefault(found, []).extend(
                response_parser.maps(each, "things")
            )
    for found, each in stacks.items():
        each["things"] = things[found]
    return {**pages[0], "stacks": list(stacks.values())}
