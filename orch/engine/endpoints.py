"""The endpoints of a worker: which use case answers each RPC method.

A use case takes the dependencies of the worker, the context of the caller and
what the contract says that travels. How it is run, the marks of the contract
say: once for an idempotency key, and with access to other projects or not.
"""

import collections.abc
import functools
import typing

from orch.context import request
from orch.engine import dependencies
from orch.engine import project_access
from orch.engine.acceptance import idempotency
from orch.engine.adoption import abandon
from orch.engine.adoption import adopt
from orch.engine.adoption import document as adoption_document
from orch.engine.adoption import generate
from orch.engine.adoption import hand_overs
from orch.engine.drift import accept as drift_accept
from orch.engine.drift import history as drift_history
from orch.engine.drift import pause as drift_pause
from orch.engine.drift import policy as drift_policy
from orch.engine.drift import query as drift_query
from orch.engine.drift import template as drift_template
from orch.engine.drift import undo_accept as drift_undo
from orch.engine.events import query as event_query
from orch.engine.forwarding import addresses
from orch.engine.forwarding import announcement
from orch.engine.leftovers import query as leftover_query
from orch.engine.leftovers import sweep
from orch.engine.lifecycle import answer_hold
from orch.engine.lifecycle import query as lifecycle_query
from orch.engine.moves import move
from orch.engine.operations import hints
from orch.engine.operations import query as operation_query
from orch.engine.plans import planned_creation
from orch.engine.plans import preview_create
from orch.engine.plans import preview_update
from orch.engine.plans import saved_plans
from orch.engine.resources import query as resource_query
from orch.engine.resources import reports
from orch.engine.search_documents import changes
from orch.engine.search_documents import orphans
from orch.engine.search_documents import reader
from orch.engine.services import query as service_query
from orch.engine.signals import signal
from orch.engine.snapshots import delete as snapshot_delete
from orch.engine.snapshots import query as snapshot_query
from orch.engine.snapshots import requests as snapshot_requests
from orch.engine.software import configs
from orch.engine.software import deployments
from orch.engine.stacks import actions
from orch.engine.stacks import create as stack_create
from orch.engine.stacks import query as stack_query
from orch.engine.stacks import retry
from orch.engine.stacks import update as stack_update
from orch.engine.templates import container_files
from orch.engine.templates import language
from orch.engine.templates import resource_types
from orch.rpc import contract
from orch.rpc import endpoint
from orch.rpc.contract import methods

UseCase = collections.abc.Callable[..., object]

