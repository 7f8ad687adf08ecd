"""``OS::Heat::SoftwareDeployment``: a config, applied on a server."""

import collections.abc
import contextlib
import dataclasses
import typing

from orch import errors
from orch.clients import rest
from orch.plugin import call_context
from orch.plugin import signals
from orch.plugin import software
from orch.plugin import type_files
from orch.resources.heat.software import derived
from orch.resources.heat.software import handover
from orch.resources.heat.software import outcome

Values = collections.abc.Mapping[str, object]

_MAX_ID_LENGTH: typing.Final = 255


@type_files.described("OS::Heat::SoftwareDeployment")
class SoftwareDeployment(handover.HandoverResource):
    """A config that a server applies, and its result.

    For each action of the stack that the deployment takes part in, the agent
    of the server gets a config of its own, in which the inputs have values.
    """

    takes_signals = True
    takes_signals_at_rest = True

    def validate(self, properties: Values) -> None:
        """Refuse a way of signalling that needs a service we do not reach."""
        if len(str(properties.get("server", ""))) > _MAX_ID_LENGTH:
            raise errors.property_error(
                "server", f"has at most {_MAX_ID_LENGTH} characters"
            )
        self._check_transport(properties)

    def needs_replacement(
        self,
        before: Values,
        after: Values,
        changed: collections.abc.Collection[str],
    ) -> bool:
        """Whether an input has changed that asks for it."""
        if "input_values" not in changed or "input_values" not in after:
            return False
        source = self._config_of(None, before.get("config"))
        return any(
            derived.input_value(one, before.get("input_values"))
            != derived.input_value(one, after.get("input_values"))
            for one in derived.replacing_inputs(source or handover.NO_CONFIG)
        )

    def create(
        self, context: call_context.Context
    ) -> call_context.CreateResult:
        """Hand the config over, if it is to be applied now."""
        return call_context.CreateResult(
            context.token, self._begin(context, "CREATE")
        )

    def is_created(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer ``None`` once the server has told that it went well."""
        return self._watch(context, "CREATE")

    def find(
        self, context: call_context.Context
    ) -> call_context.PhysicalId | call_context.CreateResult | None:
        """Answer nothing: to hand over again changes nothing."""
        return None

    def continue_creation(self, context: call_context.Context) -> None:
        """Hand the config over once more; the server applies it again.

        Nothing is done where that was done for this attempt already.
        """
        found = self._find_deployment(context)
        desired = derived.config_id(context, "CREATE")
        if found is None or found.config_id != desired:
            self._begin(context, "CREATE")
        else:
            self._publish(context)

    def update(
        self,
        context: call_context.Context,
        before: Values,
        changed: collections.abc.Collection[str],
    ) -> call_context.CreateResult:
        """Hand the new config over, if it is to be applied now."""
        data = self._begin(context, "UPDATE")
        return call_context.CreateResult(handover.deployment_id(context), data)

    def is_updated(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer ``None`` once the server has told that it went well."""
        return self._watch(context, "UPDATE")

    def suspend(self, context: call_context.Context) -> None:
        """Hand the config over, if it is to be applied now."""
        self._begin(context, "SUSPEND")

    def is_suspended(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer ``None`` once the server has told that it went well."""
        return self._watch(context, "SUSPEND")

    def resume(self, context: call_context.Context) -> None:
        """Hand the config over, if it is to be applied now."""
        self._begin(context, "RESUME")

    def is_resumed(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer ``None`` once the server has told that it went well."""
        return self._watch(context, "RESUME")

    def delete(self, context: call_context.Context) -> None:
        """Hand the config over, if it is to be applied now.

        A deployment whose config is gone goes as it is.
        """
        found = self._find_deployment(context)
        if found is None and context.signals:
            # The server was heard, so an earlier attempt got as far as this.
            return
        source = self._config_of(
            context.stack_project, context.properties.get("config")
        )
        if source is not None:
            self._begin(context, "DELETE", source)

    def is_deleted(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Forget the deployment once the server has told that it went well."""
        pending = self._watch(context, "DELETE")
        if pending is None:
            self._forget(context)
            self.store.delete_deployment(
                context.stack_project, handover.deployment_id(context)
            )
            # Where the agent looked may have gone before.
            with contextlib.suppress(rest.CloudNotFound):
                self._publish(context)
        return pending

    def handle_adopt(
        self,
        context: call_context.Context,
        given: call_context.AdoptedResource,
    ) -> call_context.AdoptedResource:
        """Let the agent find here what it has applied, with a new address.

        The config keeps its id, so no agent applies it again, and how that
        went is known here too. Where the document does not tell that id
        nothing is handed over until the next action: it would be applied
        once more.

        :raises orch.errors.Permanent: another project has the deployment, or
            the config
        """
        data = {k: v for k, v in given.data.items() if k != software.OUTCOME}
        signal_data = dataclasses.replace(given, data=data)
        context = dataclasses.replace(context, physical_id=given.physical_id)
        found = self.store.find_deployment(
            None, handover.deployment_id(context)
        )
        if found is not None and found.project_id != context.stack_project:
            raise errors.Permanent(
                f"Software deployment {found.id} belongs to another project"
            )
        config_id = given.data.get(handover.CONFIG_ID)
        source = self._config_of(
            context.stack_project, context.properties.get("config")
        )
        if not isinstance(config_id, str) or source is None:
            return signal_data
        if found is not None:
            # What an earlier stack of this installation has left leads to it.
            self.store.delete_deployment(context.stack_project, found.id)
        action = str(given.data.get(handover.ACTION, "CREATE"))
        told = outcome.parse_document(given.data.get(software.OUTCOME))
        told = outcome.latest_outcome(told, context.signals, source.outputs)
        desired = self._handover(context, action, source, config_id)
        self.store.hand_over(
            dataclasses.replace(
                desired,
                status=told.status,
                status_reason=told.reason,
                output_values=told.outputs,
            )
        )
        return signal_data

    def is_made_usable(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Return ``None``: what the server reports later is stored then."""
        return call_context.DONE

    def read_attributes(
        self,
        context: call_context.Context,
        names: collections.abc.Collection[str],
    ) -> Values:
        """Return outputs as the server told them last.

        :raises orch.errors.Invalid: the config has no such output
        """
        outputs = self._outputs(context)
        known = (
            *outcome.ALWAYS,
            *outputs,
            *handover.list_names(context.data.get("outputs")),
        )
        wrong = sorted(set(names).difference(known))
        if wrong:
            raise errors.Invalid(
                f"The config of {context.name} has no output {wrong[0]}"
            )
        return {name: outputs[name] for name in names if name in outputs}

    def handle_signal(
        self, context: call_context.Context, details: object
    ) -> signals.SignalResult:
        """Keep what the server tells, until the watch takes it in."""
        if details is None:
            details = {}
        if not isinstance(details, dict):
            raise errors.Invalid(
                "A deployment takes a map of outputs as signal, such as"
                f' {{"{outcome.CODE}": 0}}'
            )
        said = outcome.describe_signal(
            handover.deployment_id(context),
            details,
            handover.list_names(context.data.get("error_outputs")),
        )
        count = software.count_signals(context.signals) + 1
        return signals.SignalResult(
            signal_data={software.COUNT: count, software.DETAILS: details},
            reason=f"Signal: {said}",
        )
