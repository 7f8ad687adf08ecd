"""What counting for Prometheus costs, beside not counting.

Two systems stand side by side and create the same in turn, so that whatever
else the machine does meets both.
"""

import pathlib
import tempfile

from bench import forms
from bench import lifecycle
from bench import notifications
from tests.support import ports
from tests.support import scraped


def measure(form: str, target: pathlib.Path) -> None:
    """Keep lines for 1,000 resources in one stack, and in a tree.

    :raises AssertionError: what should count does not
    """
    port = ports.find_free()
    with tempfile.TemporaryDirectory() as directory:
        place = pathlib.Path(directory)
        for name in ("off", "on"):
            (place / name).mkdir()
        with (
            forms.running(form, place / "off", {}) as off,
            forms.running(
                form, place / "on", {"metrics": {"port": port}}
            ) as on,
        ):
            for op, wanted in (
                ("create", lifecycle.flat()),
                ("create a tree", lifecycle.tree()),
            ):
                found = notifications.compare(off, on, *wanted)
                facts = {"op": op, "resources": lifecycle.SIZE, **found}
                lifecycle.save_result(target, facts)
            if "orch_operations_ended_total" not in scraped.scrape(port):
                raise AssertionError("nothing was counted")
