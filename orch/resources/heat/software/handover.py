"""The handover of a deployment's config to a server, and its result."""

import collections.abc
import typing

from orch import errors
from orch.plugin import call_context
from orch.plugin import reality
from orch.plugin import software
from orch.resources.heat.software import derived
from orch.resources.heat.software import outcome
from orch.resources.heat.software import property_values
from orch.resources.heat.software import software_component
from orch.resources.heat.software import transports

Values = collections.abc.Mapping[str, object]

NO_CONFIG: typing.Final = software.Definition()
"""What is deployed where no config is named."""
CONFIG_ID: typing.Final = "config_id"
"""What data call the config that was handed over last."""
ACTION: typing.Final = "action"
"""What data call the action it was handed over for."""


class DeploymentGone(reality.Vanished):
    """A deployment was removed by another client."""

    code = "orch.resource.deployment_gone"


class HandoverResource(
    transports.SignallingResource, software.SoftwareResource
):
    """Hands over one config for each action, and waits for its result."""

    has_reality = True

    def get_reality(self, context: call_context.Context) -> Values:
        """Return server and config that the deployment has now.

        One that no action has handed over yet is nowhere, and tells nothing.
        A config of another owner is named by its id.

        :raises DeploymentGone: it was removed
        """
        handed = context.data.get(CONFIG_ID)
        if handed is None:
            return {}
        found = self._find_deployment(context)
        if found is None:
            raise DeploymentGone(
                f"Software deployment {deployment_id(context)} is not there"
                " any more"
            )
        config = context.properties.get("config")
        return {
            "server": found.server_id,
            "config": config if found.config_id == handed else found.config_id,
        }

    def derive(
        self,
        context: call_context.Context,
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
        context: call_context.Context,
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
            for name in (CONFIG_ID, ACTION)
            if name in context.data
        }
        if _is_applied_in(source, context.properties, action):
            config_id = derived.config_id(context, action)
            self._hand_over(context, action, source, config_id)
            handed = {CONFIG_ID: config_id, ACTION: action}
        return {
            **handed,
            "outputs": [str(one["name"]) for one in source.outputs],
            "error_outputs": [
                str(one["name"])
                for one in source.outputs
                if one.get("error_output")
            ],
        }

    def _hand_over(
        self,
        context: call_context.Context,
        action: str,
        source: software.Definition,
        config_id: str,
    ) -> None:
        """Hand a config over, unless an earlier attempt has done so."""
        found = self._find_deployment(context)
        if found is None or found.config_id != config_id:
            try:
                self.store.hand_over(
                    self._handover(context, action, source, config_id)
                )
            except errors.Invalid:
                # Nothing was handed over, and what was made would be lost.
                if found is None:
                    self._forget(context)
                raise
        self._publish(context)

    def _handed_inputs(self, context: call_context.Context) -> Values:
        """Return the inputs of what the deployment has now, by name."""
        found = self._find_deployment(context)
        config = found and self.store.find_config(
            context.stack_project, found.config_id
        )
        return derived.input_values(config.inputs) if config else {}

    def _find_deployment(
        self, context: call_context.Context
    ) -> software.Deployment | None:
        """Return the deployment, if it is one of the stack's project.

        With ``external_id`` a user may name any id.
        """
        return self.store.find_deployment(
            context.stack_project, deployment_id(context)
        )

    def _publish(self, context: call_context.Context) -> None:
        """Let the server know, where its agent does not ask our API."""
        self.store.publish(
            context.stack_project, str(context.properties["server"])
        )

    def _handover(
        self,
        context: call_context.Context,
        action: str,
        source: software.Definition,
        config_id: str | None = None,
    ) -> software.Handover:
        given = context.properties
        config_id = config_id or derived.config_id(context, action)
        signal = self._signal(context, config_id)
        bound = derived.build_inputs(source, context, action, signal)
        is_waited_for = signal.transport != derived.NO_SIGNAL
        return software.Handover(
            deployment_id=deployment_id(context),
            stack_id=context.stack_id,
            resource_id=context.token,
            project_id=context.stack_project,
            server_id=str(given["server"]),
            config_id=config_id,
            definition=software.Definition(
                name=str(given.get("name") or context.physical_name),
                group=source.group,
                config=self.derive(context, source, bound),
                inputs=bound,
                outputs=source.outputs,
                options=source.options,
            ),
            input_values=property_values.to_mapping(given.get("input_values")),
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
            signal_count=software.count_signals(context.signals),
        )

    def _watch(
        self, context: call_context.Context, action: str
    ) -> call_context.Pending | None:
        """Answer ``None`` unless the server still has to tell how it went.

        :raises orch.errors.Permanent: it told that it went wrong
        """
        found = self._taken_in(context)
        desired = derived.config_id(context, action)
        if found is None or found.config_id != desired:
            self._check_changed(context, action, found)
            return call_context.DONE
        if found.status == software.Status.COMPLETE:
            return call_context.DONE
        if found.status == software.Status.FAILED:
            raise errors.Permanent(
                f"Deployment to server failed: {found.status_reason}"
            )
        return self._pending(context)

    def _check_changed(
        self,
        context: call_context.Context,
        action: str,
        found: software.Deployment | None,
    ) -> None:
        """Return if the deployment has no part in the action.

        :raises orch.errors.Permanent: it has, and another user has removed
            it, or given it another config
        """
        given = context.properties
        source = self._config_of(context.stack_project, given.get("config"))
        if action == "DELETE" or source is None:
            return
        if _is_applied_in(source, given, action):
            done = "removed it" if found is None else "changed its config"
            raise errors.Permanent(
                f"Deployment to server failed: another client has {done}"
                " meanwhile; retry delivers it again"
            )

    def _taken_in(
        self, context: call_context.Context
    ) -> software.Deployment | None:
        """Return the deployment, once what was signalled is written down."""
        found = self._find_deployment(context)
        if found is None or found.status != software.Status.IN_PROGRESS:
            return found
        try:
            said = self._describe(context, found)
        except transports.NotNotified as error:
            self.store.finish(
                found,
                software.Status.FAILED,
                error.message,
                found.output_values or {},
            )
            return self._find_deployment(context)
        if said is None:
            return found
        config = self.store.find_config(context.stack_project, found.config_id)
        outputs = config.outputs if config else ()
        message = outcome.parse_signal(
            said, outputs, found.output_values or {}
        )
        self.store.finish(
            found, message.status, message.reason, message.outputs
        )
        return self._find_deployment(context)

    def _source(self, context: call_context.Context) -> software.Definition:
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
            return NO_CONFIG
        return self.store.find_config(project_id, str(given))

    def _outputs(self, context: call_context.Context) -> Values:
        """Return the outputs, those too that no watch has taken in yet.

        A server may tell after the stack has stopped to wait for it.
        """
        found = self._find_deployment(context)
        if found is None:
            return {}
        outputs = found.output_values or {}
        if (
            found.status != software.Status.IN_PROGRESS
            or software.count_signals(context.signals) <= found.signal_count
        ):
            return outputs
        config = self.store.find_config(context.stack_project, found.config_id)
        details = outcome.last_signal_details(context.signals)
        declared = config.outputs if config else ()
        return outcome.parse_signal(details, declared, outputs).outputs


def _is_applied_in(
    source: software.Definition, properties: Values, action: str
) -> bool:
    if source.group == software_component.GROUP:
        return action in software_component.list_actions(source.config)
    return action in list_names(properties.get("actions"))


def deployment_id(context: call_context.Context) -> str:
    """Return the id of the deployment, which is the token when it is made."""
    return context.physical_id or context.token


def list_names(found: object) -> list[str]:
    """Return a list as the texts in it; nothing else has any."""
    return [str(one) for one in found] if isinstance(found, list) else []
