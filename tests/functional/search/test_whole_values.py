"""The words of long values are found, and what is cut says so."""

import typing

from orch.model import flat_fields
from tests.functional.search import finding

_SCRIPT: typing.Final = (
    "#!/bin/sh\n"
    + "echo configuring step\n" * 200
    + "install markerpackage77\n"
)
_LONG: typing.Final = "word " * 14_000 + "beyondtheend"


class WholeValuesTest(finding.SearchTestCase):
    @classmethod
    def deploy(cls) -> None:
        """Make nothing: each test has a stack of its own."""

    def deployed(
        self,
        properties: finding.Json,
        kind: str = "resource",
        description: str = "",
        **files: str,
    ) -> finding.Json:
        """Return the hit of the resource, or the stack, once it is found."""
        stack = self.client.create(
            self.name,
            {
                "heat_template_version": "2021-04-16",
                "description": description,
                "resources": {
                    "config": {
                        "type": "OS::Heat::SoftwareConfig",
                        "properties": properties,
                    }
                },
            },
            files=files,
        )
        self.client.wait(stack, "CREATE_COMPLETE")
        path = self.name if kind == "stack" else f"{self.name}/config"
        q = f"stack_id:{stack.id} kind:{kind} status:COMPLETE"
        finding.wait_for_paths(self.client, q, [path])
        (hit,) = self.search(q)["hits"]
        return typing.cast(finding.Json, hit)

    def test_s1_the_end_of_a_file_is_found(self) -> None:
        hit = self.deployed(
            {"config": {"get_file": "setup.sh"}}, **{"setup.sh": _SCRIPT}
        )

        self.assertEqual(hit["path"], f"{self.name}/config")
        self.assertEqual([hit["path"]], self.found("markerpackage77"))
        self.assertEqual(
            [hit["path"]], self.found('"install markerpackage77"')
        )
        self.assertNotIn(flat_fields.CUT, hit["fields"])
        (found,) = self.search("markerpackage77", highlight=True)["hits"]
        self.assertIn("markerpackage77", finding.text_of(found["highlights"]))

    def test_s1_each_key_of_a_large_map_is_found(self) -> None:
        hit = self.deployed(
            {"options": {f"k{number}": "v" for number in range(700)}}
        )

        self.assertEqual(
            [hit["path"]],
            self.found(f"path:{hit['path']} properties.options.k650:v"),
        )
        self.assertNotIn(flat_fields.CUT, hit["fields"])

    def test_s1_a_document_says_that_it_lacks_a_part(self) -> None:
        hit = self.deployed(
            {"config": {"get_file": "long.sh"}}, **{"long.sh": _LONG}
        )

        self.assertEqual([], self.found("beyondtheend"))
        self.assertEqual([True], hit["fields"][flat_fields.CUT])
        self.assertEqual(
            [hit["path"]],
            self.found(f"path:{hit['path']} {flat_fields.CUT}:true"),
        )

    def test_s1_a_stack_says_that_its_template_is_cut(self) -> None:
        for length, wanted in ((50_000, None), (150_000, [True])):
            hit = self.deployed({}, "stack", "long " * (length // 5))
            self.assertEqual(wanted, hit["fields"].get(flat_fields.CUT))
            self.name = f"{self.name}b"
