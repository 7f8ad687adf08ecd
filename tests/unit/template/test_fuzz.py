"""No template gets an internal error, however wrong it is.

``ORCH_FUZZ_EXAMPLES`` sets how many each test tries, and makes them new ones
each time; the default is few, the same for everybody.
"""

import dataclasses
import json
import os
import random
import typing

import hypothesis
import yaml
from hypothesis import strategies

from orch.plugin import registry
from orch.template import inputs
from tests import base
from tests.support import fuzz
from tests.support import shared
from tests.support import soak
from tests.unit.template import exercise

_EXAMPLES = int(os.environ.get("ORCH_FUZZ_EXAMPLES", "0"))
_KID = "heat_template_version: 2021-04-16\nparameters: {p: {type: string}}\n"


def tries(usual: int) -> hypothesis.settings:
    """Return how many examples to try when nobody said so."""
    return hypothesis.settings(
        max_examples=_EXAMPLES or soak.rounds(usual, 40 * usual),
        derandomize=not _EXAMPLES,
        phases=(hypothesis.Phase.generate, hypothesis.Phase.shrink),
        deadline=None,
        database=None,
        suppress_health_check=list(hypothesis.HealthCheck),
    )


class FuzzTest(base.TestCase):
    limit_s = 0 if _EXAMPLES else soak.rounds(120, 7200)
    types: typing.ClassVar[registry.ResourceTypes]

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.types = exercise.installed_types()

    def check(self, written, environment=None, parameters=None, **more):
        """Check that there is an answer, and that it can be told."""
        given = inputs.Inputs(
            written,
            environment,
            parameters or {},
            {"a": "text", "kid.yaml": _KID, **(more.get("files") or {})},
        )
        refused = exercise.refusal(given, self.types)
        if refused is not None:
            json.dumps(list(map(dataclasses.asdict, refused.problems)))

    @tries(250)
    @hypothesis.given(fuzz.hot, fuzz.environments)
    def test_templates_of_all_sections(self, written, environment) -> None:
        self.check(written, environment)

    @tries(100)
    @hypothesis.given(fuzz.cfn, fuzz.environments)
    def test_templates_of_cloudformation(self, written, environment) -> None:
        self.check(written, environment)

    @tries(100)
    @hypothesis.given(fuzz.hot, fuzz.hot, fuzz.environments)
    def test_templates_inside_templates(self, outer, kid, environment) -> None:
        outer["resources"] = {
            "a": {"type": "kid.yaml"},
            "b": {"type": "kid.yaml", "properties": {"p": "x"}},
        }
        files = {"kid.yaml": yaml.safe_dump(json.loads(json.dumps(kid)))}
        self.check(outer, environment, files=files)

    @tries(80)
    @hypothesis.given(
        fuzz.hot, fuzz.environments, strategies.integers(0, 2**32)
    )
    def test_text_with_a_few_characters_changed(
        self, written, environment, seed
    ) -> None:
        chance = random.Random(seed)
        self.check(
            _scratched(written, chance), _scratched(environment, chance)
        )

    @tries(150)
    @hypothesis.given(strategies.integers(0, 2**32))
    def test_templates_of_others_with_parts_changed(self, seed) -> None:
        good = fuzz.good_templates()
        if not good:
            self.skipTest(shared.missing(shared.CASES))
        chance = random.Random(seed)
        written, case = chance.choice(good)
        environment = case.get("environment")
        if isinstance(environment, dict) and chance.random() < 0.5:
            environment = fuzz.mutated(environment, chance)
        self.check(
            fuzz.mutated(written, chance),
            environment,
            case.get("parameters"),
            files=case.get("files"),
        )


def _scratched(value: object, chance: random.Random) -> str:
    """Return a value as YAML or JSON with a few characters changed."""
    plain = json.loads(json.dumps(value))
    text = json.dumps(plain)
    if chance.random() < 0.7:
        text = yaml.safe_dump(plain, allow_unicode=chance.random() < 0.5)
    letters = list(text)
    for _ in range(chance.randint(0, 3)):
        place = chance.randrange(len(letters) + 1)
        odd = chance.choice("{}[]:,&*!|>'\"%@`#- \n\t\x00\ufeff\\?<=~aé0")
        letters[place : place + chance.randint(0, 2)] = odd
    return "".join(letters)
