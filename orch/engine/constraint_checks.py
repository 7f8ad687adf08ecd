"""Ask services whether they accept the values of a request.

A value that a service knows is cached for a while, since forms are sent again
and again; an unknown one is checked each time, since users create it then.
"""

import collections.abc
import logging
import threading
import typing

import cachetools

from orch import clock
from orch import errors
from orch import redacted
from orch.clients import rest
from orch.context import outside
from orch.context import request
from orch.engine import credentials
from orch.engine import plugin_reads
from orch.plugin import clouds
from orch.plugin import constraints
from orch.plugin import logged_errors
from orch.template import service_constraints

if typing.TYPE_CHECKING:
    from openstack import connection

LOG = logging.getLogger(__name__)

_CACHE_TTL_S: typing.Final = 60.0
_MAX_CACHED: typing.Final = 4096

_SERVICE: typing.Final = ""
"""Stands for the name of a constraint, where a service is known to exist."""

_Reasons = dict[service_constraints.Question, str]
_Key = tuple[str | None, str, str]


class Checks:
    """Constraint checks of a worker, with a cache of values that passed."""

    def __init__(
        self,
        callers: credentials.Callers,
        reads: plugin_reads.PluginReads,
        clock_: clock.Clock,
        table: constraints.Table | None = None,
    ) -> None:
        """Make no request yet.

        :param callers: connect to the cloud as the caller, who waits
        :param table: checks by name; ``None`` for those that are installed
        """
        self._callers = callers
        self._reads = reads
        self._table = table
        self._lock = threading.Lock()
        self._right: cachetools.TTLCache[_Key, bool] = cachetools.TTLCache(
            _MAX_CACHED, _CACHE_TTL_S, clock_.monotonic
        )

    def find_problems(
        self,
        ctxt: request.RequestContext,
        questions: collections.abc.Collection[service_constraints.Question],
    ) -> _Reasons:
        """Return the values that services refuse, each with the reason.

        Without a cloud nothing is checked. A service that cannot be reached
        now is no reason to refuse: a warning is logged, and the creation fails
        if the value is wrong.
        """
        project = ctxt.project_id
        with self._lock:
            left = [
                one
                for one in sorted(questions)
                if (project, *one) not in self._right
            ]
        if not left:
            return {}
        budget = self._reads.begin()
        try:
            cloud = budget.run(lambda: self._callers.connect_for(ctxt))
        except clouds.NoCloud:
            return {}
        except outside.REFUSALS:
            raise
        except Exception as error:
            _log_unchecked(left, error)
            return {}
        wrong: _Reasons = {}
        for question in left:
            reason = self._ask(budget, cloud, project, question)
            if reason is not None:
                wrong[question] = reason
        return wrong

    def find_missing(
        self,
        ctxt: request.RequestContext,
        services: collections.abc.Collection[str],
    ) -> list[str]:
        """Return the types of services that the caller's catalogue lacks.

        Without a cloud, or while it cannot be asked, none is missing: the
        creation fails if one is.
        """
        key = ctxt.project_id
        with self._lock:
            left = [
                each
                for each in sorted(services)
                if (key, _SERVICE, each) not in self._right
            ]
        if not left:
            return []
        budget = self._reads.begin()
        try:
            cloud = budget.run(lambda: self._callers.connect_for(ctxt))
            missing = budget.run(
                lambda: [
                    each for each in left if not rest.has_service(cloud, each)
                ]
            )
        except clouds.NoCloud:
            return []
        except outside.REFUSALS:
            raise
        except errors.OrchError as error:
            LOG.warning("services are taken unchecked: %s", error)
            return []
        with self._lock:
            for each in set(left) - set(missing):
                self._right[key, _SERVICE, each] = True
        return missing

    def _ask(
        self,
        budget: plugin_reads.ReadBudget,
        cloud: "connection.Connection",
        project: str | None,
        question: service_constraints.Question,
    ) -> str | None:
        """Return why a value is wrong; ``None`` where that is not known."""
        name, value = question
        table = self._table
        check = (constraints.load_constraints() if table is None else table)[
            name
        ]
        try:
            budget.run(lambda: check(cloud, value))
        except constraints.NotAccepted as error:
            return error.message
        except outside.REFUSALS:
            raise
        except Exception as error:
            _log_unchecked([question], error)
            return None
        with self._lock:
            self._right[project, *question] = True
        return None


def _log_unchecked(
    questions: collections.abc.Sequence[service_constraints.Question],
    error: Exception,
) -> None:
    """Log that values were not checked; an error of ours with its trace."""
    names = ", ".join(dict.fromkeys(name for name, _ in questions))
    values = [value for _, value in questions]
    text = logged_errors.redact_error(error, (), *values)
    LOG.warning(
        "values of %s are taken unchecked: %s",
        names,
        text,
        exc_info=None
        if isinstance(error, errors.OrchError)
        else redacted.redact_trace(error, text),
    )
