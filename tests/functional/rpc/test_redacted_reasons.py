"""What is covered in a reason as it is written down."""

import typing
from unittest import mock

from orch import ids
from orch.db import engine as db_engine
from orch.db.repositories import secret_rows
from orch.engine.secrets import tree_secrets
from orch.model import resource
from orch.model import stack as stack_model
from orch.template import template
from tests.functional.rpc import worker
from tests.unit.model import test_presigned

_STRING: typing.Final = "OS::Heat::RandomString"
_MADE: typing.Final = "made-up-canary-77"
_TEMPLATE: typing.Final = {
    "heat_template_version": "2021-04-16",
    "parameters": {"word": {"type": "string", "hidden": True}},
    "resources": {"web": {"type": "Test::Server"}},
}


_UNKNOWN: typing.Final = "what it said may be secret, and is not kept"


def _read_nothing(
    connection: db_engine.Connection, stack: stack_model.Stack
) -> template.Template | None:
    return None


class _Case(worker.TestCase):
    def make(self, name: str = "app") -> ids.StackId:
        return self.create(_TEMPLATE, name, parameters={"word": "hunter22"})

    def put_made(
        self, stack_id: ids.StackId, **more: object
    ) -> resource.Resource:
        return self.put_resource(
            stack_id,
            "rs",
            type_name=_STRING,
            attributes={"value": _MADE},
            **more,
        )

    def make_redactor(self, stack_id: ids.StackId) -> tree_secrets.Redactor:
        return tree_secrets.Redactor(
            self.database, self.deps.templates.find, self.get_stack(stack_id)
        )


class RedactedReasonsTest(_Case):
    def test_what_was_made_up_since_the_last_reason(self) -> None:
        stack_id = self.make()
        cover = self.make_redactor(stack_id)
        said = f"hunter22 and {_MADE}"
        before = cover(said)

        self.put_made(stack_id)

        self.assertEqual(f"****** and {_MADE}", before)
        self.assertEqual("****** and ******", cover(said))

    def test_what_another_stack_of_the_tree_has_made_up(self) -> None:
        outer, inner = self.make("outer"), self.make("inner")
        self.set_stack(
            inner, parent_id=outer, root_id=outer, parent_resource="web"
        )
        self.put_made(outer)

        self.assertEqual("no ******", self.make_redactor(inner)(f"no {_MADE}"))

    def test_what_is_made_up_and_not_stored_yet(self) -> None:
        row = self.put_made(self.make("other"))
        cover = self.make_redactor(self.make())

        self.assertEqual("no ******", cover(f"no {_MADE}", [row]))
        self.assertEqual(f"no {_MADE}", cover(f"no {_MADE}"))

    def test_an_address_that_is_proof_by_itself(self) -> None:
        cover = self.make_redactor(self.make())

        self.assertEqual(
            "nobody at ****** today",
            cover(f"nobody at {test_presigned.OURS} today"),
        )

    def test_only_the_kind_of_an_error_where_the_template_is_unreadable(
        self,
    ) -> None:
        stack = self.get_stack(self.make())
        cover = tree_secrets.Redactor(self.database, _read_nothing, stack)

        self.assertEqual(
            f"Conflict: {_UNKNOWN}", cover("Conflict: no hunter22")
        )
        self.assertEqual(_UNKNOWN, cover("no hunter22"))
        self.assertEqual(_UNKNOWN, cover("no hunter22: refused"))
        with self.database.read() as connection:
            self.assertEqual(
                _UNKNOWN,
                tree_secrets.redact_said(
                    connection, _read_nothing, stack, "no hunter22"
                ),
            )


class SaidTest(_Case):
    def say(self, stack_id: ids.StackId, text: str) -> str:
        with self.database.read() as connection:
            return tree_secrets.redact_said(
                connection,
                self.deps.templates.find,
                self.get_stack(stack_id),
                text,
            )

    def test_rows_that_have_not_changed_are_not_parsed_again(self) -> None:
        stack_id = self.make()
        rows = [
            self.put_resource(
                stack_id,
                name,
                properties={"flavor": f"{name}-canary-19"},
                sensitive=("flavor",),
            )
            for name in ("one", "two")
        ]
        said = "one-canary-19 two-canary-19 new-canary-19"
        self.assertEqual(
            "****** ****** new-canary-19", self.say(stack_id, said)
        )

        self.put_resource(
            stack_id,
            "two",
            id=rows[1].id,
            updated_at=rows[1].updated_at,
            properties={"flavor": "new-canary-19"},
            sensitive=("flavor",),
        )
        with mock.patch.object(
            resource.Resource,
            "secret_texts",
            autospec=True,
            side_effect=resource.Resource.secret_texts,
        ) as parsed:
            found = self.say(stack_id, said)

        self.assertEqual("****** two-canary-19 ******", found)
        self.assertEqual(
            ["two"], [each.args[0].name for each in parsed.mock_calls]
        )

    def test_what_only_has_the_name_of_a_secret_is_cached_apart(self) -> None:
        stack_id = self.make()
        self.put_resource(
            stack_id, "web", properties={"admin_pass": "pass-canary-31"}
        )
        with self.database.read() as connection:
            found = [
                tree_secrets.read(connection, stack_id, is_plain=is_plain)
                for is_plain in (False, True, False, True)
            ]

        self.assertEqual(
            [{"pass-canary-31"}, set(), {"pass-canary-31"}, set()], found
        )

    def test_rows_are_not_read_for_a_text_that_is_too_short(self) -> None:
        stack_id = self.create(_TEMPLATE, "short", parameters={"word": "pin"})
        self.put_made(stack_id)

        with mock.patch.object(secret_rows, "read_texts") as looked:
            found = [self.say(stack_id, each) for each in ("pin", "ok", "")]

        self.assertEqual(["******", "ok", ""], found)
        self.assertEqual([], looked.mock_calls)
