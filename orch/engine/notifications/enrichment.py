"""Complete notifications with the path and inputs of their stacks.

The event itself was stored with the fact. What is the same in each
notification of a stack is added when they are sent: its path in its tree, its
parameters, its template, its outputs. Much of it is then read once for a
batch, and no operation waits for it.
"""

import collections.abc
import dataclasses
import logging
import typing
import urllib.parse

import cachetools
from oslo_config import cfg

from orch import clock
from orch import errors
from orch import ids
from orch.conf import notifications as conf_notifications
from orch.context import request
from orch.db import engine as db_engine
from orch.db import errors as db_errors
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine.notifications import redaction as payload_redaction
from orch.engine.queries import outputs
from orch.engine.secrets import redaction
from orch.engine.secrets import tree_secrets
from orch.events import payload_size
from orch.events import payloads
from orch.model import marked
from orch.model import notification
from orch.model import stack as stack_model
from orch.model import states
from orch.template import template

LOG = logging.getLogger(__name__)

_MAX_CACHED: typing.Final = 512
# Characters; a larger value is built anew each time.
_MAX_CACHED_CHARACTERS: typing.Final = 20_000
_NO_SECRETS: typing.Final = redaction.Redaction()
"""Redacts addresses and names alone; holds no texts in memory."""

Payload: typing.TypeAlias = collections.abc.Mapping[str, object]
PendingNotifications: typing.TypeAlias = collections.abc.Sequence[
    notification.Notification
]


@dataclasses.dataclass(frozen=True, slots=True)
class Settings:
    """What notifications contain.

    :ivar template: one of the words of ``[notifications] template``
    :ivar outputs: whether they have the outputs of stacks too
    :ivar public_url: base of links, without a path; empty for no links
    """

    template: str = conf_notifications.HASH
    outputs: bool = False
    region: str = ""
    public_url: str = ""

    @classmethod
    def from_conf(cls, conf: cfg.ConfigOpts) -> typing.Self:
        """Return the settings that the options give."""
        group = conf.notifications
        return cls(
            template=group.template,
            outputs=group.outputs,
            region=group.region or conf.clients.region_name,
            public_url=conf.api.public_url.rstrip("/"),
        )


@dataclasses.dataclass(frozen=True, slots=True)
class _Declared:
    """The redacted inputs of a stack, and what redacts the rest."""

    parameters: dict[str, object] | None = None
    template: object = None
    redacts: redaction.Redaction = redaction.BLIND


@dataclasses.dataclass(frozen=True, slots=True)
class _Place:
    """The place of a stack in its tree.

    :ivar path: names from the root to it; ``None`` where that is not known
    :ivar redacts: redacts what is sensitive in the stack
    """

    path: str | None
    redacts: redaction.Redaction


