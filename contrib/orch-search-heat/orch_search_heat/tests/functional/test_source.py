"""Documents read through python-heatclient, unmodified, from our own API.

Whatever speaks Heat's API is read so.
"""

import pathlib
import typing

import fixtures
from oslo_config import cfg

from orch import errors
from orch.search import document
from orch_search_heat import heat
from orch_search_heat import options
from orch_search_heat import thin
from tests.functional import nesting
from tests.support import ports
from tests.support import rest
from tests.support import waiting
from tests.support import world_templates

Json = dict[str, typing.Any]

_SECRET = "canary-heat-20c7"
_AHEAD_MICRO = 7_226_582_400_000_000
_NEVER = "8a3c9f6e-0d0c-4a35-9a7b-2d0f0f2e9b10"


def source_of(**given: object) -> heat.HeatSource:
    """Return a source whose options are these."""
    conf = cfg.ConfigOpts()
    # Read first: the options of the login make themselves known.
    conf([], default_config_files=[])
    options.register(conf)
    for name, value in given.items():
        conf.set_override(name, value, options.GROUP)
    return heat.HeatSource(conf)


class SourceTestCase(nesting.NestedTestCase):
    """The user of the source may list the stacks of all projects.

    :cvar more: options of the service
    """

    more: typing.ClassVar[dict[str, dict[str, object]]] = {}

    @classmethod
    def setUpClass(cls) -> None:
        directory = cls.use(fixtures.TempDir()).path
        rules = pathlib.Path(directory, "policy.yaml")
        rules.write_text('"stacks:global_index": "role:admin"\n')
        cls.options = {"oslo_policy": {"policy_file": rules}, **cls.more}
        super().setUpClass()


