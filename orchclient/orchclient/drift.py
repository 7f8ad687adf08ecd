"""Drift of stacks: reports, observations, policies and acceptance."""

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
from orchclient.values import drift as values
from orchclient.values import drift_report

IN_SYNC: typing.Final = "in_sync"
DRIFTED: typing.Final = "drifted"
UNKNOWN: typing.Final = "unknown"
NOTHING: typing.Final = "nothing"
STATES: typing.Final = (IN_SYNC, DRIFTED, UNKNOWN, NOTHING)
POLICIES: typing.Final = ("report", "repair", "accept", "adopt", "ignore")

INTERVAL_S: typing.Final = 0.5
PAGE: typing.Final = 1000
"""Resources of one answer at most."""
_RETRY_LIMIT_S: typing.Final = 60.0

Counts = collections.abc.Mapping[str, int]
Difference = values.Difference
PlaceDifference = values.PlaceDifference
DriftResource = values.DriftResource
StackDrift = values.StackDrift
Report = drift_report.Report
OmittedChange = values.OmittedChange
HistoryEntry = values.HistoryEntry
UncoveredProperty = values.UncoveredProperty
Pause = values.Pause
Policy = collections.abc.Mapping[str, object]
"""``{"stack": POLICY, "resources": {PATTERN: {"policy": POLICY,
"properties": {NAME: POLICY}}}}``; each part may be missing."""


