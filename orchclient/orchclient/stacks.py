"""Stacks: create, update, delete, show, list, actions, retry."""

import collections.abc
import typing

from orchclient import errors
from orchclient import models
from orchclient import packaging
from orchclient import plans
from orchclient import request_bodies
from orchclient import response_parser
from orchclient import stack_lookup
from orchclient import transport

Document = dict[str, object]
Names = collections.abc.Sequence[str]
Package = packaging.Package

_PAGE: typing.Final = 100
_ACTIONS: typing.Final = ("suspend", "resume", "check")


class Filters(typing.TypedDict, total=False):
    """Filters of a list of stacks; a sequence means: one of these.

    ``status``: ``FAILED`` or ``CREATE_FAILED``. ``tags``, ``not_tags``: has
    all of these, has not all of these; ``tags_any``, ``not_tags_any``: one
    of them. ``sort_keys``: ``stack_name``, ``stack_status``,
    ``creation_time``, ``updated_time``; ``sort_dir``: ``asc``, ``desc``.
    """

    name: str | Names
    id: str | Names
    status: str | Names
    action: str | Names
    username: str | Names
    owner_id: str | Names
    tags: Names
    tags_any: Names
    not_tags: Names
    not_tags_any: Names
    show_deleted: bool
    show_nested: bool
    global_tenant: bool
    sort_keys: Names
    sort_dir: str


