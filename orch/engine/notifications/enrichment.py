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
from orch.engine import plugin_reads
from orch.engine.notifications import redaction
from orch.engine.queries import outputs
from orch.engine.secrets import masks as secret_masks
from orch.engine.secrets import named
from orch.engine.secrets import output_marks
from orch.engine.secrets import stack_masks
from orch.engine.secrets import taint
from orch.events import payload_size
from orch.events import payloads
from orch.model import notification
from orch.model import stack as stack_model
from orch.model import states
from orch.plugin import call_context
from orch.plugin import resource
from orch.template import template

LOG = logging.getLogger(__name__)

_MAX_CACHED: typing.Final = 512
# Characters; a larger value is built anew each time.
_MAX_CACHED_CHARACTERS: typing.Final = 20_000
_ALL_REDACTED: typing.Final = secret_masks.Masks(
    [], is_blind=True, is_strict=True
)
"""Redact everything, for stacks whose place in a tree is unknown."""
_NO_MASKS: typing.Final = secret_masks.Masks([], is_strict=True)
"""Redact addresses only; no template is held in memory."""

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
    masks: secret_masks.Masks = _ALL_REDACTED


@dataclasses.dataclass(frozen=True, slots=True)
class _Place:
    """The place of a stack in its tree.

    :ivar path: names from the root to it; ``None`` where that is not known
    :ivar masks: redact what the stack and its parents hide
    """

    path: str | None
    masks: secret_masks.Masks


class Enricher:
    """Completes notifications in batches; one thread uses it."""

    def __init__(
        self, deps: dependencies.Dependencies, settings: Settings
    ) -> None:
        """Begin with an empty cache."""
        self._deps = dataclasses.replace(deps, reads=_StoredReads())
        self._settings = settings
        self._secrets = stack_masks.MadeSecrets()
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
                self._secrets,
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
            tuple[stack_model.Stack, template.Template, secret_masks.Masks]
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
            masks = stack_masks.outside(connection, deps.templates.find, stack)
            return stack, parsed_template, masks

        found = deps.database.query(look)
        if found is None:
            return None
        stack, parsed_template, masks = found
        requested_by = request.RequestContext.from_stored(payload.context)
        shown = outputs.resolve_outputs(
            deps, requested_by, stack, parsed_template
        )
        return output_marks.redact_outputs(
            masks,
            parsed_template,
            {each["key"]: each["value"] for each in shown},
        )


