"""What all tests of an index stand on."""

import abc

from orch.search import document as documents
from orch.search.index import port
from orch.search.query import nodes
from tests import base
from tests.contract.search import samples


class Case(base.TestCase, abc.ABC):
    """A test with an empty index that is prepared.

    :ivar index: closed after the test
    """

    limit_s = 120

    @abc.abstractmethod
    def make_index(self) -> port.Index:
        """Return an index that nothing was put into; prepared."""

    @abc.abstractmethod
    def reopen(self) -> port.Index:
        """Return another opening of the index of :meth:`make_index`."""

    def setUp(self) -> None:
        super().setUp()
        self.index = self.make_index()
        self.addCleanup(self.index.close)

    def put(self, *found: documents.Document, version: int = 1) -> None:
        """Put documents, as all that there is of stack ``s1``."""
        self.index.put([samples.stacked(*found, version=version)])

    def ids(
        self,
        node: nodes.Node = samples.ALL,
        scope: port.Scope = samples.USER,
        index: port.Index | None = None,
        **values: object,
    ) -> list[str]:
        """Return what is found, without the kind, in its order.

        The total has to agree with it.
        """
        found = (index or self.index).search(
            samples.query(node, scope, **values)
        )
        self.assertEqual(len(found.hits), found.total)
        return [each.document.id.partition("/")[2] for each in found.hits]

    def sorted_ids(
        self, node: nodes.Node, scope: port.Scope = samples.USER
    ) -> str:
        """Return what is found, in the order of ids, in one text."""
        return " ".join(sorted(self.ids(node, scope)))
