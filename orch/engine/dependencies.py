"""What the use cases of a worker work with, passed down from its start."""

import collections.abc
import dataclasses
import typing

from oslo_config import cfg

from orch import clock as clocks
from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.engine import live
from orch.engine import stored
from orch.engine.nested import nest
from orch.engine.nested import types as nested_types
from orch.model import resource
from orch.model import stack
from orch.plugin import registry
from orch.template import installation
from orch.template import limits as template_limits
from orch.template import template


class Waker(typing.Protocol):
    """What the use cases need of the conductor."""

    def wake(self, operation_id: ids.OperationId | None) -> None:
        """Look for this operation now; ``None``: for any that waits."""

    def look_at_inner(
        self, stack_id: ids.StackId, inner_id: ids.StackId
    ) -> bool:
        """Let what waits for an inner stack look at it now.

        :returns: whether anything of the outer stack runs here
        """


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What an operator allows; -1 lifts a limit.

    :ivar max_stacks_per_tenant: live root stacks of one project
    :ivar max_snapshots_per_stack: those that failed count too
    :ivar stack_action_timeout: seconds that an operation may take when the
        request says nothing
    :ivar max_nested_stack_depth: levels below a root stack
    :ivar max_kept_size: bytes that signals may leave with one resource
    :ivar adopts: stacks may be made of things that exist already
    :ivar abandons: stacks may be exported and abandoned
    :ivar checks_adopted: a stack is checked as soon as it was adopted
    :ivar document_days: for which documents of abandoned stacks are kept
    :ivar seals_documents: their secrets are sealed when a request does not
        say
    :ivar receiver: public key that they are sealed for then; empty for the
        own one
    :ivar document_keys: private keys that open sealed documents
    """

    max_stacks_per_tenant: int = 512
    max_snapshots_per_stack: int = 32
    stack_action_timeout: int = 3600
    max_nested_stack_depth: int = 5
    max_kept_size: int = 262144
    adopts: bool = False
    abandons: bool = False
    checks_adopted: bool = False
    document_days: float = 30.0
    seals_documents: bool = False
    receiver: str = ""
    document_keys: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Dependencies:
    """The parts of one worker that its use cases share.

    :ivar limits: for templates that come with a request
    :ivar templates: those of stored stacks
    :ivar installed: what holds below the environment of each request
    :ivar reads: how plug-ins are asked while somebody waits for the answer
    """

    database: db_engine.Database
    types: registry.ResourceTypes
    limits: template_limits.Limits
    settings: Settings
    clock: clocks.Clock
    conductor: Waker
    templates: stored.Templates
    installed: installation.Installation = installation.NOTHING
    reads: live.Reads = dataclasses.field(default_factory=live.Reads)

    def types_of(
        self,
        subject: stack.Stack,
        bound: template.Template | None,
        asked_by: request.RequestContext,
        rows: collections.abc.Iterable[resource.Resource] = (),
    ) -> registry.Types:
        """Return the types of a stack, those that nest too.

        :param bound: the template that it has, or is to have
        :param rows: its resources, where a plan is made of them
        """
        return nested_types.serve(
            nest.Nest(
                self._surroundings,
                subject,
                bound,
                rows=rows,
                asked_by=asked_by,
            )
        )

    @property
    def _surroundings(self) -> nest.Surroundings:
        return nest.Surroundings(
            database=self.database,
            types=self.types,
            templates=self.templates,
            limits=self.limits,
            clock=self.clock,
            wake=self.conductor.wake,
            reads=self.reads,
            serve=nested_types.serve,
            installed=self.installed,
        )


def limits_of(conf: cfg.ConfigOpts) -> template_limits.Limits:
    """Return the limits of templates that the options set."""
    return template_limits.Limits(
        template_size=conf.max_template_size,
        resources=conf.max_resources_per_stack,
        nested_depth=conf.max_nested_stack_depth,
        yaql_iterations=conf.yaql.limit_iterators,
        yaql_memory=conf.yaql.memory_quota,
    )


def settings_of(conf: cfg.ConfigOpts) -> Settings:
    """Return what else the options allow."""
    return Settings(
        max_stacks_per_tenant=conf.max_stacks_per_tenant,
        max_snapshots_per_stack=conf.max_snapshots_per_stack,
        stack_action_timeout=conf.stack_action_timeout,
        max_nested_stack_depth=conf.max_nested_stack_depth,
        max_kept_size=conf.signals.max_kept_size,
        adopts=conf.enable_stack_adopt,
        abandons=conf.enable_stack_abandon,
        checks_adopted=conf.check_after_adopt,
        document_days=conf.abandoned_document_days,
        seals_documents=conf.adoption.secrets == "sealed",
        receiver=conf.adoption.receiver,
        document_keys=tuple(conf.adoption.private_keys),
    )
