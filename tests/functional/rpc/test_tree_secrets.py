"""What of a tree is sensitive, and what is redacted in one of its stacks."""

import typing

import sqlalchemy as sa

from orch import errors
from orch import ids
from orch.db import engine as db_engine
from orch.engine.secrets import redaction
from orch.engine.secrets import tree_secrets
from orch.model import marked
from orch.model import stack
from orch.model import states
from orch.template import template as template_
from tests.functional.rpc import worker

Json = dict[str, typing.Any]

_STRING: typing.Final = "OS::Heat::RandomString"
_GONE: typing.Final = {
    "action": states.Action.DELETE,
    "status": states.Status.COMPLETE,
}
_PARAMETERS: typing.Final = {
    "word": {"type": "string", "hidden": True},
    "list": {"type": "json", "hidden": True, "default": {"k": ["deep-5f1c"]}},
    "admin_pass": {"type": "string", "default": "named-5f1c"},
    "plain": {"type": "string", "default": "plain-5f1c"},
}


def _template(parameters: Json | None = None) -> Json:
    return {
        "heat_template_version": "2021-04-16",
        "parameters": parameters or {},
        "resources": {"web": {"type": "Test::Server"}},
    }


class _Case(worker.TestCase):
    def make(
        self, name: str = "app", around: ids.StackId | None = None
    ) -> ids.StackId:
        """Return the id of a stack, in another one of the same tree."""
        stack_id = self.create(_template(), name)
        if around is not None:
            self.set_stack(
                stack_id,
                parent_id=around,
                root_id=self.get_stack(around).root_id,
                parent_resource=name,
            )
        return stack_id

    def read(
        self, root_id: ids.StackId, *, is_plain: bool = False
    ) -> set[str]:
        with self.database.read() as connection:
            return set(
                tree_secrets.read(connection, root_id, is_plain=is_plain)
            )