class _Batch:
    """A batch of notifications, within one transaction."""

    def __init__(
        self,
        deps: dependencies.Dependencies,
        connection: db_engine.Connection,
        settings: Settings,
        secrets: stack_masks.MadeSecrets,
        kept: cachetools.LRUCache[tuple[object, ...], _Declared],
    ) -> None:
        self._templates = deps.templates
        self._connection = connection
        self._settings = settings
        self._secrets = secrets
        self._cache = kept
        self._places: dict[str, _Place] = {}
        self._made: dict[str, frozenset[str]] = {}

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
        masks = [_ALL_REDACTED]
        try:
            path, around = self._find_place(payload)
            if is_member:
                masks = [self._masks_of(payload)]
            else:
                declared = self._find_declared(payload, around)
                masks = [declared.masks]
                if redaction.has_ids(payload):
                    masks.append(self._masks_of(payload))
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
        for each in masks:
            found = redaction.covered(found, each)
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

    def _find_place(
        self, payload: Payload
    ) -> tuple[str | None, secret_masks.Masks | None]:
        """Return the path of a stack, and the masks of its parents."""
        parent_id = payload["parent_id"]
        if parent_id is None:
            return str(payload["stack_name"]), None
        place = self._place_of(ids.StackId(str(parent_id)))
        name = str(payload["parent_resource"] or payload["stack_name"])
        return _below(place.path, name), place.masks

    def _masks_of(self, payload: Payload) -> secret_masks.Masks:
        """Return the masks of a stack's state, its earlier state too."""
        stack_id = ids.StackId(str(payload["stack_identity"]))
        return self._place_of(stack_id).masks

    def _place_of(self, stack_id: ids.StackId) -> _Place:
        if stack_id not in self._places:
            self._places[stack_id] = self._look_up(stack_id)
        return self._places[stack_id]

    def _look_up(self, stack_id: ids.StackId) -> _Place:
        stack = stacks.find(self._connection, stack_id)
        if stack is None:
            return _Place(None, _ALL_REDACTED)
        masks = stack_masks.outside(
            self._connection,
            self._templates.find,
            stack,
            self._generated_secrets(stack.root_id),
        )
        if stack.parent_id is None:
            return _Place(stack.name, masks)
        parent = self._place_of(stack.parent_id)
        name = stack.parent_resource or stack.name
        return _Place(_below(parent.path, name), masks)

    def _generated_secrets(self, root_id: str) -> frozenset[str]:
        """Return the secrets that resources of a tree have generated."""
        if root_id not in self._made:
            self._made[root_id] = self._secrets.read(
                self._connection, ids.StackId(root_id)
            )
        return self._made[root_id]

    def _find_declared(
        self, payload: Payload, around: secret_masks.Masks | None
    ) -> _Declared:
        generated = self._generated_secrets(str(payload["root_id"]))
        key = (payload["stack_identity"], *_inputs_of(payload), generated)
        found = self._cache.get(key)
        if found is not None:
            return found
        found = self._declared(payload, around, generated)
        if (
            payload_size.json_length([found.parameters, found.template])
            <= _MAX_CACHED_CHARACTERS
        ):
            self._cache[key] = found
        return found

    def _declared(
        self,
        payload: Payload,
        around: secret_masks.Masks | None,
        generated: frozenset[str],
    ) -> _Declared:
        stack = _stack_of(payload)
        parsed_template = self._templates.find(self._connection, stack)
        if parsed_template is None:
            blind = secret_masks.Masks(
                [], is_blind=True, texts=generated, is_strict=True
            )
            return _Declared(masks=blind)
        self._secrets.know(stack, parsed_template)
        masks = secret_masks.Masks(
            [parsed_template],
            texts=generated,
            around=around,
            resource=str(payload["parent_resource"] or ""),
            is_strict=True,
        )
        shown = named.redact_named(
            {
                name: masks.shown(
                    value,
                    is_hidden=masks.is_blind or masks.hides_parameter(name),
                )
                for name, value in parsed_template.shown_parameters().items()
            }
        )
        kept = _NO_MASKS if masks.is_idle else masks
        if self._settings.template != conf_notifications.FULL:
            return _Declared(shown, masks=kept)
        return _Declared(shown, _shown_template(parsed_template, masks), kept)


class _StoredOnly(plugin_reads.ReadBudget):
    """A read budget only for plug-ins that call no service."""

    def __init__(self, reads: plugin_reads.PluginReads) -> None:
        super().__init__(reads, 0.0)

    def read(
        self,
        plugin: resource.Resource,
        context: call_context.Context,
        names: collections.abc.Collection[str],
    ) -> dict[str, object]:
        """Return the values of attributes.

        :raises orch.engine.plugin_reads.ReadFailed: they would have to be
            fetched
        """
        if plugin.is_effect_free(context.properties):
            return super().read(plugin, context, names)
        raise plugin_reads.ReadFailed("the value is not stored")


class _StoredReads(plugin_reads.PluginReads):
    """Plug-in reads without calls of services."""

    def begin(self) -> plugin_reads.ReadBudget:
        """Return a read budget without any time for calls."""
        return _StoredOnly(self)


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


def _shown_template(
    parsed_template: template.Template, masks: secret_masks.Masks
) -> dict[str, object]:
    """Return a redacted template, with hidden defaults redacted too."""
    if masks.is_anywhere:
        return {}
    shown = typing.cast(
        dict[str, object], masks.shown(parsed_template.raw, is_hidden=False)
    )
    key = parsed_template.version.format.parameters
    section = shown.get(key)
    if not isinstance(section, dict):
        return shown
    hidden = taint.hidden_parameters(parsed_template)
    covered = {
        name: _without_default(given) if name in hidden else given
        for name, given in section.items()
    }
    return {**shown, key: covered}


def _without_default(given: object) -> object:
    """Return the declaration of a hidden parameter, its default redacted."""
    if not isinstance(given, dict):
        return given
    return {
        name: secret_masks.HIDDEN if name.lower() == "default" else each
        for name, each in given.items()
    }
