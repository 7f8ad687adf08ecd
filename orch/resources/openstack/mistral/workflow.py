"""``OS::Mistral::Workflow``: tasks that Mistral runs in an order.

API reference: https://docs.openstack.org/mistral/latest/api/v2.html
"""

import collections.abc
import typing

import yaml

from orch import errors
from orch.clients import rest
from orch.plugin import call_context
from orch.plugin import id_scopes
from orch.resources.openstack import base
from orch.resources.openstack import tokens
from orch.resources.openstack import wire

_VERSION: typing.Final = "2.0"
_PLAIN: typing.Final = ("type", "description", "output")
_INPUT: typing.Final = "input"
_TAGS: typing.Final = "tags"
_TASKS: typing.Final = "tasks"
_DEFAULTS: typing.Final = "task_defaults"
_POLICIES: typing.Final = "policies"
_JOIN: typing.Final = "join"
_EITHER: typing.Final = ("workflow", "action")
_EMPTY: typing.Final[tuple[object, ...]] = (None, [], {})

Values = collections.abc.Mapping[str, object]


class Workflow(base.OpenStackResource):
    """A workflow, known by its name. The token is one of its tags.

    It takes no signals: a message in a queue can run it
    (``OS::Zaqar::MistralTrigger``).
    """

    def get_id_scope(
        self, account: id_scopes.Account, properties: Values
    ) -> str | None:
        """Return the project: each has workflows of its own."""
        return account.project_id

    def validate(self, properties: Values) -> None:
        """Refuse tasks that Mistral cannot run."""
        super().validate(properties)
        kind = properties.get("type")
        params = properties.get("params", {"task_name": "unknown"})
        if kind == "reverse" and not wire.to_mapping(params).get("task_name"):
            raise errors.Invalid(
                "'task_name' is not assigned in 'params' in case of reverse"
                " type workflow."
            )
        for task in wire.to_maps(properties.get(_TASKS)):
            _validate_task(task, kind)

    def create(self, context: call_context.Context) -> call_context.PhysicalId:
        """Create the workflow.

        :raises orch.errors.Permanent: another workflow has the given name
        :raises orch.errors.Busy: there is one with the physical name, which
            only a lost call has made
        """
        name = _name(context)
        try:
            self._send(context, "POST", name)
        except errors.Busy as error:
            if name == context.physical_name:
                raise
            raise errors.Permanent(error.message) from error
        return name

    def list_bearers(self, context: call_context.Context) -> list[wire.Body]:
        """Return the workflow of that name if it has the token."""
        try:
            body = self.api_collection(context).get(_name(context))
        except rest.CloudNotFound:
            return []
        return [body] if _tag(context) in wire.to_list(body[_TAGS]) else []

    def update(
        self,
        context: call_context.Context,
        before: Values,
        changed: collections.abc.Collection[str],
    ) -> None:
        """Send the whole definition."""
        self._send(context, "PUT", self.id_of(context))

    def _send(
        self, context: call_context.Context, method: str, name: str
    ) -> None:
        """Send the definition; the service takes no JSON."""
        calls = self.api_collection(context)
        definition = {"version": _VERSION, name: _define(context)}
        rest.send_request(
            calls.service,
            method,
            calls.path,
            data=yaml.safe_dump(definition, allow_unicode=True).encode(),
            headers={"Content-Type": "text/plain"},
        )

    def reality_of(
        self, context: call_context.Context, body: wire.Body
    ) -> dict[str, object]:
        """Return what the definition says; of the input it has the names."""
        name = str(body["name"])
        found = _read_definition(body.get("definition"), name)
        given = wire.to_mapping(context.properties.get(_INPUT))
        tasks = wire.to_mapping(found.get(_TASKS))
        return {
            "name": name,
            **{key: found.get(key) for key in _PLAIN},
            _TAGS: [
                each
                for each in wire.to_list(found.get(_TAGS))
                if not str(each).startswith(tokens.MARK)
            ],
            _INPUT: {
                key: given.get(key)
                for each in wire.to_list(found.get(_INPUT))
                for key in ([each] if isinstance(each, str) else each)
            },
            _DEFAULTS: _from_native(found.get(_native(_DEFAULTS))),
            _TASKS: [
                {"name": key, **_from_native(each)}
                for key, each in tasks.items()
            ],
        }

    def normalise(self, name: str, value: object) -> object:
        """Return a property's value in the form that like is compared in."""
        if name == _TASKS:
            tasks = wire.to_maps(value)
            return sorted(map(_fold_policies, tasks), key=wire.to_key)
        if name == _DEFAULTS:
            return _without_empty(wire.to_mapping(value))
        if name == _INPUT:
            return dict(wire.to_mapping(value))
        return super().normalise(name, value)

    def read_attributes(
        self,
        context: call_context.Context,
        names: collections.abc.Collection[str],
    ) -> Values:
        """Return its name and input; no signal has made an execution."""
        data = {
            "name": self.id_of(context),
            "input": context.properties.get(_INPUT),
        }
        found: dict[str, object] = {"data": data, "executions": []}
        return {name: found[name] for name in names if name in found}


