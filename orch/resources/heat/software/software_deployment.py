"""``OS::Heat::SoftwareDeployment``: a config, applied on a server."""

import collections.abc
import dataclasses
import typing

from orch import errors
from orch.plugin import addresses
from orch.plugin import resource
from orch.plugin import schema
from orch.plugin import signals
from orch.plugin import software
from orch.resources.heat.software import deployment_schemas
from orch.resources.heat.software import derived
from orch.resources.heat.software import outcome
from orch.resources.heat.software import schemas
from orch.resources.heat.software import software_component

Values = collections.abc.Mapping[str, object]

_NOTHING: typing.Final = software.Definition()
_LONGEST_ID: typing.Final = 255
_CONFIG_ID: typing.Final = "config_id"
_ACTION: typing.Final = "action"
_UNSERVED: typing.Final = {
    "TEMP_URL_SIGNAL": "needs an object store",
    "ZAQAR_SIGNAL": "needs a message queue service",
    "HEAT_SIGNAL": "needs users of the stack in an identity service",
}


class SoftwareDeployment(software.Stored):
    """A config on its way to a server, and what came of it.

    For each action of the stack that the deployment takes part in, the agent
    of the server gets a config of its own, in which the inputs have values.
    """

    type_name = "OS::Heat::SoftwareDeployment"
    properties: typing.ClassVar[schema.Properties] = (
        deployment_schemas.ACTIONS,
        deployment_schemas.CONFIG,
        deployment_schemas.INPUT_VALUES,
        deployment_schemas.NAME,
        deployment_schemas.SERVER,
        deployment_schemas.SIGNAL_TRANSPORT,
    )
    attributes = (
        schema.Attribute(
            outcome.CODE, schema.Type.STRING, "The exit code of the config."
        ),
        schema.Attribute(
            outcome.STDERR,
            schema.Type.STRING,
            "What the config wrote to standard error.",
        ),
        schema.Attribute(
            outcome.STDOUT,
            schema.Type.STRING,
            "What the config wrote to standard output.",
        ),
    )
    takes_signals = True
    takes_signals_at_rest = True
    shows_any_attribute = True

    def validate(self, properties: Values) -> None:
        """Refuse a way of signalling that needs a service we do not reach."""
        if len(str(properties.get("server", ""))) > _LONGEST_ID:
            message = f"server has at most {_LONGEST_ID} characters"
            raise errors.Invalid(
                message, [errors.Problem(message, path="server")]
            )
        transport = str(properties.get("signal_transport"))
        if transport in _UNSERVED:
            message = (
                f"signal_transport {transport} {_UNSERVED[transport]}, which"
                " this installation does not use; take CFN_SIGNAL or NO_SIGNAL"
            )
            raise errors.Invalid(
                message, [errors.Problem(message, path="signal_transport")]
            )

    def needs_replacement(
        self,
        before: Values,
        after: Values,
        changed: collections.abc.Collection[str],
    ) -> bool:
        """Answer whether an input has changed that asks for it."""
        if "input_values" not in changed or "input_values" not in after:
            return False
        source = self._config_of(None, before.get("config"))
        return any(
            derived.input_value(one, before.get("input_values"))
            != derived.input_value(one, after.get("input_values"))
            for one in derived.replacing_inputs(source or _NOTHING)
        )

    def create(self, context: resource.Context) -> resource.Made:
        """Hand the config over, if it is to be applied now."""
        return resource.Made(context.token, self._begin(context, "CREATE"))

    def is_created(self, context: resource.Context) -> resource.Pending | None:
        """Answer ``None`` once the server has told that it went well."""
        return self._watch(context, "CREATE")

    def find(
        self, context: resource.Context
    ) -> resource.PhysicalId | resource.Made | None:
        """Answer nothing: to hand over again changes nothing."""
        return None

    def continue_creation(self, context: resource.Context) -> None:
        """Hand the config over once more; the server applies it again.

        Nothing is done where that was done for this attempt already.
        """
        found = self.store.find_deployment(_id_of(context))
        wanted = derived.config_id(context, "CREATE")
        if found is None or found.config_id != wanted:
            self._begin(context, "CREATE")

    def update(
        self,
        context: resource.Context,
        before: Values,
        changed: collections.abc.Collection[str],
    ) -> resource.Made:
        """Hand the new config over, if it is to be applied now."""
        data = self._begin(context, "UPDATE")
        return resource.Made(_id_of(context), data)

    def is_updated(self, context: resource.Context) -> resource.Pending | None:
        """Answer ``None`` once the server has told that it went well."""
        return self._watch(context, "UPDATE")

    def suspend(self, context: resource.Context) -> None:
        """Hand the config over, if it is to be applied now."""
        self._begin(context, "SUSPEND")

    def is_suspended(
        self, context: resource.Context
    ) -> resource.Pending | None:
        """Answer ``None`` once the server has told that it went well."""
        return self._watch(context, "SUSPEND")

    def resume(self, context: resource.Context) -> None:
        """Hand the config over, if it is to be applied now."""
        self._begin(context, "RESUME")

    def is_resumed(self, context: resource.Context) -> resource.Pending | None:
        """Answer ``None`` once the server has told that it went well."""
        return self._watch(context, "RESUME")

    def delete(self, context: resource.Context) -> None:
        """Hand the config over, if it is to be applied now.

        A deployment whose config is gone goes as it is.
        """
        found = self.store.find_deployment(_id_of(context))
        if found is None and context.signals:
            # The server was heard, so an earlier attempt got as far as this.
            return
        source = self._config_of(
            context.stack_project, context.properties.get("config")
        )
        if source is not None:
            self._begin(context, "DELETE", source)

    def is_deleted(self, context: resource.Context) -> resource.Pending | None:
        """Forget the deployment once the server has told that it went well."""
        pending = self._watch(context, "DELETE")
        if pending is None:
            self.store.delete_deployment(_id_of(context))
        return pending

    def handle_adopt(
        self, context: resource.Context, given: resource.Adopted
    ) -> resource.Adopted:
        """Let the agent find here what it has applied, with a new address.

        The config keeps its id, so no agent applies it again. Where the
        document does not tell that id nothing is handed over until the next
        action: it would be applied once more.

        :raises orch.errors.Permanent: another project has the deployment
        """
        config_id = given.data.get(_CONFIG_ID)
        source = self._config_of(
            context.stack_project, context.properties.get("config")
        )
        if not isinstance(config_id, str) or source is None:
            return given
        context = dataclasses.replace(context, physical_id=given.physical_id)
        found = self.store.find_deployment(_id_of(context))
        if found is not None and found.project_id != context.stack_project:
            raise errors.Permanent(
                f"Software deployment {found.id} belongs to another project"
            )
        if found is not None:
            # What an earlier stack of this installation has left leads to it.
            self.store.delete_deployment(found.id)
        action = str(given.data.get(_ACTION, "CREATE"))
        wanted = self._handover(context, action, source)
        self.store.hand_over(
            dataclasses.replace(
                wanted,
                config_id=config_id,
                status=software.Status.COMPLETE,
                status_reason="Adopted",
            )
        )
        return given

    def read_attributes(
        self,
        context: resource.Context,
        names: collections.abc.Collection[str],
    ) -> Values:
        """Return outputs as the server told them last.

        :raises orch.errors.Invalid: the config has no such output
        """
        found = self.store.find_deployment(_id_of(context))
        outputs = (found.output_values if found else None) or {}
        known = (
            *outcome.ALWAYS,
            *outputs,
            *_names(context.data.get("outputs")),
        )
        wrong = sorted(set(names).difference(known))
        if wrong:
            raise errors.Invalid(
                f"The config of {context.name} has no output {wrong[0]}"
            )
        return {name: outputs[name] for name in names if name in outputs}

    def handle_signal(
        self, context: resource.Context, details: object
    ) -> signals.Signalled:
        """Keep what the server tells, until the watch takes it in."""
        if details is None:
            details = {}
        if not isinstance(details, dict):
            raise errors.Invalid(
                "A deployment takes a map of outputs as signal, such as"
                f' {{"{outcome.CODE}": 0}}'
            )
        said = outcome.said(
            _id_of(context), details, _names(context.data.get("error_outputs"))
        )
        count = _count(context) + 1
        return signals.Signalled(
            kept={software.COUNT: count, "details": details},
            reason=f"Signal: {said}",
        )

    def derive(
        self,
        context: resource.Context,
        source: software.Definition,
        bound: collections.abc.Sequence[Values],
    ) -> object:
        """Return what the server has to apply.

        :param bound: the inputs with their values
        :raises orch.errors.Invalid: the values do not fit the config
        """
        return source.config or ""

    def _begin(
        self,
        context: resource.Context,
        action: str,
        source: software.Definition | None = None,
    ) -> dict[str, object]:
        """Hand the config over, if this action is one of the deployment's.

        :returns: what is remembered of the config
        """
        self.validate(context.properties)
        source = source or self._source(context)
        handed = {
            name: context.data[name]
            for name in (_CONFIG_ID, _ACTION)
            if name in context.data
        }
        if _is_applied_in(source, context.properties, action):
            wanted = self._handover(context, action, source)
            self.store.hand_over(wanted)
            handed = {_CONFIG_ID: wanted.config_id, _ACTION: action}
        return {
            **handed,
            "outputs": [str(one["name"]) for one in source.outputs],
            "error_outputs": [
                str(one["name"])
                for one in source.outputs
                if one.get("error_output")
            ],
        }

    def _handover(
        self,
        context: resource.Context,
        action: str,
        source: software.Definition,
    ) -> software.Handover:
        given = context.properties
        signal = self._signal(context)
        bound = derived.inputs(source, context, action, signal)
        is_waited_for = signal.transport != derived.NO_SIGNAL
        return software.Handover(
            deployment_id=_id_of(context),
            stack_id=context.stack_id,
            resource_id=context.token,
            project_id=context.stack_project,
            server_id=str(given["server"]),
            config_id=derived.config_id(context, action),
            definition=software.Definition(
                name=str(given.get("name") or context.physical_name),
                group=source.group,
                config=self.derive(context, source, bound),
                inputs=bound,
                outputs=source.outputs,
                options=source.options,
            ),
            input_values=schemas.mapping(given.get("input_values")),
            action=action,
            status=(
                software.Status.IN_PROGRESS
                if is_waited_for
                else software.Status.COMPLETE
            ),
            status_reason=(
                "Deploy data available"
                if is_waited_for
                else "Not waiting for outputs signal"
            ),
            signals_seen=_count(context),
        )

    def _signal(self, context: resource.Context) -> derived.Signal:
        transport = str(context.properties["signal_transport"])
        if transport == derived.NO_SIGNAL:
            return derived.Signal(transport=transport)
        return derived.Signal(
            transport=transport,
            address=addresses.Addresses(self.conf).signal(context),
        )

    def _watch(
        self, context: resource.Context, action: str
    ) -> resource.Pending | None:
        """Answer ``None`` unless the server still has to tell how it went.

        :raises orch.errors.Permanent: it told that it went wrong
        """
        found = self._taken_in(context)
        wanted = derived.config_id(context, action)
        if found is None or found.config_id != wanted:
            self._check_changed(context, action, found)
            return resource.DONE
        if found.status == software.Status.COMPLETE:
            return resource.DONE
        if found.status == software.Status.FAILED:
            raise errors.Permanent(
                f"Deployment to server failed: {found.status_reason}"
            )
        return resource.Pending(
            note="waits for a signal of the server", awaits_signal=True
        )

    def _check_changed(
        self,
        context: resource.Context,
        action: str,
        found: software.Deployment | None,
    ) -> None:
        """Return if the deployment has no part in the action.

        :raises orch.errors.Permanent: it has, and somebody else has removed
            it, or given it another config
        """
        given = context.properties
        source = self._config_of(context.stack_project, given.get("config"))
        if action == "DELETE" or source is None:
            return
        if _is_applied_in(source, given, action):
            done = "removed it" if found is None else "changed its config"
            raise errors.Permanent(
                f"Deployment to server failed: somebody has {done} meanwhile;"
                " retry hands it over anew"
            )

    def _taken_in(
        self, context: resource.Context
    ) -> software.Deployment | None:
        """Return the deployment, once what was signalled is written down."""
        found = self.store.find_deployment(_id_of(context))
        if (
            found is None
            or found.status != software.Status.IN_PROGRESS
            or _count(context) <= found.signals_seen
        ):
            return found
        config = self.store.find_config(context.stack_project, found.config_id)
        told = outcome.of(
            schemas.mapping(context.signals.get("details")),
            config.outputs if config else (),
            found.output_values or {},
        )
        self.store.finish(found, told.status, told.reason, told.outputs)
        return self.store.find_deployment(found.id)

    def _source(self, context: resource.Context) -> software.Definition:
        """Return the config that is deployed.

        :raises orch.errors.Permanent: there is none of that id
        """
        given = context.properties.get("config")
        found = self._config_of(context.stack_project, given)
        if found is None:
            raise errors.Permanent(
                f"Software config with id {given} not found; name one of this"
                " project"
            )
        return found

    def _config_of(
        self, project_id: str | None, given: object
    ) -> software.Definition | None:
        if not given:
            return _NOTHING
        return self.store.find_config(project_id, str(given))


def _is_applied_in(
    source: software.Definition, properties: Values, action: str
) -> bool:
    if source.group == software_component.GROUP:
        return action in software_component.actions_of(source.config)
    return action in _names(properties.get("actions"))


def _id_of(context: resource.Context) -> str:
    """Return the id of the deployment, which is the token when it is made."""
    return context.physical_id or context.token


def _count(context: resource.Context) -> int:
    """Return how many signals the resource has taken."""
    found = context.signals.get(software.COUNT, 0)
    return found if isinstance(found, int) else 0


def _names(found: object) -> list[str]:
    return [str(one) for one in found] if isinstance(found, list) else []