class Enricher:
    """Completes notifications in batches; one thread uses it."""

    def __init__(
        self, deps: dependencies.Dependencies, settings: Settings
    ) -> None:
        """Begin with an empty cache."""
        self._deps = deps
        self._settings = settings
        self._cache: cachetools.LRUCache[tuple[object, ...], _Declared] = (
            cachetools.LRUCache(_MAX_CACHED)
        )

    def __call__(
        self, waiting: PendingNotifications
    ) -> list[notification.Notification]:
        """Return the notifications as consumers get them.

        What cannot be read of a stack is null.

        :raises orch.db.errors.DatabaseDown: no answer
        """

        def work(connection: db_engine.Connection) -> list[dict[str, object]]:
            turn = _Batch(
                self._deps,
                connection,
                self._settings,
                self._cache,
            )
            return [turn.completed(each.payload) for each in waiting]

        completed = self._deps.database.query(work)
        for each, payload in zip(waiting, completed, strict=True):
            if payloads.INPUTS in each.payload:
                payload["outputs"] = self._find_outputs(each)
        return [
            dataclasses.replace(
                each, payload=payload_size.shrink_payload(payload)
            )
            for each, payload in zip(waiting, completed, strict=True)
        ]

    def _find_outputs(
        self, payload: notification.Notification
    ) -> dict[str, object] | None:
        """Return the outputs of a stack after its action, if configured."""
        is_end = (
            payload.payload.get("status"),
            payload.payload.get("action"),
        ) in {(states.Status.COMPLETE, each) for each in states.BRINGING_ABOUT}
        if not self._settings.outputs or not is_end:
            return None
        try:
            return self._read_outputs(payload)
        except db_errors.DatabaseDown:
            raise
        except Exception as error:
            is_known = isinstance(error, errors.OrchError)
            LOG.warning(
                "outputs of stack %s are not sent: %s",
                payload.stack_id,
                error,
                exc_info=None if is_known else error,
            )
            return None

    def _read_outputs(
        self, payload: notification.Notification
    ) -> dict[str, object] | None:
        """Return the outputs, unless the stack has changed since."""
        deps = self._deps
        stack_id = ids.StackId(str(payload.payload["stack_identity"]))

        def look(
            connection: db_engine.Connection,
        ) -> (
            tuple[stack_model.Stack, template.Template, redaction.Redaction]
            | None
        ):
            stack = stacks.find(connection, stack_id)
            if stack is None or _inputs_of(payload.payload) != (
                stack.template_hash,
                stack.environment_hash,
            ):
                return None
            parsed_template = deps.templates.find(connection, stack)
            if parsed_template is None:
                return None
            redacts = tree_secrets.redaction_of(
                connection, deps.templates.find, stack
            )
            return stack, parsed_template, redacts

        found = deps.database.query(look)
        if found is None:
            return None
        stack, parsed_template, redacts = found
        requested_by = request.RequestContext.from_stored(payload.context)
        resolved = outputs.resolve_stored(
            deps, requested_by, stack, parsed_template
        )
        return outputs.redact_outputs(resolved, redacts)


class _Batch:
    """A batch of notifications, within one transaction."""

    def __init__(
        self,
        deps: dependencies.Dependencies,
        connection: db_engine.Connection,
        settings: Settings,
        kept: cachetools.LRUCache[tuple[object, ...], _Declared],
    ) -> None:
        self._templates = deps.templates
        self._connection = connection
        self._settings = settings
        self._cache = kept
        self._places: dict[str, _Place] = {}
        self._secrets: dict[str, frozenset[str]] = {}

    def completed(self, payload: Payload) -> dict[str, object]:
        """Return the payload as consumers get it."""
        found = dict(payload)
        found["region"] = self._settings.region or None
        is_member = payloads.MEMBER in found
        if found.pop(payloads.INPUTS, None) is None and not is_member:
            return found
        found["links"] = _links(self._settings.public_url, payload)
        path = None
        declared = _Declared()
        redactions = [redaction.BLIND]
        try:
            path = self._find_path(payload)
            if is_member:
                redactions = [self._redaction_of(payload)]
            else:
                declared = self._find_declared(payload)
                redactions = [declared.redacts]
                if payload_redaction.has_ids(payload):
                    redactions.append(self._redaction_of(payload))
        except db_errors.DatabaseDown:
            raise
        except Exception as error:
            is_known = isinstance(error, errors.OrchError)
            LOG.warning(
                "a notification of stack %s leaves without its inputs: %s",
                payload.get("stack_identity"),
                error,
                exc_info=None if is_known else error,
            )
        for each in redactions:
            found = payload_redaction.redact_payload(found, each)
        if is_member:
            found["path"] = _below(path, str(payload[payloads.MEMBER]))
            return found
        found["path"] = path
        found["parameters"] = declared.parameters
        found["template"] = declared.template
        if self._settings.template == conf_notifications.NO_TEMPLATE:
            found["template_hash"] = None
        failed = typing.cast(list[Payload], found["failed_resources"])
        found["failed_resources"] = [
            {**each, "path": _failed_path(path, each)} for each in failed
        ]
        return found

    def _find_path(self, payload: Payload) -> str | None:
        """Return the path of a stack; ``None`` where that is not known."""
        parent_id = payload["parent_id"]
        if parent_id is None:
            return str(payload["stack_name"])
        place = self._place_of(ids.StackId(str(parent_id)))
        name = str(payload["parent_resource"] or payload["stack_name"])
        return _below(place.path, name)

    def _redaction_of(self, payload: Payload) -> redaction.Redaction:
        """Return what is redacted in a stack as it is and as it was."""
        stack_id = ids.StackId(str(payload["stack_identity"]))
        return self._place_of(stack_id).redacts

    def _place_of(self, stack_id: ids.StackId) -> _Place:
        if stack_id not in self._places:
            self._places[stack_id] = self._look_up(stack_id)
        return self._places[stack_id]

    def _look_up(self, stack_id: ids.StackId) -> _Place:
        stack = stacks.find(self._connection, stack_id)
        if stack is None:
            return _Place(None, redaction.BLIND)
        redacts = tree_secrets.redaction_of(
            self._connection,
            self._templates.find,
            stack,
            secrets=self._secrets_of(stack.root_id),
        )
        if stack.parent_id is None:
            return _Place(stack.name, redacts)
        parent = self._place_of(stack.parent_id)
        name = stack.parent_resource or stack.name
        return _Place(_below(parent.path, name), redacts)

    def _secrets_of(self, root_id: str) -> frozenset[str]:
        """Return what the resources of a tree have that is sensitive."""
        if root_id not in self._secrets:
            self._secrets[root_id] = tree_secrets.read(
                self._connection, ids.StackId(root_id)
            )
        return self._secrets[root_id]

    def _find_declared(self, payload: Payload) -> _Declared:
        secrets = self._secrets_of(str(payload["root_id"]))
        key = (payload["stack_identity"], *_inputs_of(payload), secrets)
        found = self._cache.get(key)
        if found is not None:
            return found
        found = self._declared(payload, secrets)
        if (
            payload_size.json_length([found.parameters, found.template])
            <= _MAX_CACHED_CHARACTERS
        ):
            self._cache[key] = found
        return found

    def _declared(
        self, payload: Payload, secrets: frozenset[str]
    ) -> _Declared:
        stack = _stack_of(payload)
        parsed_template = self._templates.find(self._connection, stack)
        if parsed_template is None:
            return _Declared()
        redacts = redaction.Redaction(
            secrets | tree_secrets.of_parameters(parsed_template),
            parameters=parsed_template.sensitive_parameters,
        )
        parameters = parsed_template.shown_parameters()
        shown = redacts.values(
            marked.Marked(parameters, ((name,) for name in redacts.parameters))
        )
        kept = redacts if redacts.texts else _NO_SECRETS
        if self._settings.template != conf_notifications.FULL:
            return _Declared(shown, redacts=kept)
        return _Declared(shown, redacts.template(parsed_template), kept)