def _validate_task(task: wire.Body, kind: object) -> None:
    """Raise Invalid for what no task has; what is unknown is absent."""
    given = [name for name in _EITHER if task.get(name)]
    if len(given) > 1:
        raise errors.Invalid(
            "Cannot define the following properties at the same time:"
            f" {', '.join(_EITHER)}."
        )
    if task.keys() >= set(_EITHER) and not given:
        raise errors.Invalid(
            "At least one of the following properties must be specified:"
            f" {', '.join(_EITHER)}."
        )
    if task.get("requires") is not None and kind == "direct":
        raise errors.Invalid(
            f"task {task.get('name')} contains property 'requires' in case of"
            " direct workflow. Only reverse workflows can contain property"
            " 'requires'."
        )
    for name in wire.to_mapping(task.get(_POLICIES)):
        if task.get(name) is not None:
            raise errors.Invalid(
                f"Property {_POLICIES} and {name} cannot be used both at one"
                " time."
            )
    if task.get("concurrency") is not None and (
        task.get("with_items", "unknown") is None
    ):
        raise errors.Invalid(
            "concurrency cannot be specified without with_items."
        )


def _name(context: call_context.Context) -> str:
    return str(context.properties.get("name") or context.physical_name)


def _tag(context: call_context.Context) -> str:
    return f"{tokens.MARK}:{context.token}"


def _define(context: call_context.Context) -> dict[str, object]:
    """Return the definition of a workflow, in the language of Mistral."""
    given = context.properties
    tasks = map(_fold_policies, wire.to_maps(given[_TASKS]))
    return _without_empty(
        {
            **{key: given.get(key) for key in _PLAIN},
            _TAGS: [*wire.to_list(given.get(_TAGS)), _tag(context)],
            _INPUT: sorted(wire.to_mapping(given.get(_INPUT))),
            _native(_DEFAULTS): _to_native(
                wire.to_mapping(given.get(_DEFAULTS))
            ),
            _TASKS: {str(each["name"]): _to_native(each) for each in tasks},
        }
    )


def _fold_policies(task: wire.Body) -> dict[str, object]:
    """Return a task with its policies as keys of its own."""
    found = {**task, **wire.to_mapping(task.get(_POLICIES))}
    return _without_empty({**found, _POLICIES: None})


def _without_empty(values: wire.Body) -> dict[str, object]:
    return {k: value for k, value in values.items() if value not in _EMPTY}


def _native(name: str) -> str:
    return name.replace("_", "-")


def _to_native(given: wire.Body) -> dict[str, object]:
    """Return what a task has, without its name, by the keys of Mistral."""
    found = {
        _native(key): value
        for key, value in _without_empty(given).items()
        if key != "name"
    }
    if str(found.get(_JOIN)).isdecimal():
        found[_JOIN] = int(str(found[_JOIN]))
    return found


def _from_native(found: object) -> dict[str, object]:
    """Return what a task has by the names of properties."""
    return {
        key.replace("-", "_"): str(value) if key == _JOIN else value
        for key, value in wire.to_mapping(found).items()
    }


def _read_definition(text: object, name: str) -> wire.Body:
    """Return the definition of a workflow; an empty one if it is none."""
    try:
        found = yaml.safe_load(str(text))
    except yaml.YAMLError:
        return {}
    return wire.to_mapping(wire.to_mapping(found).get(name))