class HeatSourceTest(SourceTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.source = self.connect(self.client.endpoint)

    def connect(self, endpoint: str) -> heat.HeatSource:
        return source_of(auth_type="none", endpoint_override=endpoint)

    def read(self, stack_id: str) -> document.StackDocuments:
        (found,) = self.source.read([stack_id])
        self.assertEqual(stack_id, found.stack_id)
        return found

    def test_s2_a_stack_is_read_with_its_resources(self) -> None:
        stack = self.client.create(
            self.name,
            {
                **world_templates.template(
                    a=world_templates.declare_resource(
                        label={"get_param": "size"}, value="v"
                    ),
                    b=world_templates.declare_resource(
                        "a", label={"get_param": "word"}, value="b"
                    ),
                ),
                "description": "Two things",
                "parameters": {
                    "size": {"type": "string", "default": "large"},
                    "word": {
                        "type": "string",
                        "hidden": True,
                        "default": _SECRET,
                    },
                },
                "outputs": {
                    "said": {"value": {"get_attr": ["a", "label"]}},
                    "told": {"value": {"get_param": "word"}},
                },
            },
            tags="blue,green",
        )
        self.client.wait(stack, "CREATE_COMPLETE")

        found = self.read(stack.id)

        self.assertNotIn(_SECRET, repr(found))
        subject, a, b = sorted(found.documents, key=lambda each: each.path)
        self.assertEqual(f"stack/{stack.id}", subject.id)
        self.assertEqual(
            (self.name, self.name, "CREATE", "COMPLETE", ("blue", "green")),
            (
                subject.name,
                subject.path,
                subject.action,
                subject.status,
                subject.tags,
            ),
        )
        self.assertEqual("Two things", subject.description)
        self.assertEqual(
            self.client.endpoint.rpartition("/")[2], subject.project_id
        )
        self.assertEqual(("large",), subject.fields["parameters.size"])
        self.assertNotIn("parameters.word", subject.fields)
        self.assertEqual(("large",), subject.fields["outputs.said"])
        self.assertNotIn("outputs.told", subject.fields)
        self.assertIn("default: '******'", subject.texts["template"])
        shown = self.client.show(stack)
        self.assertEqual(
            thin.parse_time(shown["creation_time"]), subject.created_at
        )
        self.assertEqual(subject.created_at, subject.updated_at)
        self.assertEqual((f"{self.name}/a", "a"), (a.path, a.name))
        self.assertEqual("Test::World::Thing", a.type)
        self.assertTrue(a.physical_id.startswith("thing-"))
        self.assertEqual(("large",), a.fields["properties.label"])
        self.assertEqual(("v",), a.fields["properties.value"])
        self.assertEqual(("large",), a.fields["attributes.label"])
        self.assertNotIn("properties.label", b.fields)
        self.assertEqual(("b",), b.fields["properties.value"])
        # Any of them may carry on what is hidden.
        self.assertNotIn("attributes.value", b.fields)
        self.assertEqual(
            {
                "parameters.word",
                "outputs.told",
                "resources.b.attributes",
                "resources.b.properties.label",
            },
            found.redacted,
        )

    def test_s1_inner_stacks_are_listed_and_have_their_path(self) -> None:
        stack = self.make(
            {"kid": nesting.child_resource(label="x")}, tags="blue"
        )
        kid = self.child_of(stack, "kid")

        listed = self.source.list_stacks("", 1000)
        found = self.read(kid.id)

        self.assertEqual(sorted(listed), listed)
        self.assertLessEqual({stack.id, kid.id}, set(listed))
        paths = {each.path: each for each in found.documents}
        self.assertEqual(
            {
                f"{self.name}/kid",
                f"{self.name}/kid/inner",
                f"{self.name}/kid/last",
            },
            set(paths),
        )
        self.assertEqual({stack.id}, {e.root_id for e in found.documents})
        self.assertEqual(("blue",), paths[f"{self.name}/kid/last"].tags)

    def test_s4_stacks_of_another_project_are_read(self) -> None:
        endpoint, _, _ = self.client.endpoint.rpartition("/")
        other = rest.Client(f"{endpoint}/other")
        self.addCleanup(other.close)
        stack = other.create(self.name, world_templates.chain())
        other.wait(stack, "CREATE_COMPLETE")

        found = self.read(stack.id)

        self.assertIn(stack.id, self.source.list_stacks("", 1000))
        self.assertEqual({"other"}, {e.project_id for e in found.documents})
        self.assertEqual(4, len(found.documents))

    def test_ids_come_in_pages(self) -> None:
        self.patch(heat, "_PAGE", 2)
        made = {
            self.client.create(
                f"{self.name}-{number}",
                world_templates.template(a=world_templates.declare_resource()),
            ).id
            for number in range(5)
        }

        everything = self.source.list_stacks("", 1000)
        first = self.source.list_stacks("", 2)
        rest_ = self.source.list_stacks(first[-1], 1000)

        self.assertEqual(everything, first + rest_)
        self.assertEqual(2, len(first))
        self.assertLessEqual(made, set(everything))
        self.assertEqual(len(set(everything)), len(everything))

    def test_s5_a_stack_that_is_gone_has_no_documents(self) -> None:
        stack = self.create()
        before = self.read(stack.id)
        self.client.delete(stack)
        waiting.wait_for(
            lambda: self.read(stack.id).documents == (), "the stack is gone"
        )

        after = self.read(stack.id)

        self.assertEqual(4, len(before.documents))
        self.assertGreater(after.version, before.version)
        self.assertEqual(frozenset(), after.redacted)
        self.assertEqual((), self.read(_NEVER).documents)
        self.assertEqual(
            document.UNKNOWN_REDACTION, self.read(_NEVER).redacted
        )

    def test_s3_what_is_gone_tells_what_it_has_hidden(self) -> None:
        stack = self.client.create(
            self.name,
            {
                "heat_template_version": "2021-04-16",
                "parameters": {
                    "word": {
                        "type": "string",
                        "hidden": True,
                        "default": _SECRET,
                    }
                },
            },
        )
        self.client.wait(stack, "CREATE_COMPLETE")
        self.client.delete(stack)
        waiting.wait_for(
            lambda: self.read(stack.id).documents == (), "the stack is gone"
        )

        self.assertEqual(
            frozenset({"parameters.word"}), self.read(stack.id).redacted
        )

    def test_why_it_failed_is_told(self) -> None:
        self.world.order(self.name, "create", "b", how="permanent")
        stack = self.client.create(self.name, world_templates.chain())
        self.client.wait(stack, "CREATE_FAILED")

        found = self.read(stack.id)

        subject = found.documents[0]
        self.assertEqual("FAILED", subject.status)
        self.assertNotEqual("", subject.reason)
        (failed,) = (
            e
            for e in found.documents
            if e.status == "FAILED" and e.kind == document.RESOURCE
        )
        self.assertEqual("b", failed.name)
        self.assertIn(failed.reason, subject.texts["events"])

    def test_s5_a_reading_is_later_than_what_told_of_it(self) -> None:
        stack = self.create()
        shown = self.client.show(stack)
        created = thin.parse_time(shown["creation_time"])
        assert created is not None

        found = self.read(stack.id)

        self.assertGreater(found.version, created * thin.MICRO)
        self.assertEqual(found.version, int(found.read_at * thin.MICRO))

    def test_nobody_who_answers_is_unavailable(self) -> None:
        away = self.connect(f"http://127.0.0.1:{ports.find_free()}/v1/demo")

        for ask in (
            lambda: away.list_stacks("", 10),
            lambda: away.read([_NEVER]),
        ):
            error = self.assertRaises(errors.Unavailable, ask)
            self.assertIn("search_heat", str(error))

    def test_options_without_a_login_are_refused(self) -> None:
        error = self.assertRaises(heat.Misconfigured, source_of)

        self.assertIn("auth_type", str(error))


class HiddenStackTest(SourceTestCase):
    """A user who may list all stacks and look into none of another project.

    The client in the middle is the real one; only its answer to "show me" is
    taken away, as a policy of Heat does.
    """

    def test_s4_what_may_not_be_shown_is_told_by_the_list(self) -> None:
        stack = self.create()
        source = source_of(
            auth_type="none", endpoint_override=self.client.endpoint
        )
        refuse(source)

        (found,) = source.read([stack.id])

        (subject,) = found.documents
        self.assertEqual(
            (stack.id, self.name, "CREATE", "COMPLETE"),
            (
                subject.stack_id,
                subject.name,
                subject.action,
                subject.status,
            ),
        )
        self.assertNotEqual("", subject.project_id)
        self.assertEqual(document.UNKNOWN_REDACTION, found.redacted)

    def test_s4_one_that_is_not_listed_either_is_left_out(self) -> None:
        stack = self.create()
        source = source_of(
            auth_type="none", endpoint_override=self.client.endpoint
        )
        refuse(source, and_lists=True)

        self.assertEqual([], source.read([stack.id]))
        self.assertRaises(errors.Unavailable, source.list_stacks, "", 10)

    def test_s4_of_one_that_is_not_shown_its_notification_is_read(
        self,
    ) -> None:
        for tag, is_hidden in (
            ("data-processing-cluster", True),
            ("data", False),
        ):
            source = source_of(
                auth_type="none", endpoint_override=self.client.endpoint
            )
            refuse(source, and_lists=True)
            # What waits for the index goes back, and remains known.
            source._inbox.stop()
            source._inbox.receive([self.notification(tag)])

            (found,) = source.read(["s1"])

            (stack,) = found.documents
            self.assertEqual((tag,), stack.tags)
            self.assertEqual(is_hidden, stack.is_hidden)

    def test_s5_a_clock_that_is_ahead_makes_no_version_smaller(self) -> None:
        stack = self.create()
        source = source_of(
            auth_type="none", endpoint_override=self.client.endpoint
        )
        source._inbox.stop()
        source._inbox.receive([self.notification("x", stack.id)])

        (found,) = source.read([stack.id])

        self.assertEqual(_AHEAD_MICRO, found.version)
        self.assertGreater(len(found.documents), 1)

    def notification(self, tag: str, stack_id: str = "s1") -> Json:
        return {
            "event_type": "orchestration.stack.update.end",
            "payload": {"stack_identity": stack_id, "tags": [tag]},
            "metadata": {"timestamp": "2199-01-01 00:00:00"},
        }


def refuse(source: heat.HeatSource, *, and_lists: bool = False) -> None:
    """Let the service answer 403 where it is asked for a stack."""
    session = source._client.http_client.session.session

    def answer(response: typing.Any, **more: object) -> typing.Any:
        path = response.request.path_url.partition("?")[0]
        is_list = path.endswith("/stacks")
        if response.status_code < 400 and (and_lists or not is_list):
            response.status_code = 403
            response._content = b'{"error": {"message": "no"}}'
            response.headers.pop("Location", None)
        return response

    session.hooks["response"].append(answer)
