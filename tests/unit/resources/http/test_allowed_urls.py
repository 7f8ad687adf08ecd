from orch import errors
from orch.resources.http import allowed_urls
from tests import base

ALLOWED = ["https://dns.example.org/v2", "http://10.0.0.1:8080"]


class FenceTest(base.TestCase):
    def test_without_a_fence_every_service_is_allowed(self) -> None:
        allowed_urls.check_url("http://169.254.169.254/x", [])

    def test_what_lies_below_an_allowed_url_is_allowed(self) -> None:
        for url in (
            "https://dns.example.org/v2",
            "https://DNS.example.org:443/v2/zones?x=../y",
            "http://10.0.0.1:8080/anything",
        ):
            allowed_urls.check_url(url, ALLOWED)

    def test_all_else_is_not(self) -> None:
        for url in (
            "http://dns.example.org/v2",
            "https://dns.example.org:8443/v2",
            "https://dns.example.org/v20",
            # One step for the service.
            "https://dns.example.org/v2%2fzones",
            "https://dns.example.org/",
            "https://dns.example.org.evil.test/v2",
            "https://dns.example.org@evil.test/v2",
            "http://10.0.0.1/",
        ):
            error = self.assertRaises(
                errors.Forbidden, allowed_urls.check_url, url, ALLOWED
            )
            self.assertIn("does not allow", error.message)

    def test_tricks_with_the_path_are_refused(self) -> None:
        for url in (
            "https://dns.example.org/v2/../admin",
            "https://dns.example.org/v2/%2e%2e/admin",
            "https://dns.example.org/v2/..%2fadmin",
            "https://dns.example.org/v2\\..\\admin",
            "https://dns.example.org/v2/..%5cadmin",
            "https://dns.example.org/v2/..;/admin",
            "https://dns.example.org/v2/..;x=y/admin",
            "https://dns.example.org/v2/%2e%2e%3b/admin",
            "https://dns.example.org/v2/.;/admin",
            "https://dns.example.org/v2/a b",
        ):
            self.assertRaises(
                errors.Invalid, allowed_urls.check_url, url, ALLOWED
            )

    def test_what_is_no_url_of_a_service_is_refused(self) -> None:
        for url in (
            "",
            "file:///etc/passwd",
            "dns.example.org",
            "http://",
            "http://h:port/",
            "ftp://h/",
        ):
            self.assertRaises(errors.Invalid, allowed_urls.check_url, url, [])
