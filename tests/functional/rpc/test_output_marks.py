"""Which outputs are sensitive, and what it costs to know."""

import collections.abc
import functools
import typing

import sqlalchemy as sa

from orch import ids
from tests.functional.rpc import worker

Json = dict[str, typing.Any]

_HIDDEN: typing.Final = "canary-hidden-5f1c"


def template(outputs: Json, **resources: Json) -> Json:
    return {
        "heat_template_version": "2021-04-16",
        "parameters": {
            "word": {"type": "string", "default": "plain"},
            "secret": {"type": "string", "hidden": True, "default": _HIDDEN},
        },
        "resources": resources,
        "outputs": {key: {"value": each} for key, each in outputs.items()},
    }


class MarkTest(worker.TestCase):
    def marks(self, stack_id: ids.StackId) -> dict[str, bool]:
        """Return the marks of the outputs, which all answers agree on."""
        shown = {
            each["key"]: each["sensitive"]
            for each in self.stacks.show(self.ann, stack_id)["outputs"]
        }
        for key, is_sensitive in shown.items():
            found = self.stacks.output(self.ann, stack_id, key)
            self.assertIs(is_sensitive, found["sensitive"], key)
        return shown

    def listed(self, stack_id: ids.StackId) -> dict[str, bool]:
        found = self.stacks.outputs(self.ann, stack_id)
        return {each["key"]: each["sensitive"] for each in found}

    def test_an_output_of_a_hidden_parameter_is_sensitive(self) -> None:
        outputs = {
            "plain": {"get_param": "word"},
            "direct": {"get_param": "secret"},
            "digest": {"digest": ["md5", {"get_param": "secret"}]},
            "within": {"a": ["b", {"get_param": "secret"}]},
        }
        stack_id = self.create(template(outputs))

        expected = {key: key != "plain" for key in outputs}
        self.assertEqual(expected, self.marks(stack_id))
        self.assertEqual(expected, self.listed(stack_id))

    def test_an_output_with_the_name_of_a_secret_is_sensitive(self) -> None:
        outputs = {
            "admin_pass": "x",
            "keys": {"private_key": "x", "public": "y"},
            "passage": "x",
        }
        stack_id = self.create(template(outputs))

        self.assertEqual(
            {"admin_pass": True, "keys": True, "passage": False},
            self.marks(stack_id),
        )

    def test_what_a_resource_was_given_is_sensitive_where_it_shows(
        self,
    ) -> None:
        web = {
            "type": "Test::Server",
            "properties": {"flavor": {"get_param": "secret"}},
        }
        outputs = {
            "address": {"get_attr": ["web", "address"]},
            "port": {"get_attr": ["web", "port"]},
        }
        stack_id = self.create(template(outputs, web=web))
        self.put_resource(
            stack_id,
            "web",
            properties={"flavor": _HIDDEN},
            sensitive=("flavor",),
            attributes={"address": f"http://{_HIDDEN}/", "port": 80},
        )

        expected = {"address": True, "port": False}
        self.assertEqual(expected, self.marks(stack_id))
        self.assertEqual(expected, self.listed(stack_id))

    def test_what_is_not_stored_is_listed_as_sensitive(self) -> None:
        stack_id = self.create(
            template(
                {"port": {"get_attr": ["web", "port"]}},
                web={"type": "Test::Server"},
            )
        )
        self.put_resource(stack_id, "web")

        self.assertEqual({"port": True}, self.listed(stack_id))

    def test_values_stay_plain(self) -> None:
        stack_id = self.create(template({"o": {"get_param": "secret"}}))

        (output,) = self.stacks.show(self.ann, stack_id)["outputs"]

        self.assertEqual(_HIDDEN, output["value"])
        self.assertNotIn("value", self.stacks.outputs(self.ann, stack_id)[0])


class CostTest(worker.TestCase):
    def count(self, work: collections.abc.Callable[[], object]) -> int:
        """Return how many statements are executed."""
        statements: list[str] = []

        def note(conn: object, cursor: object, said: str, *_: object) -> None:
            statements.append(said)

        engine = self.database.engine
        sa.event.listen(engine, "before_cursor_execute", note)
        work()
        sa.event.remove(engine, "before_cursor_execute", note)
        return len(statements)

    def test_marks_take_no_statement(self) -> None:
        for name, outputs in (
            ("plain", {"o": {"get_param": "word"}}),
            ("hidden", {"o": {"get_param": "secret"}}),
        ):
            stack_id = self.create(
                template(outputs, web={"type": "Test::Server"}), name
            )

            bare, whole = (
                self.count(
                    functools.partial(
                        self.stacks.show, self.ann, stack_id, resolves
                    )
                )
                for resolves in (False, True)
            )

            self.assertEqual(bare, whole, name)
