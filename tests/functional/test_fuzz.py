"""No body that a client sends gets an internal error, however wrong it is."""

import copy
import json
import random

import hypothesis
import requests
from hypothesis import strategies

from tests.support import fuzz
from tests.support import serving
from tests.support import shared

_EXAMPLES = 150
_KEYS = {"code", "title", "explanation", "error"}

_names = strategies.sampled_from(("s", "a-b", "1", "")) | fuzz.scalars
_bodies = strategies.fixed_dictionaries(
    {
        "template": fuzz.hot | fuzz.hot | fuzz.cfn | fuzz.values,
        "stack_name": _names,
    },
    optional={
        "environment": fuzz.environments,
        "parameters": strategies.dictionaries(fuzz.keys, fuzz.values)
        | fuzz.values,
        "files": strategies.dictionaries(fuzz.keys, fuzz.scalars)
        | fuzz.values,
        "environment_files": strategies.lists(fuzz.keys, max_size=2)
        | fuzz.values,
        "disable_rollback": fuzz.scalars,
        "timeout_mins": fuzz.scalars,
        "tags": fuzz.values,
    },
)
_PATHS = (
    "validate",
    "validate?show_nested=true",
    "stacks/preview",
    "stacks",
)


class FuzzTest(serving.ServerTestCase):
    limit_s = 300

    def ask(self, path: str, body: object) -> requests.Response:
        """Send a body as JSON, with all that Python's JSON allows."""
        return requests.post(
            f"{self.system.endpoint}/{path}",
            data=json.dumps(body).encode("ascii"),
            headers={"Content-Type": "application/json"},
            timeout=30,
        )

    def check(self, path: str, body: object) -> None:
        """Check that the answer is one, or says whose mistake it was."""
        answer = self.ask(path, body)
        self.assertLess(answer.status_code, 500, answer.text)
        found = answer.json()
        if answer.status_code < 400:
            json.loads(answer.content, parse_constant=self.fail)
            if path == "stacks":
                self.delete(found["stack"]["id"])
            return
        self.assertLessEqual(_KEYS, set(found), answer.text)
        self.assertEqual(answer.status_code, found["code"])
        self.assertLessEqual({"type", "message"}, set(found["error"]))
        self.assertNotIn("Traceback", answer.text)

    def delete(self, stack_id: str) -> None:
        shown = self.system.client.get(f"/stacks/{stack_id}", "stack")
        requests.delete(
            f"{self.system.endpoint}/stacks/{shown['stack_name']}/{stack_id}",
            timeout=30,
        )

    @hypothesis.settings(
        max_examples=_EXAMPLES,
        derandomize=True,
        phases=(hypothesis.Phase.generate,),
        deadline=None,
        database=None,
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(strategies.sampled_from(_PATHS), _bodies)
    def test_bodies_of_any_kind(self, path, body) -> None:
        self.check(path, body)

    def test_templates_of_others_with_parts_changed(self) -> None:
        good = fuzz.good_templates()
        if not good:
            self.skipTest(shared.missing(shared.CASES))
        for seed in range(_EXAMPLES):
            chance = random.Random(seed)
            written, case = chance.choice(good)
            body = copy.deepcopy(case) | {
                "stack_name": f"s{seed}",
                "template": fuzz.mutated(written, chance),
            }
            self.check(chance.choice(_PATHS), body)
