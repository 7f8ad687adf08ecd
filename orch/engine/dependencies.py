"""The parts of a worker that its use cases share, and their settings."""

import collections.abc
import dataclasses
import typing

from oslo_config import cfg

from orch import clock as clocks
from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.engine import active_plugins
from orch.engine import constraint_checks
from orch.engine import credentials
from orch.engine import plugin_reads
from orch.engine import software_quota
from orch.engine.execution import planning
from orch.engine.nested import children
from orch.engine.nested import types as nested_types
from orch.engine.stack_inputs import template_cache
from orch.flow.state import drift_records
from orch.model import resource
from orch.model import stack
from orch.plugin import lifecycle_order as rosters
from orch.plugin import registry
from orch.policies import enforcer
from orch.template import inputs
from orch.template import template
from orch.template.environment import installation


class Waker(typing.Protocol):
    """The methods of the conductor that use cases call."""

    def wake(self, operation_id: ids.OperationId | None) -> None:
        """Claim this operation now; ``None``: any that waits."""

    def look_at_child(
        self, stack_id: ids.StackId, child_id: ids.StackId
    ) -> bool:
        """Let the resource that waits for a child stack poll it now.

        :returns: whether an operation of the parent stack runs here
        """


class Plugins(typing.Protocol):
    """The lifecycle plug-ins of a worker; others may follow them."""

    @property
    def order(self) -> rosters.PluginOrder:
        """Return the plug-ins that are called now."""

    @property
    def number(self) -> int:
        """Return the number of their plug-in settings."""

    def check_active(self) -> None:
        """Raise Unavailable if they are not those in force.

        :raises orch.errors.AskAnother: they must not be asked
        """


Pace = collections.abc.Callable[[str, str, float], bool]
"""Waits until a call may be made: for a project, about a type, and for so many
seconds at most. False where the limit does not allow it by then."""


def _no_rate_limit(project_id: str, type_name: str, within_s: float) -> bool:
    """Allow every call."""
    return True


def _wait_for_scan() -> None:
    """Do nothing: the next scan of any worker finds it."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Limits and switches that an operator sets; -1 lifts a limit.

    :ivar max_stacks_per_tenant: live root stacks of one project
    :ivar max_snapshots_per_stack: those that failed count too
    :ivar max_plans_per_stack: those that can be applied, and as many others
    :ivar software: how many software configs and deployments a project
        may have
    :ivar stack_action_timeout: seconds that an operation may take when the
        request says nothing
    :ivar max_nested_stack_depth: levels below a root stack
    :ivar max_stored_size: bytes that signals may leave with one resource
    :ivar adopts: stacks may be created from physical resources that exist
        already
    :ivar abandons: stacks may be exported and abandoned
    :ivar checks_adopted: a stack is checked as soon as its adoption completes
    :ivar document_days: days for which the documents of abandoned stacks are
        stored
    :ivar seals_documents: their secrets are sealed when a request does not
        say
    :ivar recipient_public_key: public key that they are sealed for then; empty
        for that of this installation
    :ivar document_keys: private keys that open sealed documents
    :ivar max_document_size: bytes of JSON of a document, as it is sent
    :ivar max_unpacked_document_size: the same of a compact document, with all
        its texts in their places
    :ivar seal_keys: what seals addresses for signals, the newest first
    :ivar forward_hosts: hosts that signals of abandoned stacks may be
        forwarded to
    :ivar address_idle_time_s: seconds without a request at the old address
        after which its users count as moved to the new one
    :ivar idempotency_key_ttl_s: seconds for which answers to requests with an
        idempotency key are stored
    :ivar max_idempotency_keys_per_project: how many of those answers are
        stored
    :ivar observes_on_update: updates survey the physical resources unless the
        request says otherwise
    :ivar hidden_tags: stacks with one of these tags are visible to
        administrators only
    :ivar observes: workers observe physical resources periodically
    """

    max_stacks_per_tenant: int = 512
    max_snapshots_per_stack: int = 32
    max_plans_per_stack: int = 32
    software: software_quota.SoftwareQuota = software_quota.DEFAULT_QUOTA
    stack_action_timeout: int = 3600
    max_nested_stack_depth: int = 5
    max_stored_size: int = 262144
    adopts: bool = False
    abandons: bool = False
    checks_adopted: bool = False
    document_days: float = 30.0
    seals_documents: bool = False
    recipient_public_key: str = ""
    document_keys: tuple[str, ...] = ()
    max_document_size: int = 8388608
    max_unpacked_document_size: int = 67108864
    seal_keys: tuple[str, ...] = ()
    forward_hosts: tuple[str, ...] = ()
    address_idle_time_s: float = 300.0
    idempotency_key_ttl_s: float = 86400.0
    max_idempotency_keys_per_project: int = 10000
    observes_on_update: bool = False
    hidden_tags: tuple[str, ...] = ()
    observes: bool = False


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Dependencies:
    """The parts of one worker that its use cases share.

    :ivar limits: for templates that come with a request
    :ivar templates: those of stored stacks
    :ivar records: stores what is known of drift
    :ivar installed: the environment of the installation, below that of each
        request
    :ivar plugins: the lifecycle plug-ins of the worker
    :ivar reads: how plug-ins are read while a caller waits for the answer
    :ivar credential_store: stores the credentials that callers leave to stacks
    :ivar callers: connects to the cloud as a caller, while the caller waits
    :ivar look: lets this worker observe the requested trees now
    :ivar rules: which caller may have which types
    :ivar surveyor: reads physical resources before updates that converge;
        ``None`` where none does
    :ivar checks: checks values of new templates with the services; ``None``
        where there is no cloud
    :ivar pace: rate limit of the reads that drift makes while a caller waits
    :ivar notify: called after something was put into the outbox
    """

    database: db_engine.Database
    types: registry.ResourceTypes
    limits: inputs.Limits
    settings: Settings
    clock: clocks.Clock
    conductor: Waker
    rules: enforcer.Enforcer
    templates: template_cache.TemplateCache
    records: drift_records.DriftRecords
    installed: installation.Installation = installation.NO_INSTALLATION
    plugins: Plugins = dataclasses.field(
        default_factory=active_plugins.FixedPlugins
    )
    reads: plugin_reads.PluginReads = dataclasses.field(
        default_factory=plugin_reads.PluginReads
    )
    credential_store: credentials.CredentialStore = dataclasses.field(
        default_factory=credentials.CredentialStore
    )
    callers: credentials.Callers = dataclasses.field(
        default_factory=credentials.Callers
    )
    look: collections.abc.Callable[[], None] = _wait_for_scan
    surveyor: planning.Surveyor | None = None
    checks: constraint_checks.Checks | None = None
    pace: Pace = _no_rate_limit
    notify: collections.abc.Callable[[], None] = _wait_for_scan

    @property
    def plugin_order(self) -> rosters.PluginOrder:
        """Return the lifecycle plug-ins that are called now."""
        return self.plugins.order

    def types_of(
        self,
        stack: stack.Stack,
        parsed_template: template.Template | None,
        requested_by: request.RequestContext,
        rows: collections.abc.Iterable[resource.Resource] = (),
    ) -> registry.Types:
        """Return the types of a stack, those of child stacks too.

        :param parsed_template: the template that it has, or is to have
        :param rows: its resources, where a plan is made of them
        """
        return nested_types.serve_types(
            children.ChildStacks(
                self._nested_context,
                stack,
                parsed_template,
                rows=rows,
                requested_by=requested_by,
            )
        )

    def _wake(
        self, operation_ids: collections.abc.Sequence[ids.OperationId]
    ) -> None:
        for each in operation_ids:
            self.conductor.wake(each)

    @property
    def _nested_context(self) -> children.NestedContext:
        return children.NestedContext(
            database=self.database,
            types=self.types,
            templates=self.templates,
            limits=self.limits,
            clock=self.clock,
            wake=self._wake,
            reads=self.reads,
            rules=self.rules,
            serve=nested_types.serve_types,
            installed=self.installed,
        )


