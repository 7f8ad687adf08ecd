"""Documents come in two forms, and neither is larger than what is taken."""

import base64
import json
import secrets
import typing
import zlib

import yaml

from tests.functional import adopting
from tests.functional import test_adopt_nested
from tests.functional import test_adopt_sealed
from tests.support import installations
from tests.support import rest
from tests.support import systems

Json = adopting.Json
declare_resource = adopting.declare_resource
template = adopting.template

_LIMIT = 20_000
_UNPACKED = 200_000
_OPTIONS: systems.Options = {
    **installations.OPTIONS,
    "adoption": {
        "max_document_size": _LIMIT,
        "max_unpacked_document_size": _UNPACKED,
    },
    "DEFAULT": {"max_json_body_size": 100_000},
}


def compressed(value: object) -> Json:
    """Return a document in the compact form."""
    text = base64.b64encode(zlib.compress(json.dumps(value).encode()))
    return {"document_format": 2, "compressed": text.decode()}


class FormsTestCase(adopting.AdoptingTestCase):
    """Installations that take documents of a few kilobytes."""

    @classmethod
    def setUpClass(cls) -> None:
        super(adopting.AdoptingTestCase, cls).setUpClass()
        cls.pair = cls.use(installations.Pair(_OPTIONS))
        cls.world = cls.pair.world
        cls.here = cls.pair.here.client
        cls.there = cls.pair.there.client

    def large(self) -> rest.Stack:
        """Return a stack whose document is too large, but not compressed."""
        return self.created(self.chain(), files={"f": "a" * (_LIMIT + 1)})

    def there_as_here(self, document: object) -> None:
        """Adopt a document; all that it has is there."""
        made = len(self.creations())
        adopted = self.adopt(document)
        self.assertEqual(made, len(self.creations()))
        self.there.delete(adopted)
        self.there.wait(adopted, "DELETE_COMPLETE")
        removed = [
            each
            for each in self.world.calls()
            if each.stack.startswith(self.name) and each.act == "removed"
        ]
        self.assertEqual(made, len(removed))

    def creations(self) -> list[str]:
        return [
            each.name
            for each in self.world.calls()
            if each.stack.startswith(self.name) and each.act == "create"
        ]

    def reason(
        self, function: typing.Callable[..., object], *given: object
    ) -> str:
        error = self.assertRaises(rest.RefusedError, function, *given)
        self.assertEqual(400, error.status)
        return str(error.body)


