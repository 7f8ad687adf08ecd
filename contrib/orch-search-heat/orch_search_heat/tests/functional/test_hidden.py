"""S3, S4: what the source ``heat`` does not tell, read from our own API."""

import typing

from orch.search import document
from orch_search_heat.tests.functional import test_source
from tests.functional import nesting
from tests.support import rest

Json = dict[str, typing.Any]

_SECRET = "canary-hidden-51ce"
_WORD: Json = {"get_param": "word"}
_PARAMETERS: Json = {"word": {"type": "string", "hidden": True}}


class HiddenTestCase(test_source.SourceTestCase):
    """The service hides ``data-processing-cluster``, as its default says."""

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.source = test_source.source_of(
            auth_type="none", endpoint_override=cls.client.endpoint
        )

    def read(self, stack_id: str) -> dict[str, document.Document]:
        (found,) = self.source.read([stack_id])
        return {each.path: each for each in found.documents}


class HiddenValueTest(HiddenTestCase):
    def test_s3_what_was_made_of_a_hidden_value_is_left_out(self) -> None:
        resources: Json = {
            "v": {"type": "OS::Heat::Value", "properties": {"value": _WORD}},
            "rs": {"type": "OS::Heat::RandomString"},
            "kid": nesting.child_resource(label=_WORD),
            "low": nesting.child_resource(label={"get_attr": ["v", "value"]}),
            "free": nesting.declare_resource(label="plain", value="v"),
        }
        outputs: Json = {
            "o": {"value": {"get_attr": ["v", "value"]}},
            "id": {"value": {"get_resource": "rs"}},
            "random": {"value": {"get_attr": ["rs", "value"]}},
            "kid": {"value": {"get_attr": ["kid", "said"]}},
            "deep": {"value": {"get_attr": ["low", "deep"]}},
            "fine": {"value": {"get_attr": ["free", "label"]}},
        }
        stack = self.client.create(
            self.name,
            {
                **nesting.template(**resources),
                "parameters": _PARAMETERS,
                "outputs": outputs,
            },
            parameters={"word": _SECRET},
            files={"inner.yaml": nesting.INNER},
        )
        self.client.wait(stack, "CREATE_COMPLETE")
        shown = self.client.outputs(stack)
        self.assertEqual(_SECRET, shown["o"])
        secrets = {_SECRET, shown["random"]}

        found = self.read(stack.id)
        for name in ("kid", "low"):
            found |= self.read(self.child_of(stack, name).id)

        told = repr(found)
        for secret in secrets:
            self.assertNotIn(secret, told)
        self.assertIn(f"{self.name}/low/inner", found)
        self.assertEqual(("plain",), found[self.name].fields["outputs.fine"])
        self.assertEqual(
            ("plain",),
            found[f"{self.name}/free"].fields["attributes.label"],
        )

    def test_s3_no_address_that_is_proof_is_told(self) -> None:
        stack = self.client.create(
            self.name,
            {
                **nesting.template(
                    handle={"type": "OS::Heat::WaitConditionHandle"},
                    old={"type": "AWS::CloudFormation::WaitConditionHandle"},
                    a=nesting.declare_resource(
                        label={"get_attr": ["handle", "endpoint"]}
                    ),
                ),
                "outputs": {
                    "url": {"value": {"get_attr": ["handle", "endpoint"]}},
                    "cli": {"value": {"get_attr": ["handle", "curl_cli"]}},
                    "old": {"value": {"get_resource": "old"}},
                    "label": {"value": {"get_attr": ["a", "label"]}},
                },
            },
        )
        self.client.wait(stack, "CREATE_COMPLETE")
        shown = self.client.outputs(stack)
        for name in ("url", "cli", "old", "label"):
            self.assertIn("&Signature=", str(shown[name]))

        found = self.read(stack.id)

        self.assertEqual(4, len(found))
        self.assertNotIn("Signature", repr(found))


class HiddenStackTest(HiddenTestCase):
    """Stacks that only administrators find."""

    def make_tree(self, tag: str) -> set[bool]:
        """Return whether only administrators find what is in a tree."""
        self.take_name()
        stack = self.make({"kid": nesting.child_resource(label="x")}, tags=tag)
        kid = self.child_of(stack, "kid")
        found = [*self.read(stack.id).values(), *self.read(kid.id).values()]
        self.assertEqual(5, len(found))
        return {each.is_hidden for each in found}

    def test_s4_a_tag_hides_a_tree_from_people(self) -> None:
        self.assertEqual({True}, self.make_tree("data-processing-cluster"))
        self.assertEqual({False}, self.make_tree("data"))

    def test_s4_what_may_not_be_shown_is_hidden_likewise(self) -> None:
        stack = self.create(tags="data-processing-cluster")
        source = test_source.source_of(
            auth_type="none", endpoint_override=self.client.endpoint
        )
        test_source.refuse(source)

        (found,) = source.read([stack.id])

        self.assertEqual([True], [each.is_hidden for each in found.documents])
        self.assertIn("stack", found.redacted)


class OtherTagTest(HiddenTestCase):
    """The service hides a tag that ``[search_heat]`` does not name."""

    more: typing.ClassVar[dict[str, dict[str, object]]] = {
        "api": {"hidden_stack_tags": "another"}
    }

    def test_s4_the_list_tells(self) -> None:
        stack = self.create(tags="another")
        other = self.client.create(f"{self.name}-2", nesting.template())

        self.assertEqual({True}, self.hidden(stack))
        self.assertEqual({False}, self.hidden(other))

    def hidden(self, stack: rest.Stack) -> set[bool]:
        return {each.is_hidden for each in self.read(stack.id).values()}
