"""Asks services whether they know the values that a request wants.

What a service knows is kept for a while, since forms are sent again and
again; what it does not know is asked each time, since people make it then.
"""

import collections
import collections.abc
import logging
import threading
import typing

from orch import clock
from orch import errors
from orch.context import request
from orch.engine import credentials
from orch.engine import plugin_reads
from orch.plugin import clouds
from orch.plugin import constraints
from orch.template import service_constraints

if typing.TYPE_CHECKING:
    from openstack import connection

LOG = logging.getLogger(__name__)

_CACHE_TTL_S: typing.Final = 60.0
_MAX_CACHED: typing.Final = 4096

_Reasons = dict[service_constraints.Question, str]
_Key = tuple[str | None, str, str]


class Checks:
    """The checks of a worker, and the values that are known to be right."""

    def __init__(
        self,
        callers: credentials.Callers,
        reads: plugin_reads.PluginReads,
        clock_: clock.Clock,
        table: constraints.Table | None = None,
    ) -> None:
        """Ask nothing yet.

        :param callers: acts for who asks, while they wait
        :param table: checks by name; those that are installed by default
        """
        self._callers = callers
        self._reads = reads
        self._clock = clock_
        self._table = table
        self._lock = threading.Lock()
        self._right: collections.OrderedDict[_Key, float] = (
            collections.OrderedDict()
        )

    def find_problems(
        self,
        ctxt: request.RequestContext,
        questions: collections.abc.Collection[service_constraints.Question],
    ) -> _Reasons:
        """Return why values are wrong.

        Where there is no cloud nothing is asked, and a service that cannot
        be asked now is no reason to refuse: the log tells of it, and the
        creation will see.
        """
        project = ctxt.project_id
        left = [
            one
            for one in sorted(questions)
            if not self._is_cached(project, one)
        ]
        if not left:
            return {}
        budget = self._reads.begin()
        try:
            cloud = budget.run(lambda: self._callers.connect_for(ctxt))
        except clouds.NoCloud:
            return {}
        except Exception as error:
            _log_unchecked(left, error)
            return {}
        wrong: _Reasons = {}
        for question in left:
            reason = self._ask(budget, cloud, project, question)
            if reason is not None:
                wrong[question] = reason
        return wrong

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
        except Exception as error:
            _log_unchecked([question], error)
            return None
        self._cache_answer(project, question)
        return None

    def _is_cached(
        self, project: str | None, question: service_constraints.Question
    ) -> bool:
        with self._lock:
            until = self._right.get((project, *question), 0.0)
        return self._clock.monotonic() < until

    def _cache_answer(
        self, project: str | None, question: service_constraints.Question
    ) -> None:
        key = (project, *question)
        with self._lock:
            self._right[key] = self._clock.monotonic() + _CACHE_TTL_S
            self._right.move_to_end(key)
            while len(self._right) > _MAX_CACHED:
                self._right.popitem(last=False)


def _log_unchecked(
    questions: collections.abc.Sequence[service_constraints.Question],
    error: Exception,
) -> None:
    """Write that services were not asked; a fault of ours with its trace."""
    names = ", ".join(dict.fromkeys(name for name, _ in questions))
    is_ours = not isinstance(error, errors.OrchError)
    LOG.warning(
        "values of %s are taken unchecked: %s", names, error, exc_info=is_ours
    )
