"""All of it: the class that a backend takes."""

from tests.contract.search import answering
from tests.contract.search import covering
from tests.contract.search import finding
from tests.contract.search import generated
from tests.contract.search import keeping
from tests.contract.search import large
from tests.contract.search import putting
from tests.contract.search import straying


class Contract(
    putting.Putting,
    covering.Covering,
    finding.Finding,
    answering.Answering,
    keeping.Keeping,
    generated.Generated,
    large.Large,
    straying.Straying,
):
    """Every test of an index; a backend says how to make one."""
