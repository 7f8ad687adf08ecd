"""Reasons without what users gave as hidden parameters."""

import types
import typing

from orch.db import errors as db_errors
from orch.engine.secrets import masks
from orch.engine.secrets import stack_masks
from tests import base


class Parameters:
    """Values of parameters, all of them hidden."""

    def __init__(self, **values: object) -> None:
        self._values = values
        self.schemas = {
            name: types.SimpleNamespace(is_hidden=True) for name in values
        }

    def value(self, name: str) -> object:
        return self._values[name]


class ParsedTemplate:
    """A template without functions."""

    def __init__(self, **values: object) -> None:
        self.parameters = Parameters(**values)

    def derived_texts(self, names: object) -> frozenset[str]:
        return frozenset()


def masks_of(**values: object) -> masks.Masks:
    return masks.Masks([typing.cast(typing.Any, ParsedTemplate(**values))])


class RedactedTest(base.TestCase):
    def test_a_text_is_covered_however_it_is_spelled(self) -> None:
        secret = 'pa"s s\u00e9/'
        stack = masks_of(word=secret)

        for spelling in (
            secret,
            'pa\\"s s\\u00e9/',
            'pa\\"s s\u00e9/',
            "pa%22s%20s%C3%A9/",
            "pa%22s+s%C3%A9%2F",
        ):
            self.assertEqual(
                "400: <******> no",
                stack.covered(f"400: <{spelling}> no"),
                spelling,
            )

    def test_the_longer_of_two_is_covered_whole(self) -> None:
        stack = masks_of(a="secret", b="secret-longer")

        self.assertEqual("x ****** y", stack.covered("x secret-longer y"))

    def test_a_short_text_is_covered_alone(self) -> None:
        stack = masks_of(a="abc", b={"deep": ["wordy"]})

        self.assertEqual("******", stack.covered("abc"))
        self.assertEqual("the abc ******", stack.covered("the abc wordy"))


class Away:
    """A database that gives no answer."""

    def query(self, work: object) -> typing.NoReturn:
        raise db_errors.DatabaseDown("away")


class RedactorTest(base.TestCase):
    def test_what_cannot_be_looked_at_is_not_told(self) -> None:
        stack = typing.cast(typing.Any, types.SimpleNamespace(id="s"))
        cover = stack_masks.Cover(
            typing.cast(typing.Any, Away()), lambda *_: None, stack
        )

        said = cover("Refused: resources.a: the word is hunter2")

        self.assertTrue(said.startswith("Refused: "))
        self.assertNotIn("hunter2", said)