class CompactTests(FormsTestCase):
    def export_as(self, stack: rest.Stack, query: str) -> Json:
        return self.ask(self.here, "GET", f"{stack.path}/export?{query}")

    def tree(self) -> rest.Stack:
        wanted, files = test_adopt_nested.holding()
        return self.created(wanted, files=files)

    def test_a2_stacks_at_all_depths_travel_in_it(self) -> None:
        stack = self.tree()
        self.ask(self.here, "DELETE", f"{stack.path}/abandon")
        self.wait_gone(stack)

        document = self.ask(
            self.here, "GET", f"{stack.path}/abandon?form=compact"
        )

        self.assertEqual(2, document["document_format"])
        self.assertEqual(
            {"document_format", "name", "id", "action", "status"},
            set(document) - {"compressed"},
        )
        self.there_as_here(document)

    def test_a3_it_is_taken_as_a_text_too(self) -> None:
        stack = self.tree()
        document = self.ask(
            self.here, "DELETE", f"{stack.path}/abandon?form=compact"
        )
        self.wait_gone(stack)

        preview = self.ask(
            self.there,
            "POST",
            "/stacks/preview",
            {"stack_name": self.name, "adopt_stack_data": document},
        )

        self.assertIn("stack", preview)
        self.there_as_here(yaml.safe_dump(document))

    def test_a_g9_it_is_sealed_with_each_template_once(self) -> None:
        stack = self.tree()
        key = test_adopt_sealed.public_key(self.pair.there)
        document = self.ask(
            self.here,
            "DELETE",
            f"{stack.path}/abandon?form=compact&receiver={key}",
        )
        self.wait_gone(stack)

        inner = json.loads(
            zlib.decompress(base64.b64decode(str(document["compressed"])))
        )
        self.assertIn("seal", inner)
        self.there_as_here(document)

    def test_what_is_kept_of_child_stacks_is_shared(self) -> None:
        """Two child stacks with one template that is not their parent's."""
        inner = yaml.safe_dump(template(x=declare_resource()))
        wanted = template(
            one={"type": "inner.yaml"}, two={"type": "inner.yaml"}
        )
        stack = self.created(wanted, files={"inner.yaml": inner})
        other = template(x=declare_resource())
        other["description"] = "long " * 900
        for name, child in self.ids(self.here, stack).items():
            listed = self.ask(self.here, "GET", "/stacks?show_nested=true")
            found = next(
                each
                for each in typing.cast(list[Json], listed["stacks"])
                if each["id"] == child
            )
            self.assertIn(name, str(found["stack_name"]))
            held = rest.Stack(str(found["stack_name"]), str(child))
            self.here.ask("PUT", held.path, {"template": other})
            self.here.wait(held, "UPDATE_COMPLETE")
        document = self.export_as(stack, "form=compact")

        inner_json = zlib.decompress(
            base64.b64decode(str(document["compressed"]))
        )

        self.assertEqual(1, inner_json.count(b"long long long") // 300)
        self.assertEqual(1, len(json.loads(inner_json)["child_templates"]))

    def test_another_form_is_refused(self) -> None:
        stack = self.created(self.chain())

        self.assertIn(
            "plain or compact",
            self.reason(self.export_as, stack, "form=small"),
        )


class LimitTests(FormsTestCase):
    def test_a_g3_abandon_refuses_what_nobody_could_adopt(self) -> None:
        stack = self.large()

        reason = self.reason(self.abandon, stack)

        self.assertIn("form=compact", reason)
        shown = self.here.show(stack)
        self.assertEqual("CREATE_COMPLETE", shown["stack_status"])
        document = self.ask(
            self.here, "DELETE", f"{stack.path}/abandon?form=compact"
        )
        self.wait_gone(stack)
        self.there_as_here(document)

    def test_a_g3_prepare_takes_the_compact_form_by_itself(self) -> None:
        stack = self.large()
        path = f"{stack.path}/abandon"

        answer = self.ask(self.here, "POST", path, {"prepare": None})
        ready = typing.cast(dict[str, Json], answer)["abandonment"]
        self.here.ask("POST", path, {"commit": ready["token"]})
        self.wait_gone(stack)

        self.assertEqual(
            ("compact", _LIMIT), (ready["form"], ready["max_size"])
        )
        self.assertLess(typing.cast(int, ready["size"]), _LIMIT)
        self.there_as_here(ready["document"])

    def test_a_small_one_is_plain(self) -> None:
        stack = self.created(self.chain())

        answer = self.ask(
            self.here, "POST", f"{stack.path}/abandon", {"prepare": None}
        )

        ready = typing.cast(dict[str, Json], answer)["abandonment"]
        self.assertEqual("plain", ready["form"])

    def test_a_g3_what_no_form_makes_small_enough_stays(self) -> None:
        noise = secrets.token_hex(_LIMIT)
        stack = self.created(self.chain(), files={"f": noise})

        for query in ("", "?form=compact"):
            reason = self.reason(
                self.ask, self.here, "DELETE", f"{stack.path}/abandon{query}"
            )
        prepared = self.reason(
            self.ask,
            self.here,
            "POST",
            f"{stack.path}/abandon",
            {"prepare": None},
        )

        self.assertIn("max_document_size", reason)
        self.assertIn("max_document_size", prepared)
        shown = self.here.show(stack)
        self.assertEqual("CREATE_COMPLETE", shown["stack_status"])

    def test_an_adoption_may_be_larger_than_other_requests(self) -> None:
        document = self.export(self.created(self.chain()))
        document["resources"] = {}
        text = json.dumps({**document, "more": "a" * 110_000})
        small = {"stack_name": self.name, "template": template(), "x": text}

        self.begin_adopt(text, stack_name=f"{self.name}-2")
        longer = self.reason(self.begin_adopt, text + " " * (2 * _LIMIT))
        other = self.reason(self.ask, self.there, "POST", "/stacks", small)

        self.assertIn("maximum allowed size (140000 bytes)", longer)
        self.assertIn("maximum allowed size (100000 bytes)", other)


class BrokenTests(FormsTestCase):
    """What was made to do harm does none."""

    def test_what_becomes_too_large_is_refused(self) -> None:
        bomb = zlib.compress(b" " * 50_000_000, 9)
        document = {
            "document_format": 2,
            "compressed": base64.b64encode(bomb).decode(),
        }

        reason = self.reason(self.begin_adopt, document)

        self.assertIn("max_unpacked_document_size", reason)

    def test_texts_in_too_many_places_are_refused(self) -> None:
        inner = {
            "document_format": 1,
            "template": self.chain(),
            "files": {str(number): 0 for number in range(100)},
            "texts": ["a" * 10_000],
            "child_templates": [],
            "resources": {},
        }

        reason = self.reason(self.begin_adopt, compressed(inner))

        self.assertIn("max_unpacked_document_size", reason)

    def test_what_leads_nowhere_is_refused(self) -> None:
        inner: Json = {
            "document_format": 1,
            "template": self.chain(),
            "texts": [],
            "child_templates": [],
            "resources": {},
        }
        cut = compressed(inner)
        cut["compressed"] = str(cut["compressed"])[:40]
        for each in (
            compressed({**inner, "files": {"f": 0}}),
            compressed({**inner, "files": {"f": -1}}),
            compressed({**inner, "texts": None}),
            compressed([inner]),
            {"document_format": 2, "compressed": "?"},
            {"document_format": 2},
            cut,
        ):
            reason = self.reason(self.begin_adopt, each)
            self.assertIn("compact form", reason)
