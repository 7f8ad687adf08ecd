"""Revision 0010: what older rows hold counts as sensitive where it may be."""

import collections.abc
import hashlib
import json
import zlib

import sqlalchemy as sa
import testscenarios

from orch import ids
from orch.db import encryption
from orch.db import engine
from orch.db import migrate
from orch.db import revision
from orch.db.repositories import contents
from orch.db.repositories import resources
from orch.engine import credentials
from orch.engine.stack_inputs import store
from orch.model import marked
from orch.model import secret_types
from orch.template import inputs
from tests.functional.db import migrating
from tests.support import nouns

load_tests = testscenarios.load_tests_apply_scenarios

_HIDING = "parameters: {p: {type: string, hidden: true}}"
_HIDING_JSON = '{"parameters": {"p": {"type": "string", "hidden": true}}}'
_PLAIN = '{"resources": {}}'


class MarksTestCase(migrating.MigratingTestCase):
    """Trees of stacks as they were before there were marks."""

    revision = "0009"

    def put_content(
        self, database: engine.Database, text: str, *uses: str
    ) -> str:
        """Store a text that names others; return its hash."""
        return self.put_bytes(
            database,
            zlib.compress(text.encode("utf-8", "surrogatepass")),
            contents.hash_of(text),
            *uses,
        )

    def put_bytes(
        self, database: engine.Database, body: bytes, name: str, *uses: str
    ) -> str:
        cipher = encryption.cipher_of(database.engine.dialect)
        self.put(
            database,
            "contents",
            {"hash": name, "body": cipher.seal_bytes(body), "used_at": 1.0},
        )
        for each in uses:
            self.put(
                database, "content_uses", {"hash": name, "used_hash": each}
            )
        return name

    def put_tree(
        self,
        database: engine.Database,
        name: str,
        *,
        deleted_at: float | None = None,
        **hashes: str,
    ) -> None:
        """Store a root and its child stack, which is by these contents."""
        root = {"id": f"{name}-root", "root_id": f"{name}-root"}
        child = {
            "id": f"{name}-child",
            "root_id": f"{name}-root",
            "parent_id": f"{name}-root",
        }
        self.put(database, "stacks", {**root, "deleted_at": deleted_at})
        self.put(
            database, "stacks", {**child, "deleted_at": deleted_at, **hashes}
        )
        for stack in (root, child):
            self.put_resource(database, stack["id"])

    def put_resource(
        self, database: engine.Database, stack_id: str, **given: object
    ) -> None:
        self.put(
            database,
            "resources",
            {
                "stack_id": stack_id,
                "name": "r",
                "id": "r",
                "action": "CREATE",
                "status": "COMPLETE",
                "properties": {"a": {"b": "c"}},
                "attributes": {"x": 1, "y": None},
                "desired_properties": None,
                **given,
            },
        )

    def marked(self) -> list[str]:
        """Return the stacks whose resources have secrets, sorted."""
        with self.database.read() as conn:
            found = conn.execute(
                sa.text("SELECT stack_id, has_secrets FROM resources")
            )
            return sorted(stack_id for stack_id, has in found if has)