def _stack_of(payload: Payload) -> stack_model.Stack:
    """Return a stack as far as its template depends on it."""
    stack_id = ids.StackId(str(payload["stack_identity"]))
    template_hash, environment_hash = _inputs_of(payload)
    return stack_model.Stack(
        id=stack_id,
        project_id=str(payload["project_id"]),
        name=str(payload["stack_name"]),
        action=states.Action.INIT,
        status=states.Status.COMPLETE,
        status_reason="",
        template_hash=template_hash,
        environment_hash=environment_hash,
        root_id=stack_id,
        created_at=clock.Timestamp(0.0),
    )


def _inputs_of(payload: Payload) -> tuple[str, str]:
    return str(payload["template_hash"]), str(payload[payloads.INPUTS])


def _below(path: str | None, name: str) -> str | None:
    return None if path is None else f"{path}/{name}"


def _failed_path(path: str | None, failed: Payload) -> str | None:
    """Return the path of a failed resource, or of the stack itself."""
    if failed.get("path"):
        return _below(path, str(failed["name"]))
    return path


def _links(public_url: str, payload: Payload) -> list[dict[str, str]]:
    if not public_url:
        return []
    parts = [
        urllib.parse.quote(str(payload[name]), safe="")
        for name in ("project_id", "stack_name", "stack_identity")
    ]
    href = f"{public_url}/v1/{parts[0]}/stacks/{parts[1]}/{parts[2]}"
    around = {"href": href, "rel": "self"}
    if payloads.MEMBER not in payload:
        return [around]
    name = urllib.parse.quote(str(payload[payloads.MEMBER]), safe="")
    return [
        {"href": f"{href}/resources/{name}", "rel": "self"},
        {"href": href, "rel": "stack"},
    ]