def limits_of(conf: cfg.ConfigOpts) -> inputs.Limits:
    """Return the limits of templates that the options set."""
    return inputs.Limits(
        template_size=conf.max_template_size,
        resources=conf.max_resources_per_stack,
        nested_depth=conf.max_nested_stack_depth,
        yaql_iterations=conf.yaql.limit_iterators,
        yaql_memory=conf.yaql.memory_quota,
        function_s=conf.engine.max_function_time,
    )


def settings_of(conf: cfg.ConfigOpts) -> Settings:
    """Return the settings that the options make."""
    return Settings(
        max_stacks_per_tenant=conf.max_stacks_per_tenant,
        max_snapshots_per_stack=conf.max_snapshots_per_stack,
        max_plans_per_stack=conf.max_plans_per_stack,
        software=software_quota.SoftwareQuota.from_conf(conf),
        stack_action_timeout=conf.stack_action_timeout,
        max_nested_stack_depth=conf.max_nested_stack_depth,
        max_stored_size=conf.signals.max_stored_size,
        adopts=conf.enable_stack_adopt,
        abandons=conf.enable_stack_abandon,
        checks_adopted=conf.check_after_adopt,
        document_days=conf.abandoned_document_days,
        seals_documents=conf.adoption.secrets == "sealed",
        recipient_public_key=conf.adoption.recipient_public_key,
        document_keys=tuple(conf.adoption.private_keys),
        max_document_size=conf.adoption.max_document_size,
        max_unpacked_document_size=conf.adoption.max_unpacked_document_size,
        seal_keys=tuple(conf.signals.seal_keys),
        forward_hosts=tuple(conf.adoption.forward_hosts),
        address_idle_time_s=conf.adoption.address_idle_time,
        idempotency_key_ttl_s=conf.engine.idempotency_key_ttl,
        max_idempotency_keys_per_project=conf.engine.max_idempotency_keys_per_project,
        observes_on_update=conf.engine.observe_on_update,
        hidden_tags=tuple(conf.api.hidden_stack_tags),
        observes=conf.observer.enabled,
    )