USE_CASES: typing.Final[
    collections.abc.Mapping[type, collections.abc.Mapping[str, UseCase]]
] = {
    contract.Stacks: {
        "identify": stack_query.identify_stack,
        "list": stack_query.list_stacks,
        "count": stack_query.count_stacks,
        "show": stack_query.show_stack,
        "create": stack_create.submit_create,
        "update": stack_update.submit_update,
        "delete": actions.submit_delete,
        "retry": retry.submit_retry,
        "act": actions.submit_action,
        "cancel": actions.submit_cancel,
        "template": stack_query.read_template,
        "environment": stack_query.read_environment,
        "files": stack_query.read_files,
        "outputs": stack_query.list_outputs,
        "output": stack_query.show_output,
    },
    contract.Resources: {
        "list": resource_query.list_resources,
        "show": resource_query.show_resource,
        "metadata": resource_query.show_metadata,
        "find_stack": resource_query.find_stack,
        "mark_unhealthy": reports.mark_resource,
        "answer_outcome": reports.answer_outcome,
        "revoke_addresses": signal.revoke_addresses,
        "signal": signal.submit_signal,
    },
    contract.Events: {
        "list": event_query.list_events,
        "show": event_query.show_event,
        "follow": event_query.follow_events,
    },
    contract.Templates: {
        "validate": language.validate_template,
        "files": container_files.read_container,
        "versions": language.list_versions,
        "functions": language.list_functions,
    },
    contract.ResourceTypes: {
        "list": resource_types.list_types,
        "show": resource_types.show_type,
        "template": resource_types.type_template,
    },
    contract.Operations: {
        "run": hints.wake_operation,
        "run_some": hints.wake_operations,
        "child_ended": hints.wake_parent,
        "list": operation_query.list_operations,
        "show": operation_query.show_operation,
    },
    contract.Plans: {
        "create": saved_plans.create_plan,
        "create_with_stack": planned_creation.create_plan_with_stack,
        "list": saved_plans.list_plans,
        "show": saved_plans.show_plan,
        "delete": saved_plans.delete_plan,
        "apply": saved_plans.apply_plan,
        "preview_create": preview_create.preview_create,
        "preview_update": preview_update.preview_update,
        "preview_adoption": preview_create.preview_adoption,
    },
    contract.Snapshots: {
        "create": snapshot_requests.submit_snapshot,
        "list": snapshot_query.list_snapshots,
        "show": snapshot_query.show_snapshot,
        "delete": snapshot_delete.delete_snapshot,
        "restore": snapshot_requests.submit_restore,
    },
    contract.Adoption: {
        "adopt": adopt.submit_adopt,
        "export": adoption_document.export_document,
        "prepare": abandon.prepare_abandon,
        "commit": abandon.submit_abandon,
        "show": abandon.show_abandoned,
        "show_addresses": announcement.show_announcement,
        "list_forwarded": addresses.list_addresses,
        "announce": addresses.announce_addresses,
        "generate": generate.generate_template,
    },
    contract.HandOvers: {
        "offer": hand_overs.submit_offer,
        "list": hand_overs.list_hand_overs,
        "withdraw": hand_overs.withdraw_offer,
        "take_over": hand_overs.submit_take_over,
        "preview": preview_create.preview_take_over,
    },
    contract.Leftovers: {
        "list": leftover_query.list_leftovers,
        "show": leftover_query.show_leftover,
        "sweep": sweep.submit_sweep,
        "forget": sweep.forget_leftover,
    },
    contract.Lifecycle: {
        "list": lifecycle_query.list_plugins,
        "holds": lifecycle_query.list_holds,
        "all_holds": lifecycle_query.list_all_holds,
        "approve": answer_hold.approve_hold,
        "reject": answer_hold.reject_hold,
    },
    contract.Moves: {
        "move": move.submit_move,
        "preview": move.preview_move,
    },
    contract.Drift: {
        "observe": drift_policy.request_observation,
        "show": drift_query.show_drift,
        "show_policy": drift_policy.show_policy,
        "set_policy": drift_policy.set_policy,
        "accept": drift_accept.submit_drift_acceptance,
        "undo_accept": drift_undo.submit_undo,
        "history": drift_history.list_history,
        "show_pause": drift_pause.show_pause,
        "pause": drift_pause.pause_observer,
        "resume": drift_pause.resume_observer,
        "template": drift_template.make_template,
    },
    contract.SoftwareConfigs: {
        "list": configs.list_configs,
        "create": configs.create_config,
        "show": configs.show_config,
        "delete": configs.delete_config,
    },
    contract.SoftwareDeployments: {
        "poll": deployments.poll_server,
        "metadata": deployments.server_metadata,
        "list": deployments.list_deployments,
        "create": deployments.create_deployment,
        "show": deployments.show_deployment,
        "update": deployments.update_deployment,
        "delete": deployments.delete_deployment,
    },
    contract.Services: {
        "list": service_query.list_services,
        "revision": service_query.engine_revision,
    },
    contract.Documents: {
        "list_stacks": reader.list_stacks,
        "read": reader.read_stacks,
        "changes": changes.list_changes,
        "resources": reader.read_resources,
        "orphans": orphans.list_,
    },
}
"""Use cases by namespace and method."""


def build_endpoints(
    deps: dependencies.Dependencies,
) -> list[endpoint.Endpoint]:
    """Return the endpoints of all namespaces that workers serve.

    :raises KeyError: a namespace is not in :data:`USE_CASES`
    :raises TypeError: a method has no use case of the same parameters
    """
    return [
        build_endpoint(deps, each, USE_CASES[each])
        for each in contract.NAMESPACES
    ]


def build_endpoint(
    deps: dependencies.Dependencies,
    kind: type,
    use_cases: collections.abc.Mapping[str, UseCase],
) -> endpoint.Endpoint:
    """Return the endpoint of a namespace, whose methods run use cases.

    :param kind: the Protocol of the namespace
    :raises TypeError: a method has no use case of the same parameters
    """
    return endpoint.Endpoint(kind, use_cases, functools.partial(_run, deps))


def _run(
    deps: dependencies.Dependencies,
    policy: methods.Policy,
    use_case: UseCase,
    ctxt: request.RequestContext,
    /,
    **kwargs: object,
) -> object:
    """Run a use case as the policy of its method says."""
    ctxt.other_projects = project_access.find_access(
        deps.rules, ctxt, is_read=policy.is_read
    )
    if policy.once:
        return idempotency.run_once(deps, ctxt, use_case, **kwargs)
    return use_case(deps, ctxt, **kwargs)
