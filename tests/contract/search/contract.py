"""All of it: the class that a backend takes."""

from tests.contract.search import aggregating
from tests.contract.search import answering
from tests.contract.search import finding
from tests.contract.search import folding
from tests.contract.search import generated
from tests.contract.search import large
from tests.contract.search import putting
from tests.contract.search import redaction
from tests.contract.search import storage
from tests.contract.search import straying
from tests.contract.search import unchanged


class Contract(
    putting.Putting,
    redaction.Redaction,
    finding.Finding,
    folding.Folding,
    aggregating.Aggregating,
    answering.Answering,
    storage.Storage,
    generated.Generated,
    large.Large,
    straying.Straying,
    unchanged.Unchanged,
):
    """Every test of an index; a backend says how to make one."""