class ReadTest(_Case):
    def test_a_private_key_is_looked_for_and_a_script_is_not(self) -> None:
        stack_id = self.make()
        key, script = "k" * 3300, "s" * 12_000
        self.put_resource(
            stack_id,
            "web",
            properties={"flavor": key, "peer": script},
            sensitive=("flavor", "peer"),
        )

        self.assertEqual({key}, self.read(stack_id))

    def test_all_that_is_marked_is_found(self) -> None:
        stack_id = self.make()
        self.put_resource(
            stack_id,
            "web",
            properties={"flavor": "in-properties", "peer": "plain-text"},
            sensitive=("flavor",),
        )
        for name in ("desired_properties", "attributes", "metadata"):
            values = {"a": [f"in-{name}", "plain-text"], "b": "plain-text"}
            self.put_resource(
                stack_id,
                name,
                **{name: marked.Marked(values, [("a", 0)])},
            )

        self.assertEqual(
            {
                "in-properties",
                "in-desired_properties",
                "in-attributes",
                "in-metadata",
            },
            self.read(stack_id),
        )

    def test_what_a_type_has_generated_is_found(self) -> None:
        stack_id = self.make()
        for name, given in {
            "a": {"attributes": {"value": "in-attributes", "length": "long"}},
            "b": {"data": {"value": "in-data", "other": "plain-text"}},
            "c": {"mapped_type": "Test::Server", "data": {"value": "mapped"}},
            "d": {},
        }.items():
            self.put_resource(stack_id, name, type_name=_STRING, **given)
        self.put_resource(stack_id, "e", attributes={"value": "plain-text"})
        self.put_resource(
            stack_id, "f", properties={"x": "marked-text"}, sensitive=("x",)
        )

        self.assertEqual(
            {"in-attributes", "in-data", "marked-text"}, self.read(stack_id)
        )

    def test_all_stacks_of_the_tree_and_of_no_other_one_are_read(self) -> None:
        outer, other = self.make("outer"), self.make("other")
        middle = self.make("middle", outer)
        inner = self.make("inner", middle)
        for name, stack_id in {
            "in-outer": outer,
            "in-middle": middle,
            "in-inner": inner,
            "in-other": other,
        }.items():
            self.put_resource(
                stack_id, "web", properties={"peer": name}, sensitive=("peer",)
            )
            self.put_resource(
                stack_id,
                "made",
                type_name=_STRING,
                data={"value": f"made-{name}"},
            )

        self.assertEqual(
            {
                f"{made}in-{name}"
                for name in ("outer", "middle", "inner")
                for made in ("", "made-")
            },
            self.read(outer),
        )
        self.assertEqual({"in-other", "made-in-other"}, self.read(other))

    def test_a_resource_that_is_gone_has_nothing(self) -> None:
        stack_id = self.make()
        for name, given in {
            "gone": _GONE,
            "failed": {**_GONE, "status": states.Status.FAILED},
            "replaced": {"replaced_by": ids.ResourceId(ids.new())},
        }.items():
            self.put_resource(
                stack_id,
                name,
                properties={"peer": f"is-{name}"},
                sensitive=("peer",),
                **given,
            )
            self.put_resource(
                stack_id,
                f"made-{name}",
                type_name=_STRING,
                data={"value": f"made-{name}"},
                **given,
            )

        self.assertEqual(
            {"is-failed", "made-failed", "is-replaced", "made-replaced"},
            self.read(stack_id),
        )

    def test_short_texts_are_left_out(self) -> None:
        stack_id = self.make()
        self.put_resource(
            stack_id,
            "web",
            properties={"a": "xyz", "b": ["wxyz", "ab"], "c": 123, "d": 4567},
            sensitive="abcd",
        )
        self.put_resource(
            stack_id, "made", type_name=_STRING, data={"value": "abc"}
        )

        found = self.read(stack_id)

        self.assertIn("wxyz", found)
        self.assertIn("4567", found)
        self.assertTrue(found.isdisjoint({"xyz", "ab", "123", "abc", ""}))

    def test_what_has_the_name_of_a_secret_is_one_unless_in_plain(
        self,
    ) -> None:
        stack_id = self.make()
        for name in ("properties", "attributes", "metadata"):
            self.put_resource(
                stack_id,
                name,
                **{
                    name: {"a": [{"admin_pass": f"in-{name}", "user": "bob1"}]}
                },
            )
        self.put_resource(
            stack_id,
            "web",
            properties={"peer": "marked-text"},
            sensitive=("peer",),
        )

        self.assertEqual(
            {"in-properties", "in-attributes", "in-metadata", "marked-text"},
            self.read(stack_id),
        )
        self.assertEqual({"marked-text"}, self.read(stack_id, is_plain=True))