class Stacks:
    """The stacks of a project.

    What changes a stack returns once the service has accepted it durably;
    when the connection breaks it is sent again, and done once.
    :class:`orchclient.waiters.Waiters` waits for the end. Each method that
    takes a stack raises :class:`orchclient.errors.NotFoundError` where there
    is none.
    """

    def __init__(self, sender: transport.Transport) -> None:
        self._sender = sender

    def identify(self, stack: models.Which) -> models.StackIdentity:
        """Return name and id of a stack."""
        return stack_lookup.identify_stack(self._sender, stack)

    def find(self, stack: models.Which) -> models.Stack | None:
        """Return a stack, ``None`` where there is none, or no longer."""
        try:
            found = self.show(stack, with_outputs=False)
        except errors.NotFoundError:
            return None
        is_gone = found.status == models.Status("DELETE", "COMPLETE")
        return None if is_gone else found

    def show(
        self, stack: models.Which, *, with_outputs: bool = True
    ) -> models.Stack:
        """Return a stack; by its id a deleted one too.

        :param with_outputs: without them the answer comes sooner
        """
        found = self.identify(stack)
        answer = self._sender.send(
            "GET", found.path, query={"resolve_outputs": with_outputs}
        )
        body = response_parser.get_map(transport.parse_body(answer), "stack")
        return models.Stack.of(body, answer.headers.get("ETag"))

    def list(
        self,
        *,
        limit: int | None = None,
        page_size: int = _PAGE,
        **filters: typing.Unpack[Filters],
    ) -> collections.abc.Iterator[models.Stack]:
        """Yield stacks, page by page as they are needed.

        :param limit: so many at most
        """
        query: dict[str, object] = {"limit": page_size}
        for key, value in filters.items():
            is_words = key.endswith(("tags", "tags_any"))
            query[key] = _comma(value) if is_words else value
        left = limit
        while left is None or left > 0:
            if left is not None:
                query["limit"] = min(page_size, left)
            answer = response_parser.read_map(
                self._sender.get("/stacks", query)
            )
            found = response_parser.get_maps(answer, "stacks")
            yield from map(models.Stack.of, found)
            # The service may have pages that are smaller than ours.
            if not found or models.find_link(answer, "next") is None:
                return
            query["marker"] = response_parser.required_text(found[-1], "id")
            left = None if left is None else left - len(found)

    def create(
        self,
        name: str,
        source: Package,
        *,
        idempotency_key: str | None = None,
        **request: typing.Unpack[request_bodies.CreateRequest],
    ) -> models.StackIdentity:
        """Request the creation of a stack; return its identity.

        :param source: template and files
        :param idempotency_key: a request that is repeated with the same key
            gives the first one's stack
        :raises orchclient.errors.BadRequestError: the template is wrong;
            ``problems`` has all that is
        :raises orchclient.errors.ConflictError: the project has that name
        """
        body = {
            "stack_name": name,
            **request_bodies.creation_body(source, request),
        }
        answer = self._sender.ask_once(
            "POST", "/stacks", body, key=idempotency_key
        )
        return created_stack(answer)

    def preview(
        self,
        name: str,
        source: Package,
        **request: typing.Unpack[request_bodies.CreateRequest],
    ) -> plans.Plan:
        """Preview a creation."""
        body = {
            "stack_name": name,
            **request_bodies.creation_body(source, request),
        }
        answer = self._sender.ask("POST", "/stacks/preview", body)
        stack = response_parser.get_map(answer, "stack")
        return plans.Plan.of(response_parser.get_map(stack, "plan"))

    def update(
        self,
        stack: models.Which,
        source: Package | None = None,
        *,
        if_match: str | None = None,
        **request: typing.Unpack[request_bodies.UpdateRequest],
    ) -> models.StackIdentity:
        """Request the update of a stack; return its identity.

        :param source: template and files; without them, and with
            ``existing``, what is not named remains
        :param if_match: the ETag that the stack must still have
        :raises orchclient.errors.PreconditionFailedError: it has another
        """
        found = self.identify(stack)
        method, body = request_bodies.update_body(source, request)
        self._sender.ask_once(method, found.path, body, headers=_if(if_match))
        return found

    def delete(
        self,
        stack: models.Which,
        *,
        keep_going: bool | None = None,
        if_match: str | None = None,
    ) -> models.StackIdentity:
        """Request the deletion of a stack; return its identity."""
        found = self.identify(stack)
        query = {"keep_going": keep_going}
        self._sender.ask_once(
            "DELETE", found.path, query=query, headers=_if(if_match)
        )
        return found

    def suspend(
        self,
        stack: models.Which,
        **request: typing.Unpack[request_bodies.RunRequest],
    ) -> models.StackIdentity:
        """Request the suspension of a stack."""
        return self._act(stack, "suspend", dict(request))

    def resume(
        self,
        stack: models.Which,
        **request: typing.Unpack[request_bodies.RunRequest],
    ) -> models.StackIdentity:
        """Request the resumption of a stack."""
        return self._act(stack, "resume", dict(request))

    def check(
        self,
        stack: models.Which,
        **request: typing.Unpack[request_bodies.RunRequest],
    ) -> models.StackIdentity:
        """Request a check of all physical resources of a stack."""
        return self._act(stack, "check", dict(request))

    def cancel(
        self, stack: models.Which, *, rollback: bool = True
    ) -> models.StackIdentity:
        """Request the cancellation of the running operation.

        :param rollback: roll an update back; else all ends as it is
        """
        action = "cancel_update" if rollback else "cancel_without_rollback"
        return self._act(stack, action, None)

    def retry(
        self,
        stack: models.Which,
        action: str | None = None,
        *,
        snapshot_id: str | None = None,
        **request: typing.Unpack[request_bodies.RetryRequest],
    ) -> models.StackIdentity:
        """Request a retry of the failed operation, with stored inputs.

        :param action: that must have failed: ``create``, ``update``,
            ``delete``, ``suspend``, ``resume``, ``check``, ``snapshot`` or
            ``restore``; ``None``: whatever has
        :param snapshot_id: of a restore
        :raises orchclient.errors.ConflictError: nothing has failed, another
            action has, or one is in progress
        """
        found = self.identify(stack)
        options = request_bodies.retry_body(request)
        if action is None:
            return self._act(found, "retry", options)
        if action in _ACTIONS:
            return self._act(found, action, {"retry": True, **options})
        if action == "delete":
            query = {"retry": True, **options}
            self._sender.ask_once("DELETE", found.path, query=query)
            return found
        method, path = _retried(found, action, snapshot_id)
        body: Document = {"retry": True, **options}
        if action == "create":
            body["stack_name"] = found.name
        self._sender.ask_once(method, path, body)
        return found

    def template(self, stack: models.Which) -> Document:
        """Return the template in force."""
        return self._document(stack, "template")

    def environment(self, stack: models.Which) -> Document:
        """Return the environment in force; hidden values are redacted."""
        return self._document(stack, "environment")

    def files(self, stack: models.Which) -> dict[str, str]:
        """Return the files beside the template: name to text."""
        found = self._document(stack, "files")
        return {name: str(text) for name, text in found.items()}

    def outputs(self, stack: models.Which) -> tuple[models.Output, ...]:
        """Return the outputs of a stack, without their values."""
        found = self.identify(stack)
        answer = self._sender.get(f"{found.path}/outputs")
        return tuple(
            map(models.Output.of, response_parser.get_maps(answer, "outputs"))
        )

    def output(self, stack: models.Which, key: str) -> models.Output:
        """Return an output with its value."""
        path = (
            f"{self.identify(stack).path}/outputs/{transport.quote_part(key)}"
        )
        answer = self._sender.get(path)
        return models.Output.of(response_parser.get_map(answer, "output"))

    def _act(
        self, stack: models.Which, action: str, value: Document | None
    ) -> models.StackIdentity:
        found = self.identify(stack)
        self._sender.ask_once("POST", f"{found.path}/actions", {action: value})
        return found

    def _document(self, stack: models.Which, what: str) -> Document:
        found = self.identify(stack)
        return dict(
            response_parser.read_map(self._sender.get(f"{found.path}/{what}"))
        )


def created_stack(answer: object) -> models.StackIdentity:
    """Return the stack that the response to a creation names."""
    href = models.find_link(response_parser.get_map(answer, "stack"), "self")
    if href is None:
        raise errors.AnswerError("The link to the new stack is missing.")
    return models.StackIdentity.of_url(href)


def _retried(
    stack: models.StackIdentity, action: str, snapshot_id: str | None
) -> tuple[str, str]:
    """Return method and path of the request that retries an action."""
    snapshots = f"{stack.path}/snapshots"
    if action == "restore":
        if snapshot_id is None:
            raise ValueError("a restore is of a snapshot: give its id")
        return (
            "POST",
            f"{snapshots}/{transport.quote_part(snapshot_id)}/restore",
        )
    found = {
        "create": ("POST", "/stacks"),
        "update": ("PATCH", stack.path),
        "snapshot": ("POST", snapshots),
    }
    if action not in found:
        raise ValueError(f"no such action can be retried: {action}")
    return found[action]


def _comma(value: object) -> object:
    return ",".join(value) if isinstance(value, list | tuple) else value


def _if(etag: str | None) -> dict[str, str]:
    return {} if etag is None else {"If-Match": etag}
