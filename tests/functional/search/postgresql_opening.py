"""What the tests of the index in PostgreSQL begin with."""

from orch.search import document as documents
from orch.search.index import port
from orch.search.index.postgresql import index as postgresql_index
from tests import base
from tests.contract.search import samples


def pair(stack_id: str, version: int) -> documents.StackDocuments:
    """Return a stack of many documents that all name its version."""
    return samples.stacked(
        *(
            samples.resource(
                f"{stack_id}{number}",
                stack_id=stack_id,
                fields={"properties.version": (version,)},
            )
            for number in range(40)
        ),
        stack_id=stack_id,
        version=version,
    )


class Case(base.TestCase):
    limit_s = 180

    def open(self, url: str) -> postgresql_index.PostgresIndex:
        index = postgresql_index.PostgresIndex(url)
        self.addCleanup(index.close)
        return index

    def total(
        self, index: port.Index, scope: port.Scope = samples.ADMIN
    ) -> int:
        return index.search(samples.query(scope=scope)).total