class RedactionTest(_Case):
    def redaction_of(
        self, stack_id: ids.StackId, **given: typing.Any
    ) -> redaction.Redaction:
        found = self.get_stack(stack_id)
        find = given.pop("find", self.deps.templates.find)
        with self.database.read() as connection:
            return tree_secrets.redaction_of(connection, find, found, **given)

    def make_redacted(
        self, name: str = "app", word: str = "word-5f1c"
    ) -> ids.StackId:
        return self.create(
            _template(_PARAMETERS), name, parameters={"word": word}
        )

    def test_sensitive_parameters_are_its_own(self) -> None:
        stack_id = self.make_redacted()

        found = self.redaction_of(stack_id)

        self.assertEqual({"word", "list"}, found.parameters)
        self.assertFalse(found.is_blind)
        self.assertTrue(
            found.texts.issuperset({"word-5f1c", "deep-5f1c", "named-5f1c"})
        )
        self.assertNotIn("plain-5f1c", found.texts)
        self.assertEqual("see ******", found.text("see word-5f1c"))

    def test_in_plain_what_only_has_the_name_of_a_secret_stays(self) -> None:
        found = self.redaction_of(self.make_redacted(), is_plain=True)

        self.assertNotIn("named-5f1c", found.texts)
        self.assertIn("word-5f1c", found.texts)
        self.assertEqual({"word", "list"}, found.parameters)

    def test_the_tree_is_read_and_known_secrets_stand_for_it(self) -> None:
        outer = self.make("outer")
        inner = self.make("inner", outer)
        self.put_resource(
            outer, "web", properties={"peer": "of-tree"}, sensitive=("peer",)
        )

        found = self.redaction_of(inner)
        known = self.redaction_of(inner, secrets=frozenset({"known-text"}))

        self.assertEqual({"of-tree"}, found.texts)
        self.assertEqual({"known-text"}, known.texts)

    def test_drift_of_a_tree_reads_its_secrets_once(self) -> None:
        outer = self.make("outer")
        found = [self.get_stack(outer)]
        found += [self.get_stack(self.make(name, outer)) for name in "ab"]
        self.put_resource(
            outer, "web", properties={"peer": "of-tree"}, sensitive=("peer",)
        )
        begin = tree_secrets.redacts_drift(self.deps.templates.find)
        statements: list[str] = []

        with self.database.read() as connection:

            @sa.event.listens_for(connection, "before_cursor_execute")
            def note(_: object, __: object, text: str, *___: object) -> None:
                statements.append(text)

            redaction_of = begin(connection)
            told = [redaction_of(each).text("see of-tree") for each in found]

        self.assertEqual(["see ******"] * 3, told)
        self.assertEqual(1, sum("has_secrets" in each for each in statements))

    def test_hidden_parameters_of_all_stacks_around_are_looked_for(
        self,
    ) -> None:
        inner = self.make("inner", self.make("mid", self.make_redacted()))

        found = self.redaction_of(inner)

        self.assertEqual(frozenset(), found.parameters)
        self.assertEqual("see ******", found.text("see word-5f1c"))

    def test_the_template_that_was_complete_last_counts_too(self) -> None:
        good = self.get_stack(self.make_redacted("good", "good-5f1c"))
        stack_id = self.create(
            _template({"pin": {"type": "string", "hidden": True}}),
            parameters={"pin": "pin-5f1c"},
        )
        before = self.redaction_of(stack_id)
        self.set_stack(
            stack_id,
            good_template_hash=good.template_hash,
            good_environment_hash=good.environment_hash,
        )

        found = self.redaction_of(stack_id)

        self.assertEqual({"pin"}, before.parameters)
        self.assertEqual({"pin", "word", "list"}, found.parameters)
        self.assertTrue(found.texts.issuperset({"pin-5f1c", "good-5f1c"}))

    def test_a_template_that_is_to_come_counts_too(self) -> None:
        other = self.get_stack(self.make_redacted("other", "other-5f1c"))
        with self.database.read() as connection:
            to_come = self.deps.templates.load(connection, other)

        found = self.redaction_of(self.make(), template=to_come)

        self.assertEqual({"word", "list"}, found.parameters)
        self.assertIn("other-5f1c", found.texts)

    def test_a_template_that_cannot_be_read_hides_everything(self) -> None:
        stack_id = self.make_redacted()
        good = self.get_stack(self.make_redacted("good", "good-5f1c"))
        self.set_stack(
            stack_id,
            good_template_hash=good.template_hash,
            good_environment_hash=good.environment_hash,
        )
        for refused in (good, self.get_stack(stack_id)):

            def find(
                connection: db_engine.Connection,
                each: stack.Stack,
                refused: stack.Stack = refused,
            ) -> template_.Template | None:
                if each.environment_hash == refused.environment_hash:
                    return None
                return self.deps.templates.find(connection, each)

            found = self.redaction_of(stack_id, find=find)

            self.assertTrue(found.is_blind)
            self.assertEqual({"word", "list"}, found.parameters)
            self.assertEqual("******", found.value("x"))

    def test_nothing_is_known_in_a_stack_whose_parent_is_unreadable(
        self,
    ) -> None:
        around = self.make_redacted()
        inner = self.make("inner", around)

        def find(
            connection: db_engine.Connection, each: stack.Stack
        ) -> template_.Template | None:
            if each.id == around:
                return None
            return self.deps.templates.find(connection, each)

        self.assertTrue(self.redaction_of(inner, find=find).is_blind)
        self.assertFalse(self.redaction_of(inner).is_blind)

    def test_contents_that_are_missing_are_an_error(self) -> None:
        stack_id = self.make()
        self.set_stack(stack_id, template_hash="0" * 64)

        self.assertRaises(errors.OrchError, self.redaction_of, stack_id)