class MarksTest(MarksTestCase):
    def test_all_that_a_tree_with_hidden_parameters_holds_is_marked(
        self,
    ) -> None:
        for number, each in enumerate(self.databases):
            hash_ = self.put_content(each, f"{_HIDING} # {number}")
            self.put_tree(each, f"t{number}", template_hash=hash_)
            self.put_resource(
                each, f"t{number}-root", name="s", desired_properties={"k": 1}
            )

        migrate.upgrade(self.database)

        self.assertEqual(revision.head(), revision.current(self.database))
        attributes = [{"x": 1, "y": None}, [["x"], ["y"]]]
        properties = [{"a": {"b": "c"}}, [[]]]
        found = self.read(
            "resources",
            "properties",
            "attributes",
            "desired_properties",
            "has_secrets",
        )
        for row in found:
            desired = row.pop(2)
            self.assertIn(desired, (None, [{"k": 1}, [[]]]))
            self.assertEqual([properties, attributes, True], row)
        self.assertEqual(6, len(found))

    def test_the_model_reads_the_marks_and_the_values(self) -> None:
        for number, each in enumerate(self.databases):
            hash_ = self.put_content(each, f"{_HIDING} # {number}")
            self.put_tree(each, f"t{number}", template_hash=hash_)

        migrate.upgrade(self.database)

        for each in ("t0-root", "t1-child"):
            with self.database.read() as conn:
                (row,) = resources.list_(conn, ids.StackId(each))
            self.assertEqual({"a": {"b": "c"}}, row.properties)
            self.assertEqual((("a",),), marked.paths_of(row.properties))
            self.assertEqual({"x": 1, "y": None}, row.attributes)
            self.assertEqual((("x",), ("y",)), marked.paths_of(row.attributes))
            self.assertIs(True, row.has_secrets)

    def test_what_was_sealed_is_sealed_again(self) -> None:
        for number, each in enumerate(self.databases):
            hash_ = self.put_content(each, f"{_HIDING} # {number}")
            self.put_tree(each, f"t{number}", template_hash=hash_)

        self.upgrade_once()

        with self.database.read() as conn:
            found = conn.execute(
                sa.text("SELECT properties FROM resources ORDER BY stack_id")
            ).scalars()
            self.assertEqual(
                [True, True, False, False],
                [each.startswith(encryption.PREFIX) for each in found],
            )

    def test_each_content_that_a_stack_refers_to_counts(self) -> None:
        put = self.put_content
        for each in self.databases:
            tag = str(self.databases.index(each))
            hiding = put(each, f"{_HIDING} # {tag}")
            other = put(each, f'{{"P": {{"NoEcho": "true"}}}} {tag}')
            environment = put(each, f'{{"files": {tag}}}', hiding, other)
            plain = put(each, _PLAIN + tag)
            for name, hashes in {
                "a": {"template_hash": hiding},
                "b": {"good_template_hash": other},
                "c": {"environment_hash": other},
                "d": {"good_environment_hash": hiding},
                "e": {"environment_hash": environment},
                "f": {"good_environment_hash": environment},
                "g": {"template_hash": plain, "environment_hash": plain},
                "h": {},
            }.items():
                self.put_tree(each, name + tag, **hashes)

        self.upgrade_once()

        self.assertEqual(
            sorted(
                f"{name}{tag}-{level}"
                for name in "abcdef"
                for tag in "01"
                for level in ("child", "root")
            ),
            self.marked(),
        )

    def test_a_tree_that_hides_nothing_stays_as_it_is(self) -> None:
        hash_ = self.put_content(self.database, _PLAIN)
        self.put_tree(self.database, "t", template_hash=hash_)
        before = self.read("resources", "properties", "attributes")

        self.upgrade_once()

        self.assertEqual(
            before, self.read("resources", "properties", "attributes")
        )
        self.assertEqual([], self.marked())

    def test_a_content_that_cannot_be_opened_hides(self) -> None:
        other = encryption.Cipher([credentials.new_key()], seals=True)
        bodies = {
            "sealed": other.seal_bytes(zlib.compress(_PLAIN.encode())),
            "broken": b"no compressed text",
        }
        for name, body in bodies.items():
            hash_ = hashlib.sha256(name.encode()).hexdigest()
            self.put_bytes(self.databases[1], body, hash_)
            self.put_tree(self.databases[1], name, template_hash=hash_)

        self.upgrade_once()

        self.assertEqual(
            ["broken-child", "broken-root", "sealed-child", "sealed-root"],
            self.marked(),
        )

    def test_a_tree_that_is_gone_is_not_marked(self) -> None:
        hash_ = self.put_content(self.database, _HIDING)
        self.put_tree(self.database, "t", deleted_at=5.0, template_hash=hash_)

        self.upgrade_once()

        self.assertEqual([], self.marked())

    def test_what_is_empty_needs_no_marks(self) -> None:
        hash_ = self.put_content(self.database, _HIDING)
        self.put_tree(self.database, "t", template_hash=hash_)
        self.put_resource(
            self.database,
            "t-root",
            name="s",
            properties="{}",
            attributes="{}",
            desired_properties="{}",
        )

        self.upgrade_once()

        self.assertIn(
            [{}, {}, {}],
            self.read(
                "resources", "properties", "attributes", "desired_properties"
            ),
        )

    def test_types_that_generate_secrets_have_some_everywhere(self) -> None:
        self.put_resource(self.database, "other", type_name="OS::Nova::Server")
        self.put_resource(
            self.database,
            "mapped",
            type_name="My::Own",
            mapped_type="OS::Barbican::Secret",
        )
        self.put_resource(
            self.database,
            "hardly",
            type_name="OS::Barbican::Secret",
            mapped_type="OS::Heat::None",
        )
        for each in secret_types.TYPES:
            self.put_resource(self.database, each, type_name=each)

        self.upgrade_once()

        self.assertEqual(
            sorted([*secret_types.TYPES, "mapped"]), sorted(self.marked())
        )

    def test_what_has_the_name_of_a_secret_is_one_everywhere(self) -> None:
        for number, each in enumerate(self.databases):
            for name, given in {
                "a": {"properties": {"x": [{"admin_pass": "p"}]}},
                "b": {"attributes": {"private_key": "k"}},
                "c": {"desired_properties": {"db_password": "p"}},
                "d": {"metadata": {"api_key": "k"}},
                "e": {"properties": {"key_name": "admin_pass"}},
            }.items():
                self.put_resource(each, f"{name}{number}", **given)

        self.upgrade_once()

        self.assertEqual(
            [name + tag for name in "abcd" for tag in "01"], self.marked()
        )
        self.assertIn(
            [{"x": [{"admin_pass": "p"}]}],
            self.read("resources", "properties"),
        )

    def test_all_resources_of_a_large_tree_are_marked(self) -> None:
        hash_ = self.put_content(self.database, _HIDING)
        self.put_tree(self.database, "t", template_hash=hash_)
        for number in range(250):
            self.put_content(self.database, f"{_PLAIN}{number}")
        self.put(
            self.databases[1],
            "resources",
            *(
                {
                    "stack_id": "t-root",
                    "name": f"n{number}",
                    "id": f"i{number}",
                    "properties": {"n": number},
                    "attributes": {},
                }
                for number in range(450)
            ),
        )

        self.upgrade_once()

        self.assertEqual(452, len(self.marked()))

    def test_a_walk_that_was_cut_off_goes_on(self) -> None:
        hash_ = self.put_content(self.database, _HIDING)
        self.put_tree(self.database, "t", template_hash=hash_)
        self.upgrade_once()
        done = self.read("resources", "properties", "attributes")
        cipher = encryption.cipher_of(self.database.engine.dialect)
        with self.database.write() as conn:
            for statement in (
                "UPDATE alembic_version SET version_num = '0009'",
                "UPDATE resources SET has_secrets = :no, properties = :plain"
                " WHERE stack_id = 't-root'",
            ):
                conn.execute(
                    sa.text(statement),
                    {"no": False, "plain": cipher.seal('{"a":{"b":"c"}}')}
                    if ":no" in statement
                    else {},
                )

        self.upgrade_once()

        self.assertEqual(
            done, self.read("resources", "properties", "attributes")
        )
        self.assertEqual(["t-child", "t-root"], self.marked())

    def test_a_column_without_values_is_completed(self) -> None:
        self.put_resource(self.database, "s")
        with self.database.write() as conn:
            conn.execute(
                sa.text("ALTER TABLE resources ADD has_secrets BOOLEAN")
            )

        self.upgrade_once()

        self.assertEqual([[False]], self.read("resources", "has_secrets"))
        with self.database.read() as conn:
            columns = sa.inspect(conn).get_columns("resources")
        self.assertIn(
            ("has_secrets", False),
            [(each["name"], each["nullable"]) for each in columns],
        )


