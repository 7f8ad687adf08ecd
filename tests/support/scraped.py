"""What a process shows of its metrics, as Prometheus reads it."""

import fixtures
import requests
from prometheus_client import parser

from orch.metrics import exposition
from orch.metrics import meters

Labels = frozenset[tuple[str, str]]
Samples = dict[tuple[str, Labels], float]


class Scraped:
    """The samples of one scrape.

    :ivar types: of each family, by its name
    """

    def __init__(self, text: str) -> None:
        self._samples: Samples = {}
        self.types: dict[str, str] = {}
        for family in parser.text_string_to_metric_families(text):
            self.types[family.name] = family.type
            for each in family.samples:
                key = each.name, frozenset(each.labels.items())
                assert key not in self._samples, f"{key} comes twice"
                self._samples[key] = each.value

    def value(self, name: str, **labels: str) -> float:
        """Return the one sample with these labels; 0 where there is none."""
        return self._samples.get((name, frozenset(labels.items())), 0.0)

    def all_of(self, name: str, *labels: str) -> dict[tuple[str, ...], float]:
        """Return all samples of a name by the values of these labels."""
        found: dict[tuple[str, ...], float] = {}
        for (own, given), value in self._samples.items():
            if own == name:
                known = dict(given)
                key = tuple(known[each] for each in labels)
                found[key] = found.get(key, 0.0) + value
        return found

    def __contains__(self, name: str) -> bool:
        """Answer whether there is a sample of this name."""
        return any(own == name for own, _ in self._samples)


def scrape(port: int, host: str = "127.0.0.1") -> Scraped:
    """Return what is shown now.

    :raises requests.RequestException: nothing is
    """
    answer = requests.get(f"http://{host}:{port}/metrics", timeout=10)
    answer.raise_for_status()
    return Scraped(answer.text)


class Counting(fixtures.Fixture):
    """What this very process counts, from now to the end of the test."""

    def __init__(self, *reads: meters.Read) -> None:
        super().__init__()
        self._reads = reads

    def _setUp(self) -> None:  # noqa: N802 - fixtures names it
        self._counted = exposition.Collection("test", "0", self._reads)
        self.addCleanup(self._counted.end)

    def all_of(self, name: str, *labels: str) -> dict[tuple[str, ...], float]:
        """Return all samples of a name by the values of these labels."""
        return Scraped(self._counted.text()).all_of(name, *labels)
