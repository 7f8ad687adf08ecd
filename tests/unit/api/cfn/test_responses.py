"""Answers in both forms."""

import json
from xml.etree import ElementTree

from orch.api.cfn import responses
from tests import base

_FOUND = {
    "Names": ["a<b", "\x01"],
    "Maps": [{"Key": "k", "Gone": None}],
    "IsSo": True,
    "Number": 7,
    "None": None,
}


class AnswersTest(base.TestCase):
    def test_xml_has_members_and_leaves_out_what_is_missing(self) -> None:
        body = responses.result("Do", _FOUND, "req-1")

        kind, text = responses.dumps(body, is_json=False)

        self.assertEqual("text/xml", kind)
        root = ElementTree.fromstring(text)
        self.assertEqual(f"{{{responses.NAMESPACE}}}DoResponse", root.tag)
        told = [
            (each.tag.rpartition("}")[2], each.text)
            for each in root.iter()
            if each.text
        ]
        self.assertEqual(
            [
                ("member", "a<b"),
                ("member", "?"),
                ("Key", "k"),
                ("IsSo", "true"),
                ("Number", "7"),
                ("RequestId", "req-1"),
            ],
            told,
        )

    def test_json_has_lists(self) -> None:
        body = responses.result("Do", _FOUND, "req-1")

        kind, text = responses.dumps(body, is_json=True)

        self.assertEqual("application/json", kind)
        self.assertEqual(
            {
                "Names": ["a<b", "\x01"],
                "Maps": [{"Key": "k"}],
                "IsSo": True,
                "Number": 7,
            },
            json.loads(text)["DoResponse"]["DoResult"],
        )

    def test_an_error_says_whose_it_is(self) -> None:
        for status, kind in ((400, "Sender"), (503, "Receiver")):
            told = responses.error("Code", "why", status, "req-1")
            error = told["ErrorResponse"]
            assert isinstance(error, dict)
            self.assertEqual(
                {"Type": kind, "Code": "Code", "Message": "why"},
                error["Error"],
            )