class InputsTest(MarksTestCase):
    def put_child(
        self,
        database: engine.Database,
        name: str,
        document: dict[str, object],
        *uses: str,
        template: str = _HIDING_JSON,
    ) -> str:
        """Store a tree by this template; return the hash of the document.

        Its child stack has the document as its environment.
        """
        hash_, template_hash = (
            self.put_absent(database, json.dumps(document), *uses),
            self.put_absent(database, template),
        )
        self.put_tree(
            database,
            name,
            template_hash=template_hash,
            environment_hash=hash_,
            good_environment_hash=hash_,
        )
        return hash_

    def put_absent(
        self, database: engine.Database, text: str, *uses: str
    ) -> str:
        """Store a text that may be there already; return its hash."""
        hash_ = contents.hash_of(text)
        with database.read() as conn:
            if contents.find_many(conn, [hash_]):
                return hash_
        return self.put_content(database, text, *uses)

    def hashes(self) -> list[tuple[str, str]]:
        """Return the environments of all stacks, in force and last good."""
        return self.query(
            "SELECT environment_hash, good_environment_hash FROM stacks"
            " ORDER BY id"
        )

    def uses(self) -> list[tuple[str, str]]:
        """Return which contents name which, sorted."""
        return sorted(self.query("SELECT hash, used_hash FROM content_uses"))

    def query(self, text: str) -> list[tuple[str, str]]:
        with self.database.read() as conn:
            return [(each[0], each[1]) for each in conn.execute(sa.text(text))]

    def read_inputs(
        self, stack_id: str, column: str = "environment_hash"
    ) -> inputs.Inputs:
        """Return the inputs of a stack, as the engine reads them."""
        with self.database.read() as conn:
            hashes = conn.execute(
                sa.text(
                    f"SELECT template_hash, {column} FROM stacks"
                    " WHERE id = :id"
                ),
                {"id": stack_id},
            ).one()
            return store.read_inputs(
                conn,
                nouns.make_stack(
                    template_hash=hashes[0], environment_hash=hashes[1]
                ),
            )

    def read_bodies(self) -> dict[str, bytes]:
        """Return what is stored of all contents, by their hashes."""
        with self.database.read() as conn:
            rows = conn.execute(sa.text("SELECT hash, body FROM contents"))
            return {hash_: bytes(body) for hash_, body in rows}

    def test_all_that_a_child_stack_was_given_is_marked_and_sealed_again(
        self,
    ) -> None:
        for number, each in enumerate(self.databases):
            file = self.put_content(each, f"a file {number}")
            self.put_child(
                each,
                f"t{number}",
                _document({"b": number, "a": "\ud800"}, {"f": file}),
                file,
            )

        migrate.upgrade(self.database)

        bodies = self.read_bodies()
        for number in range(2):
            for column in ("environment_hash", "good_environment_hash"):
                found = self.read_inputs(f"t{number}-child", column)

                self.assertEqual(
                    inputs.ParentContext(
                        2,
                        {"metadata": {"k": "v"}},
                        ("A::B",),
                        sensitive_parameters=("a", "b"),
                        sensitive_parts=((),),
                        has_sensitive_facade=True,
                    ),
                    found.around,
                )
                self.assertEqual(
                    {"b": number, "a": "\ud800"}, found.parameters
                )
                self.assertEqual({"f": f"a file {number}"}, found.files)
        self.assertEqual(
            [True, False],
            [
                bodies[hash_].startswith(encryption.BYTES_PREFIX)
                for hash_, good in self.hashes()
                if good
            ],
        )

    def test_they_are_stored_under_the_hash_of_their_text(self) -> None:
        file = self.put_content(self.database, "a file")
        old = self.put_child(
            self.database, "t", _document({}, {"f": file}), file
        )

        self.upgrade_once()

        new, good = self.hashes()[0]
        self.assertEqual(new, good)
        self.assertNotEqual(old, new)
        with self.database.read() as conn:
            text = contents.get_text(conn, new)
        self.assertEqual(contents.hash_of(text), new)
        self.assertIn(
            '"around":{"depth":2,"facade":{"metadata":{"k":"v"}},'
            '"without":["A::B"],"sensitive_parameters":[],'
            '"sensitive_parts":[[]],"has_sensitive_facade":true}',
            text,
        )
        self.assertEqual(sorted([(old, file), (new, file)]), self.uses())
        self.assertIn(old, self.read_bodies())

    def test_a_second_walk_changes_nothing(self) -> None:
        file = self.put_content(self.database, "a file")
        old = self.put_child(
            self.database, "t", _document({"a": 1}, {"f": file}), file
        )
        self.upgrade_once()
        first = (self.hashes(), self.uses(), self.read_bodies())
        # The second time as if it had been cut off within the inputs.
        for statements in (
            (),
            (
                "UPDATE stacks SET environment_hash = :old"
                " WHERE id = 't-child'",
                "DELETE FROM content_uses WHERE hash <> :old",
            ),
        ):
            with self.database.write() as conn:
                for statement in statements:
                    conn.execute(sa.text(statement), {"old": old})
                conn.execute(
                    sa.text("UPDATE alembic_version SET version_num = '0009'")
                )

            self.upgrade_once()

            self.assertEqual(
                first, (self.hashes(), self.uses(), self.read_bodies())
            )

    def test_what_needs_no_marks_stays(self) -> None:
        around = {"depth": 1, "facade": {}, "without": []}
        put = self.put_child
        for number, each in enumerate(self.databases):
            put(each, f"plain{number}", _document(), template=_PLAIN)
            marked_already = _document(
                around={**around, "sensitive_parameters": ["a"]}
            )
            put(each, f"marked{number}", marked_already | {"n": number})
            put(each, f"alone{number}", {"parameters": {}, "n": number})
            put(each, f"text{number}", {"around": "x", "n": number})
            put(each, f"root{number}", _document({"root": number}))
            put(each, f"gone{number}", _document({"gone": number}))
        with self.database.write() as conn:
            for statement in (
                "UPDATE stacks SET parent_id = NULL WHERE id LIKE 'root%'",
                "UPDATE stacks SET deleted_at = 5 WHERE id LIKE 'gone%child'",
            ):
                conn.execute(sa.text(statement))
        before = self.hashes()

        self.upgrade_once()

        self.assertEqual(before, self.hashes())

    def test_inputs_that_cannot_be_read_stay(self) -> None:
        other = encryption.Cipher([credentials.new_key()], seals=True)
        text = json.dumps(_document()).encode()
        for name, body in {
            "sealed": other.seal_bytes(zlib.compress(text)),
            "broken": b"no compressed text",
            "word": zlib.compress(b"hidden"),
            "list": zlib.compress(b'["hidden"]'),
            "bytes": zlib.compress(b"hidden \xff"),
        }.items():
            hash_ = hashlib.sha256(name.encode()).hexdigest()
            self.put_bytes(self.databases[1], body, hash_)
            self.put_tree(self.databases[1], name, environment_hash=hash_)
        template = self.put_content(self.database, _HIDING)
        self.put_tree(
            self.database,
            "missing",
            template_hash=template,
            environment_hash="0" * 64,
        )
        before = self.hashes()

        self.upgrade_once()

        self.assertEqual(before, self.hashes())
        self.assertEqual(12, len(self.marked()))

    def test_all_child_stacks_of_a_large_tree_are_marked(self) -> None:
        old = self.put_child(self.database, "t", _document({"a": 1}))
        others = [
            self.put_content(
                self.databases[1], json.dumps(_document({"n": n}))
            )
            for n in range(210)
        ]
        self.put(
            self.databases[1],
            "stacks",
            *(
                {
                    "id": f"c{number}",
                    "root_id": "t-root",
                    "parent_id": "t-root",
                    "environment_hash": hash_,
                    "good_environment_hash": None if number % 2 else old,
                }
                for number, hash_ in enumerate(others)
            ),
        )

        self.upgrade_once()

        found = {hash_ for row in self.hashes() for hash_ in row}
        self.assertTrue(found.isdisjoint([*others, old]))
        # With those of the root, and nothing where nothing was.
        self.assertEqual(210 + 1 + 2, len(found))


def _document(
    parameters: collections.abc.Mapping[str, object] | None = None,
    files: collections.abc.Mapping[str, str] | None = None,
    around: collections.abc.Mapping[str, object] | None = None,
) -> dict[str, object]:
    """Return the environment of a child stack, as it was stored."""
    return {
        "environment": {},
        "parameters": parameters or {},
        "files": files or {},
        "environment_files": [],
        "around": around
        or {
            "depth": 2,
            "facade": {"metadata": {"k": "v"}},
            "without": ["A::B"],
        },
    }
