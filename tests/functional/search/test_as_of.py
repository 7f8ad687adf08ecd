"""S3: who asks how things were finds nothing that was hidden since."""

import datetime
import time
import typing
import uuid

from tests.functional.search import finding
from tests.support import rest
from tests.support import waiting

_HIDING_TAG = "data-processing-cluster"
_INNER = """
heat_template_version: 2021-04-16
parameters:
  label: {type: string}
resources:
  deep:
    type: Test::World::Thing
    properties: {label: {get_param: label}}
"""


def _template(default: str, **word: object) -> finding.Json:
    """Return a template with a parameter that goes everywhere.

    :param word: more of what declares it
    """
    thing = "Test::World::Thing"
    label = {"label": {"get_param": "word"}}
    return {
        "heat_template_version": "2021-04-16",
        "parameters": {
            "word": {"type": "string", "default": default, **word},
            "note": {"type": "string", "default": "quiet"},
            "count": {"type": "number", "default": 1},
        },
        "resources": {
            "given": {"type": thing, "properties": label},
            "front": {"type": "inner.yaml", "properties": label},
            "plain": {
                "type": thing,
                "properties": {"label": {"get_param": "note"}},
            },
        },
        "outputs": {"said": {"value": {"get_param": "word"}}},
    }


class AsOfTests(finding.SearchTestCase):
    @classmethod
    def deploy(cls) -> None:
        """Make nothing: each test has a stack of its own."""

    def setUp(self) -> None:
        super().setUp()
        self.name = f"asof{self.name}"
        self.secret = f"canary{uuid.uuid4().hex}"
        self.reader = self.client_of("reader")
        self.readers = (self.reader, self.client_of("member"), self.client)

    def begin(self, template: finding.Json, **more: object) -> rest.Stack:
        """Return a stack that is complete and found."""
        stack = self.client.create(
            self.name, template, files={"inner.yaml": _INNER}, **more
        )
        self.client.wait(stack, "CREATE_COMPLETE")
        # By its id: a part of the name of a stack in it is the same word.
        self.wait_for(f"kind:stack stack_id:{stack.id} status:CREATE_COMPLETE")
        return stack

    def wait_for(self, q: str, count: int | None = None) -> None:
        """Return once something of the stack is found, or so many."""

        def is_found() -> bool:
            total = self.total(q)
            return total > 0 if count is None else total == count

        waiting.wait_for(is_found, f"{q} of {self.name}", finding.SOON_S)

    def total(self, q: str, **more: object) -> int:
        whole = f"path:{self.name}* ({q})" if q else f"path:{self.name}*"
        found = finding.search(self.reader, whole, **more)
        return typing.cast(int, found["total"])

    def update(
        self, stack: rest.Stack, template: finding.Json, **more: object
    ) -> None:
        """Return once an update is complete and all of it is found."""
        self.client.ask(
            "PUT",
            stack.path,
            {
                "template": template,
                "files": {"inner.yaml": _INNER},
                **more,
            },
        )
        self.client.wait(stack, "UPDATE_COMPLETE")
        # The stack that is in it has nothing to do, but may hide more.
        self.wait_for(f"kind:stack stack_id:{stack.id} status:UPDATE_COMPLETE")

    def then(self) -> str:
        """Return this moment, once another one has come."""
        found = time.time()
        waiting.wait_for(lambda: time.time() > found + 0.01, "time to pass")
        moment = datetime.datetime.fromtimestamp(found, datetime.UTC)
        return moment.isoformat()

    def assert_untold(self, word: str, *moments: str) -> None:
        """Check all that tells of a word, for each who may ask."""
        waiting.wait_for(
            lambda: self.total(word) == 0, f"{word} to be hidden", 30
        )
        for client in self.readers:
            for moment in moments:
                for q in (
                    word,
                    f"{word[:20]}*",
                    f'"{word}"',
                    f"parameters.word:{word}",
                    f"note:{word}",
                    f"label:{word}",
                    f"said:{word}",
                    f"texts.template:{word}",
                ):
                    found = finding.search(client, q, as_of=moment)
                    self.assertEqual(0, found["total"], (q, moment))
                whole = finding.search(
                    client,
                    "",
                    as_of=moment,
                    facet=["word", "note", "label", "said", "name"],
                    stats="count",
                    sort="-label",
                    with_texts="true",
                    limit=1000,
                )
                self.assertNotIn(word, finding.text_of(whole))
                body = {"q": word, "as_of": moment, "limit": 0}
                counted = client.ask("POST", "/search", body)
                told = typing.cast(finding.Json, counted)
                self.assertEqual(0, told["total"])

    def test_an_earlier_moment_than_is_known_is_incomplete(self) -> None:
        self.begin(_template(self.secret))
        q = f"name:{self.name}"
        waiting.wait_for(
            lambda: finding.search(self.reader, q)["is_complete"],
            "the index to be filled",
        )
        moment = self.then()
        found = finding.search(self.reader, q, as_of=moment)
        self.assertIs(True, found["is_complete"])
        self.assertGreater(found["total"], 0)
        since = found["history_since"]
        filled_at = datetime.datetime.fromisoformat(since).timestamp()
        waiting.wait_for(lambda: time.time() > filled_at, f"{since} to pass")

        for as_of, is_complete in (
            (since, True),
            ("2020-01-01T00:00:00Z", False),
        ):
            found = finding.search(self.reader, q, as_of=as_of)
            self.assertIs(is_complete, found["is_complete"], as_of)
            self.assertEqual(since, found["history_since"])
        self.assertEqual(0, found["total"])
        self.assertIn("at or after history_since", found["hint"])
        now = finding.search(self.reader, q)
        self.assertNotIn("history_since", now)

    def test_s3_a_parameter_that_became_hidden(self) -> None:
        stack = self.begin(_template(self.secret))
        self.wait_for(f"label:{self.secret}", 4)
        first = self.then()
        shown = finding.search(self.reader, self.secret, as_of=first)
        self.assertIn(self.secret, finding.text_of(shown["hits"]))
        self.update(stack, _template(self.secret), parameters={"note": "loud"})
        second = self.then()

        self.update(
            stack,
            _template(self.secret, hidden=True),
            parameters={"note": "louder"},
        )

        self.assert_untold(self.secret, first, second, self.then())
        # Other stacks of the project stay what they were; so does what
        # shows nothing that it does not show now.
        self.assertEqual(0, self.total("note:quiet", as_of=first))

    def test_s3_a_value_that_became_that_of_a_hidden_parameter(self) -> None:
        template = _template("other", hidden=True)
        stack = self.begin(template, parameters={"note": self.secret})
        first = self.then()
        self.assertLess(0, self.total(self.secret, as_of=first))

        self.update(
            stack, template, parameters={"word": self.secret, "note": "x"}
        )

        self.assert_untold(self.secret, first, self.then())

    def test_s3_a_property_that_became_hidden(self) -> None:
        template = _template("other", hidden=True)
        plain = template["resources"]["plain"]["properties"]
        plain["label"] = self.secret
        stack = self.begin(template)
        first = self.then()
        self.assertLess(0, self.total(f"label:{self.secret}", as_of=first))

        plain["label"] = {"get_param": "word"}
        self.update(stack, template)

        self.assert_untold(self.secret, first, self.then())

    def test_s3_a_stack_that_became_hidden(self) -> None:
        stack = self.begin(_template(self.secret))
        first = self.then()
        self.assertLess(0, self.total("", as_of=first))

        self.client.ask(
            "PUT",
            stack.path,
            {
                "template": _template(self.secret),
                "files": {"inner.yaml": _INNER},
                "tags": _HIDING_TAG,
            },
        )
        self.client.wait(stack, "UPDATE_COMPLETE")
        self.wait_for("", 0)

        for moment in (first, self.then(), None):
            self.assertEqual(0, self.total("", as_of=moment))
        self.assertNotEqual([], self.found(f"path:{self.name}*"))
        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")
        self.assertEqual(0, self.total("", as_of=first))

    def test_as_of_an_earlier_moment_others_see_what_changed(self) -> None:
        template = _template(self.secret, hidden=True)
        stack = self.begin(template, tags="red")
        self.wait_for("label:quiet", 1)
        first = self.then()
        template["resources"]["more"] = {"type": "Test::World::Thing"}
        self.update(
            stack,
            template,
            parameters={"note": "loud", "count": 5},
            tags="blue",
        )
        # The stack in it is read again a moment later, for the tags.
        self.wait_for("tags:blue", 7)
        second = self.then()
        self.client.delete(stack)
        self.wait_for("", 0)

        for moment, label, count, tag, things in (
            (first, "quiet", 1, "red", 5),
            (second, "loud", 5, "blue", 6),
        ):
            found = finding.search(
                self.reader,
                f"path:{self.name}*",
                as_of=moment,
                facet=["note", "tags"],
                stats="count",
            )
            self.assertEqual(
                [{"value": label, "count": 1}], found["facets"]["note"]
            )
            self.assertEqual(count, found["statistics"]["count"]["max"])
            self.assertEqual(things + 1, found["total"])
            self.assertEqual(
                [{"value": tag, "count": things + 1}], found["facets"]["tags"]
            )
            self.assertEqual(1, self.total(f"label:{label}", as_of=moment))
            self.assertNotIn(self.secret, finding.text_of(found))
        self.assertEqual(0, self.total("", as_of=self.then()))

    def test_s3_who_may_not_search_may_not_ask_how_it_was(self) -> None:
        moment = self.then()
        nobody = self.client_of("stranger")

        error = self.refused(nobody, f"/search?as_of={moment[:19]}Z")

        self.assertEqual(403, error.status)
