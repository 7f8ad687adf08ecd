"""OpenSearch keeps the contract, as far as it can be played here."""

from oslo_config import cfg

from orch.conf import search as options
from orch.search.index import port
from orch.search.index.opensearch import index as opensearch_index
from tests.contract.search import contract
from tests.contract.search import formats
from tests.support.opensearch import server


class OpenSearchIndexTest(contract.Contract, formats.Formats):
    def make_index(self) -> port.Index:
        self.server = self.useFixture(server.OpenSearch())
        index = self._open()
        index.prepare()
        return index

    def reopen(self) -> port.Index:
        index = self._open()
        self.addCleanup(index.close)
        return index

    def write_format(self, add: int) -> None:
        for name in ("notes", "stacks", "documents"):
            body = self.server.body_of(f"orch-search-{name}")
            body["mappings"]["_meta"]["format"] += add

    def open_nothing(self) -> port.Index:
        self.server = self.useFixture(server.OpenSearch())
        return self.reopen()

    def _open(self) -> port.Index:
        conf = cfg.ConfigOpts()
        options.SECTION.register(conf)
        return opensearch_index.from_url(self.server.url(), conf)
