"""Starts Orch as it is measured: its defaults, with the limits lifted."""

import collections.abc
import contextlib
import pathlib

from tests.functional import databases
from tests.support import rabbit
from tests.support import systems

LIFTED = {
    "DEFAULT": {
        "max_template_size": -1,
        "max_json_body_size": -1,
        "max_resources_per_stack": -1,
        "max_stacks_per_tenant": -1,
    }
}


@contextlib.contextmanager
def running(
    form: str,
    directory: pathlib.Path,
    options: systems.Options | None = None,
    environment: collections.abc.Mapping[str, str] | None = None,
    searchers: int = 0,
) -> collections.abc.Iterator[systems.System]:
    """Yield a running system, and take it down afterwards.

    :param form: ``embedded``, ``distributed`` (1 API and 2 workers on
        RabbitMQ and PostgreSQL), or ``mariadb`` (the same on MariaDB, whose
        server counts statements)
    :param options: groups beside those that lift the limits
    :param searchers: how many ``orch-search`` there are; ``orch-all`` is one
    """
    wanted = {**LIFTED, **(options or {})}
    if form == "embedded":
        with systems.Embedded(
            directory, options=wanted, environment=environment
        ) as system:
            system.start()
            yield system
        return
    kind = databases.MariaDB if form == "mariadb" else databases.PostgreSQL
    with (
        rabbit.VirtualHost() as broker,
        kind() as database,
        systems.Distributed(
            directory,
            transport_url=broker.url(),
            connection=database.url,
            workers=2,
            searchers=searchers,
            options=wanted,
            environment=environment,
        ) as system,
    ):
        system.start()
        yield system
