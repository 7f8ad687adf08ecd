"""What a template costs has bounds: linear in its size, and never without end.

Costs are counted in calls, which are the same on every machine, or in CPU
seconds of one size compared with those of another.
"""

import collections.abc
import contextlib
import gc
import json
import subprocess
import sys
import time
import typing

import hypothesis
import yaml
from hypothesis import strategies

from orch import errors
from orch.plugin import registry
from orch.template import inputs
from tests import base
from tests.support import fuzz
from tests.unit.template import bombs
from tests.unit.template import exercise
from tests.unit.template import shapes

_UNBOUND = inputs.Limits(template_size=-1, resources=-1)
_SIZE = 5_000
_ROUNDS = 6
_LINEAR = 8
"""Four times the size may take that many times the CPU; squares take 16."""
_NOISE_S = 0.002

Act = collections.abc.Callable[[], object]


def _cpu_s(act: Act) -> float:
    """Return the CPU seconds of an act.

    A collection of garbage looks at all that other tests have left, so it
    says nothing of the act.
    """
    gc.collect()
    gc.disable()
    try:
        begun = time.process_time()
        act()
        return time.process_time() - begun
    finally:
        gc.enable()


def _calls(act: Act) -> int:
    """Return how many functions are called, of Python and of C."""
    count = 0

    def see(frame: object, event: str, argument: object) -> None:
        nonlocal count
        if event in ("call", "c_call"):
            count += 1

    before = sys.getprofile()
    sys.setprofile(see)
    try:
        act()
    finally:
        sys.setprofile(before)
    return count


def _repeated(part: object, where: str, count: int) -> dict[str, object]:
    """Return a template that has a part that many times."""
    written: dict[str, object] = {
        "heat_template_version": "2021-04-16",
        "parameters": {"p": {"type": "json", "default": [1, {"a": 2}]}},
        "conditions": {"c": True},
        "resources": {"a": {"type": "OS::Heat::None"}},
    }
    numbers = range(count)
    if where == "outputs":
        written["outputs"] = {f"o{one}": {"value": part} for one in numbers}
    elif where == "list":
        written["outputs"] = {"o": {"value": [part] * count}}
    elif where == "map":
        parts = {f"k{one}": part for one in numbers}
        written["outputs"] = {"o": {"value": parts}}
    elif where == "conditions":
        written["conditions"] = {f"c{one}": part for one in numbers}
    elif where == "parameters":
        written["parameters"] = {
            f"p{one}": {"type": "json", "default": part} for one in numbers
        }
    else:
        written["resources"] = {
            f"r{one}": {
                "type": "OS::Heat::Value",
                "properties": {"value": part},
                "metadata": {"part": part},
            }
            for one in numbers
        }
    return written


PLACES = ("outputs", "list", "map", "conditions", "parameters", "resources")


class BoundsTest(base.TestCase):
    limit_s = 300
    types: typing.ClassVar[registry.ResourceTypes]

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.types = exercise.installed_types()
        cls.play(shapes.value("{yaql: {expression: $.data, data: 1}}"))

    @classmethod
    def play(cls, given: inputs.Inputs) -> None:
        with contextlib.suppress(errors.OrchError):
            exercise.use(given, cls.types, _UNBOUND)

    def check_growth(self, shape: shapes.Shape, of_what: str) -> None:
        """Check that four times the size is not much more than that."""
        small, large = shape(_SIZE), shape(4 * _SIZE)
        least = [float("inf"), float("inf")]
        for _ in range(_ROUNDS):
            for place, given in enumerate((small, large)):
                used = _cpu_s(lambda given=given: self.play(given))
                least[place] = min(least[place], used)
            if least[1] < _LINEAR / 1.5 * least[0]:
                break
        self.assertLess(least[1], _LINEAR * least[0] + _NOISE_S, of_what)

    def test_the_cost_of_each_shape_is_linear(self) -> None:
        for name, shape in shapes.LINEAR.items():
            self.check_growth(shape, name)

    @hypothesis.settings(
        max_examples=60,
        derandomize=True,
        phases=(hypothesis.Phase.generate,),
        deadline=None,
        database=None,
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(
        fuzz.values, strategies.sampled_from(PLACES), strategies.booleans()
    )
    def test_the_calls_for_any_part_are_linear(
        self, part, place, is_text
    ) -> None:
        few, more, most = (
            self.calls(_repeated(part, place, count), is_text)
            for count in (8, 16, 32)
        )
        # What eight more cost is known; 16 more may cost a little more
        # than twice that.
        self.assertLessEqual(most - more, 2.5 * (more - few) + 200)

    def calls(self, written: dict[str, object], is_text: bool) -> int:
        """Return how many calls a template takes, text or object."""
        plain = json.loads(json.dumps(written))
        text = yaml.safe_dump(plain) if is_text else plain
        given = inputs.Inputs(text, files={"a": "text"})
        self.play(given)
        return _calls(lambda: self.play(given))

    def test_what_is_wrong_with_a_condition_is_found_once(self) -> None:
        def users(count: int) -> inputs.Inputs:
            return shapes.text(
                "conditions:",
                *(f" c{one}: {{not: c{(one + 1) % 60}}}" for one in range(60)),
                "resources:",
                *(
                    f" r{one}: {{type: OS::Heat::None, condition: c0}}"
                    for one in range(count)
                ),
            )

        few, many = (
            _calls(lambda count=count: self.play(users(count)))
            for count in (100, 300)
        )

        # Down the circle once more it is four thousand for each of them.
        self.assertLess((many - few) / 200, 1000)

    def test_work_and_memory_without_end_are_refused(self) -> None:
        # In a process of its own, which may not grow without end itself.
        done = subprocess.run(
            (sys.executable, "-m", "tests.unit.template.bombs"),
            capture_output=True,
            text=True,
            check=False,
        )

        self.assertEqual(0, done.returncode, done.stderr)
        outcomes = json.loads(done.stdout)
        self.assertEqual(set(bombs.BOMBS), set(outcomes))
        harmless = {
            name for name, found in outcomes.items() if not found["outcome"]
        }
        self.assertEqual(bombs.HARMLESS, harmless)
        for name, found in outcomes.items():
            self.assertNotIn("orch.internal", found["outcome"], name)
            self.assertLess(found["cpu_s"], 5, name)
