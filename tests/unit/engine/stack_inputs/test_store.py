import json
import typing

from orch.conf import load
from orch.db import engine as db_engine
from orch.db.models import catalog
from orch.db.repositories import contents
from orch.engine.stack_inputs import store as stack_input_store
from orch.engine.stack_inputs import template_cache
from orch.model import stack
from orch.plugin import registry
from orch.template import inputs
from orch.template import template
from tests import base
from tests.functional import databases
from tests.functional.db import base as rows
from tests.unit.engine import fakes

HUGE = 123456789012345678901234567890


def _document(*names: str) -> dict[str, object]:
    return {
        "heat_template_version": "2018-08-31",
        "parameters": {"zone": {"type": "string", "default": "a"}},
        "resources": {name: {"type": "Test::Value"} for name in names},
    }


class StoredTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.database = db_engine.Database(
            self.useFixture(databases.SQLite()).url
        )
        self.addCleanup(self.database.dispose)
        catalog.metadata().create_all(self.database.engine)
        self.types = registry.ResourceTypes.of(
            fakes.KINDS, load.load([], files=[])
        )

    def bind(self, given: inputs.Inputs) -> template.Template:
        return template.Template.load(
            given,
            self.types,
            inputs.Identity("id", "name", "project"),
            inputs.Limits(),
        )

    def store(self, given: inputs.Inputs) -> stack.Stack:
        """Return a stack, nowhere stored, whose contents are."""
        parsed_template = self.bind(given)
        with self.database.write() as connection:
            template_hash, environment_hash = stack_input_store.store_inputs(
                connection, given, parsed_template
            )
        return rows.make_stack(
            template_hash=template_hash, environment_hash=environment_hash
        )

    def templates(self, **bounds: int) -> template_cache.TemplateCache:
        return template_cache.TemplateCache(
            self.types, inputs.Limits(), **bounds
        )

    def load(
        self, templates: template_cache.TemplateCache, stack: stack.Stack
    ) -> template.Template:
        with self.database.read() as connection:
            return templates.load(connection, stack)


class InputsTest(StoredTest):
    def test_inputs_come_back_as_they_went(self) -> None:
        given = inputs.Inputs(
            template=_document("z", "a", "m"),
            environment="parameters: {zone: b}",
            parameters={"zone": "c"},
            files={"one": "text", "two": "text", "three": "ü\ud800"},
            environment_files=["one"],
        )
        stack = self.store(
            inputs.Inputs(
                **{**vars(given), "environment_files": []}  # type: ignore[arg-type]
            )
        )

        with self.database.read() as connection:
            found = stack_input_store.read_inputs(connection, stack)
            files = stack_input_store.read_files(connection, stack)

        self.assertEqual({**vars(given), "environment_files": []}, vars(found))
        self.assertEqual(given.files, files)

    def test_secrets_of_event_sinks_stay_under_their_stored_key(self) -> None:
        sink = {"type": "zaqar-queue", "target": "q", "password": "p"}
        given = inputs.Inputs(_document("a"), stored_sinks=[sink])

        raw = stack_input_store.documents_of_request(given, _document("a"))
        stack = self.store(given)

        self.assertEqual([sink], json.loads(raw.environment)["kept_sinks"])
        with self.database.read() as connection:
            found = stack_input_store.read_inputs(connection, stack)
        self.assertEqual([sink], list(found.stored_sinks))

    def test_the_order_of_a_template_stays(self) -> None:
        stack = self.store(inputs.Inputs(_document("z", "a", "m")))

        with self.database.read() as connection:
            found = stack_input_store.read_template(connection, stack)

        names = typing.cast(dict[str, object], found["resources"])
        self.assertEqual(["z", "a", "m"], list(names))

    def test_integers_of_any_size_stay(self) -> None:
        document = {**_document(), "description": HUGE}
        stack = self.store(inputs.Inputs(document))

        with self.database.read() as connection:
            found = stack_input_store.read_template(connection, stack)

        self.assertEqual(HUGE, found["description"])

    def test_a_text_is_stored_parsed(self) -> None:
        text = "heat_template_version: 2018-08-31\nresources: {}\n"
        stack = self.store(inputs.Inputs(text))

        with self.database.read() as connection:
            found = stack_input_store.read_template(connection, stack)

        self.assertEqual(
            {"heat_template_version": "2018-08-31", "resources": {}}, found
        )

    def test_a_text_stays_known_to_find_lines_by(self) -> None:
        text = """
heat_template_version: 2018-08-31
resources:
  a: {type: Test::Value}
"""
        stack = self.store(inputs.Inputs(text, files={"empty": ""}))

        with self.database.read() as connection:
            found = stack_input_store.read_inputs(connection, stack)
            document = stack_input_store.read_document(connection, stack)
            named = contents.get_text(connection, stack.environment_hash)

        self.assertEqual(text, found.text)
        self.assertEqual({"empty": ""}, found.files)
        self.assertEqual(4, document.locate(("resources", "a")).line)
        # So the purge of contents spares it.
        self.assertIn(contents.hash_of(text), named)
        again = self.store(found)
        self.assertEqual(stack.environment_hash, again.environment_hash)

    def test_another_comment_in_an_inner_template_is_no_change(self) -> None:
        around = inputs.ParentContext(1, {})
        text = "heat_template_version: 2018-08-31\nresources: {}\n"
        one = self.store(inputs.Inputs(text, around=around))
        two = self.store(inputs.Inputs(f"# Why.\n{text}", around=around))

        self.assertEqual(one.environment_hash, two.environment_hash)

    def test_the_same_contents_are_stored_once(self) -> None:
        one = self.store(inputs.Inputs(_document("a"), files={"f": "x"}))
        two = self.store(inputs.Inputs(_document("a"), files={"f": "x"}))
        three = self.store(inputs.Inputs(_document("a"), files={"f": "y"}))

        self.assertEqual(one.template_hash, three.template_hash)
        self.assertEqual(one.environment_hash, two.environment_hash)
        self.assertNotEqual(one.environment_hash, three.environment_hash)

    def test_an_environment_names_its_files_by_hash_alone(self) -> None:
        stack = self.store(inputs.Inputs(_document(), files={"f": "the text"}))

        with self.database.read() as connection:
            text = contents.get_text(connection, stack.environment_hash)

        self.assertNotIn("the text", text)
        self.assertIn(contents.hash_of("the text"), text)