class ObservationTimeoutError(errors.Error):
    """The caller waits no longer; the observation goes on."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Adoption:
    """A template that declares the observed drift of a stack.

    :ivar template: text
    :ivar changes: path and property of what differs from the stored one
    """

    template: str
    changes: tuple[tuple[str, str], ...] = ()
    omitted: tuple[OmittedChange, ...] = ()

    @classmethod
    def of(cls, body: response_parser.Json) -> "Adoption":
        """Return what a body describes."""
        return cls(
            template=response_parser.required_text(body, "template"),
            changes=tuple(
                (
                    response_parser.get_text(each, "path"),
                    response_parser.get_text(each, "property"),
                )
                for each in response_parser.get_maps(body, "changes")
            ),
            omitted=response_parser.get_values(
                body, "omitted", OmittedChange.of
            ),
        )


class Drifts:
    """Reports the drift of stacks, accepts it, and sets drift policies."""

    def __init__(
        self, sender: transport.Transport, clock: retry.Clock = time
    ) -> None:
        self._sender = sender
        self._clock = clock
        self._retry_policy = retry.RetryPolicy(_RETRY_LIMIT_S, clock)

    def show(
        self,
        stack: models.Which,
        *,
        states: collections.abc.Sequence[str] = (),
    ) -> Report:
        """Return the latest drift report of a stack and its child stacks.

        It is read page by page; the facts of the whole are the first page's.

        :param states: only resources in these states; all by default
        """
        found = stack_lookup.identify_stack(self._sender, stack)
        pages: list[response_parser.Json] = []
        marker = None
        while True:
            answer = self._page(found.path, states, PAGE, marker)
            pages.append(response_parser.get_map(answer, "drift"))
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
        return response_parser.read_map(
            self._sender.get(f"{path}/drift", query)
        )

    def observe(self, stack: models.Which) -> models.Moment:
        """Request an observation of a stack's whole tree; return the time.

        :meth:`show` has its result once ``in_progress`` is false.
        """
        found = stack_lookup.identify_stack(self._sender, stack)
        answer = self._sender.ask_once(
            "POST", f"{found.path}/actions", {"observe": {}}
        )
        return response_parser.required_time(
            response_parser.get_map(answer, "drift"), "requested_at"
        )

    def refresh(
        self,
        stack: models.Which,
        *,
        states: collections.abc.Sequence[str] = (),
        interval_s: float = INTERVAL_S,
        timeout_s: float | None = None,
    ) -> Report:
        """Request an observation, wait for its end, and return the report.

        :param timeout_s: ``None`` waits as long as it takes
        :raises ObservationTimeoutError: it goes on after that
        """
        found = stack_lookup.identify_stack(self._sender, stack)
        self.observe(found)
        began = self._clock.monotonic()
        while True:
            if self._retry_policy.ask(lambda: self._is_over(found)):
                return self._retry_policy.ask(
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
        """Whether the requested observation has ended."""
        answer = self._page(stack.path, (), 0, None)
        report = Report.of(response_parser.get_map(answer, "drift"))
        return report.observed_at is not None and not report.in_progress

    def accept(
        self,
        stack: models.Which,
        paths: collections.abc.Sequence[str] | None = None,
        *,
        properties: collections.abc.Mapping[str, collections.abc.Sequence[str]]
        | None = None,
    ) -> tuple[str, ...]:
        """Accept the observed drift as the desired state; return the paths.

        :param paths: of resources; ``None`` for all that have drifted, unless
            properties are named
        :param properties: names of single ones, or of places in them as
            reports show them, by path of their resource
        :raises orchclient.errors.BadRequestError: one has no drift, or has
            vanished
        :raises orchclient.errors.ConflictError: an operation is in progress
        """
        found = stack_lookup.identify_stack(self._sender, stack)
        content: dict[str, object] = {}
        if paths is not None:
            content["resources"] = list(paths)
        if properties:
            content["properties"] = {
                path: list(names) for path, names in properties.items()
            }
        answer = self._sender.ask_once(
            "POST", f"{found.path}/actions", {"accept_drift": content or None}
        )
        return response_parser.get_texts(
            response_parser.read_map(answer), "accepted"
        )

    def undo_accept(
        self,
        stack: models.Which,
        paths: collections.abc.Sequence[str] | None = None,
    ) -> tuple[str, ...]:
        """Undo the newest acceptance of resources; return the paths.

        They have drifted again, from the baseline of before.

        :param paths: of resources; ``None`` for all that can be undone
        :raises orchclient.errors.BadRequestError: no drift of one was accepted
        :raises orchclient.errors.ConflictError: an operation is in progress,
            or has changed one since
        """
        found = stack_lookup.identify_stack(self._sender, stack)
        content = None if paths is None else {"resources": list(paths)}
        answer = self._sender.ask_once(
            "POST", f"{found.path}/actions", {"undo_accept_drift": content}
        )
        return response_parser.get_texts(
            response_parser.read_map(answer), "undone"
        )

    def history(
        self, stack: models.Which, *, limit: int | None = None
    ) -> collections.abc.Iterator[HistoryEntry]:
        """Yield what has drifted in a stack and its child stacks.

        The newest entry is the first. Further pages are read on demand.

        :param limit: maximum of entries; ``None`` for all
        """
        found = stack_lookup.identify_stack(self._sender, stack)
        marker: str | None = None
        left = limit
        while left is None or left > 0:
            size = PAGE if left is None else min(left, PAGE)
            answer = response_parser.read_map(
                self._sender.get(
                    f"{found.path}/drift/history",
                    {"limit": size, "marker": marker},
                )
            )
            page = response_parser.get_values(
                answer, "history", HistoryEntry.of
            )
            yield from page
            if not page or models.find_link(answer, "next") is None:
                return
            marker = page[-1].id
            left = None if left is None else left - len(page)

    def template(self, stack: models.Which) -> Adoption:
        """Return a template that declares the observed drift."""
        found = stack_lookup.identify_stack(self._sender, stack)
        answer = self._sender.get(f"{found.path}/drift/template")
        return Adoption.of(response_parser.read_map(answer))

    def policy(self, stack: models.Which) -> Policy:
        """Return the drift policy of a stack."""
        found = stack_lookup.identify_stack(self._sender, stack)
        answer = self._sender.get(f"{found.path}/drift/policy")
        return response_parser.get_map(answer, "policy")

    def set_policy(self, stack: models.Which, policy: Policy) -> Policy:
        """Set the drift policy of a stack; return it as it is stored.

        :param stack: a root stack
        :raises orchclient.errors.BadRequestError: it is no such policy
        """
        found = stack_lookup.identify_stack(self._sender, stack)
        answer = self._sender.ask(
            "PUT", f"{found.path}/drift/policy", {"policy": dict(policy)}
        )
        return response_parser.get_map(answer, "policy")

    def find_pause(self) -> Pause:
        """Return whether the observer pauses for the project."""
        return _pause(self._sender.get("/drift/pause"))

    def pause(self, *, all_projects: bool = False) -> Pause:
        """Let the observer pause for the project; return the pause.

        :param all_projects: for all projects; for administrators
        """
        return self._ask("PUT", all_projects)

    def resume(self, *, all_projects: bool = False) -> Pause:
        """Let the observer go on, and stopped repairs of the project too.

        :param all_projects: end the pause of all projects
        """
        return self._ask("DELETE", all_projects)

    def _ask(self, method: str, all_projects: bool) -> Pause:
        query = {"all_projects": "true"} if all_projects else None
        return _pause(self._sender.ask(method, "/drift/pause", query=query))


def _pause(answer: object) -> Pause:
    body = response_parser.read_map(answer)
    return Pause.of(response_parser.get_map(body, "pause"))


def _last(page: response_parser.Json) -> str | None:
    """Return the path of the last resource of a page."""
    listed = [
        thing
        for stack in response_parser.get_maps(page, "stacks")
        for thing in response_parser.get_maps(stack, "resources")
    ]
    return (
        response_parser.required_text(listed[-1], "path") if listed else None
    )


def _joined(
    pages: collections.abc.Sequence[response_parser.Json],
) -> response_parser.Json:
    """Return pages as one; a stack may begin in one and go on in another."""
    if len(pages) == 1:
        return pages[0]
    stacks: dict[str, dict[str, object]] = {}
    listed: dict[str, list[response_parser.Json]] = {}
    for page in pages:
        for each in response_parser.get_maps(page, "stacks"):
            found = response_parser.required_text(each, "id")
            stacks.setdefault(found, dict(each))
            listed.setdefault(found, []).extend(
                response_parser.get_maps(each, "resources")
            )
    for found, each in stacks.items():
        each["resources"] = listed[found]
    return {**pages[0], "stacks": list(stacks.values())}