class TemplatesTest(StoredTest):
    def test_a_template_has_the_stack_s_inputs_and_name(self) -> None:
        stack = self.store(
            inputs.Inputs(_document("a"), parameters={"zone": "c"})
        )

        found = self.load(self.templates(), stack)

        shown = found.shown_parameters()
        self.assertEqual("c", shown["zone"])
        self.assertEqual(stack.name, shown["OS::stack_name"])
        self.assertEqual(stack.id, shown["OS::stack_id"])
        self.assertEqual(stack.project_id, shown["OS::project_id"])

    def test_a_template_is_kept(self) -> None:
        templates = self.templates()
        stack = self.store(inputs.Inputs(_document("a")))

        found = self.load(templates, stack)

        self.assertIs(found, self.load(templates, stack))

    def test_two_stacks_never_share_a_template(self) -> None:
        templates = self.templates()
        one = self.store(inputs.Inputs(_document("a")))
        two = self.store(inputs.Inputs(_document("a")))

        found = self.load(templates, one)

        self.assertIsNot(found, self.load(templates, two))

    def test_a_changed_template_is_read_anew(self) -> None:
        templates = self.templates()
        old = self.store(inputs.Inputs(_document("a")))
        new = rows.make_stack(
            id=old.id,
            name=old.name,
            template_hash=self.store(
                inputs.Inputs(_document("b"))
            ).template_hash,
            environment_hash=old.environment_hash,
        )
        self.load(templates, old)

        self.assertEqual(["b"], list(self.load(templates, new).resources))

    def test_a_template_that_was_just_stored_is_not_read(self) -> None:
        templates = self.templates()
        given = inputs.Inputs(_document("a"))
        stack, parsed_template = self.store(given), self.bind(given)

        templates.add(stack, parsed_template)

        self.assertIs(parsed_template, self.load(templates, stack))

    def test_those_used_last_are_kept(self) -> None:
        templates = self.templates(max_templates=2)
        one, two, three = (
            self.store(inputs.Inputs(_document(name))) for name in "abc"
        )
        kept = self.load(templates, one)
        dropped = self.load(templates, two)
        self.load(templates, one)

        self.load(templates, three)

        self.assertIs(kept, self.load(templates, one))
        self.assertIsNot(dropped, self.load(templates, two))

    def test_resources_are_counted_not_only_templates(self) -> None:
        templates = self.templates(max_resources=5)
        one = self.store(inputs.Inputs(_document("a", "b", "c")))
        two = self.store(inputs.Inputs(_document("d", "e", "f")))
        first = self.load(templates, one)

        second = self.load(templates, two)

        self.assertIs(second, self.load(templates, two))
        self.assertIsNot(first, self.load(templates, one))

    def test_one_template_is_kept_however_large_it_is(self) -> None:
        templates = self.templates(max_resources=1)
        stack = self.store(inputs.Inputs(_document("a", "b", "c")))

        found = self.load(templates, stack)

        self.assertIs(found, self.load(templates, stack))
