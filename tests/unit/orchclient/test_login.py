"""Settings mean what they mean to openstacksdk."""

import argparse
import os

import openstack.config
from keystoneauth1 import adapter

from orchclient import clouds
from orchclient import connection
from orchclient import errors
from orchclient import login
from tests.unit.orchclient import settings

_URL = "http://keystone.test/v3"
_PASSWORD = {"auth_url": _URL, "username": "ann", "password": "word"}
_VARIABLES = {
    "password": {
        "OS_AUTH_URL": _URL,
        "OS_USERNAME": "ann",
        "OS_PASSWORD": "word{",
        "OS_PROJECT_NAME": "demo",
        "OS_USER_DOMAIN_NAME": "users",
        "OS_PROJECT_DOMAIN_ID": "default",
        "OS_REGION_NAME": "north",
        "OS_INTERFACE": "internal",
    },
    "one domain": {
        "OS_AUTH_URL": _URL,
        "OS_AUTH_TYPE": "v3password",
        "OS_USERNAME": "ann",
        "OS_PASSWORD": "word",
        "OS_TENANT_NAME": "demo",
        "OS_DOMAIN_NAME": "default",
        "OS_ENDPOINT_TYPE": "admin",
    },
    "domain scope": {
        "OS_AUTH_URL": _URL,
        "OS_USERNAME": "ann",
        "OS_PASSWORD": "word",
        "OS_USER_DOMAIN_ID": "default",
        "OS_DOMAIN_ID": "default",
    },
    "system scope": {
        "OS_AUTH_URL": _URL,
        "OS_AUTH_TYPE": "v3password",
        "OS_USER_ID": "1",
        "OS_PASSWORD": "word",
        "OS_SYSTEM_SCOPE": "all",
    },
    "token": {
        "OS_AUTH_URL": _URL,
        "OS_AUTH_TYPE": "token",
        "OS_TOKEN": "secret",
        "OS_PROJECT_ID": "0123",
    },
    "v3token": {
        "OS_AUTH_URL": _URL,
        "OS_AUTH_TYPE": "v3token",
        "OS_AUTH_TOKEN": "secret",
        "OS_PROJECT_ID": "0123",
    },
    "application credential": {
        "OS_AUTH_URL": _URL,
        "OS_AUTH_TYPE": "v3applicationcredential",
        "OS_APPLICATION_CREDENTIAL_ID": "id",
        "OS_APPLICATION_CREDENTIAL_SECRET": "secret",
    },
    "code": {
        "OS_AUTH_URL": _URL,
        "OS_AUTH_TYPE": "v3totp",
        "OS_USERNAME": "ann",
        "OS_USER_DOMAIN_ID": "default",
        "OS_PASSCODE": "123456",
    },
    "several factors": {
        "OS_AUTH_URL": _URL,
        "OS_AUTH_TYPE": "v3multifactor",
        "OS_AUTH_METHODS": "v3password,v3totp",
        "OS_USERNAME": "ann",
        "OS_USER_DOMAIN_ID": "default",
        "OS_PASSWORD": "word",
        "OS_PASSCODE": "123456",
    },
    "no login": {
        "OS_AUTH_TYPE": "none",
        "OS_ENDPOINT": "http://orch.test/v1/demo",
    },
    "a name for no login": {
        "OS_AUTH_TYPE": "None",
        "OS_ENDPOINT": "http://orch.test/v1/demo",
    },
    "basic": {
        "OS_AUTH_TYPE": "http_basic",
        "OS_ENDPOINT": "http://orch.test/v1/demo",
        "OS_USERNAME": "ann",
        "OS_PASSWORD": "word",
    },
    "a token and an endpoint": {
        "OS_AUTH_TYPE": "token_endpoint",
        "OS_ENDPOINT": "http://orch.test/v1/demo",
        "OS_TOKEN": "secret",
    },
    "settings of the service": {
        "OS_AUTH_URL": _URL,
        "OS_USERNAME": "ann",
        "OS_PASSWORD": "word",
        "OS_ORCHESTRATION_ENDPOINT_OVERRIDE": "http://{region_name}.test",
        "OS_ORCHESTRATION_SERVICE_TYPE": "orch",
        "OS_ORCHESTRATION_SERVICE_NAME": "mine",
        "OS_ORCHESTRATION_INTERFACE": "internal",
        "OS_ORCHESTRATION_REGION_NAME": "south",
        "OS_REGION_NAME": "north",
    },
    "certificates": {
        "OS_AUTH_URL": _URL,
        "OS_USERNAME": "ann",
        "OS_PASSWORD": "word",
        "OS_CACERT": "~/ca.pem",
        "OS_CERT": "~/cert.pem",
        "OS_KEY": "~/key.pem",
        "OS_API_TIMEOUT": "7",
    },
    "no verification": {
        "OS_AUTH_URL": _URL,
        "OS_USERNAME": "ann",
        "OS_PASSWORD": "word",
        "OS_INSECURE": "True",
    },
}
_NO_OPTIONS = frozenset(
    {
        "OS_API_TIMEOUT",
        "OS_APPLICATION_CREDENTIAL_ID",
        "OS_AUTH_METHODS",
        "OS_AUTH_TOKEN",
        "OS_ENDPOINT_TYPE",
        "OS_ORCHESTRATION_REGION_NAME",
        "OS_TENANT_NAME",
    }
)
"""Variables that have no option in openstacksdk."""
_NO_TYPES = ("None", "token_endpoint")
"""Types that no option may have."""
_CLOUDS: dict[str, settings.Json] = {
    "plain": {"auth": {**_PASSWORD, "project_name": "demo"}},
    "hyphens": {"auth": {**_PASSWORD, "project-name": "demo"}},
    "old names": {
        "auth": {**_PASSWORD, "tenant_name": "demo"},
        "endpoint_type": "internal",
        "volume_timeout": 9,
        "auth_plugin": "password",
    },
    "names beside": {
        "auth": {**_PASSWORD, "project_name": "no"},
        "project_name": "demo",
        "domain_name": "default",
    },
    "regions": {
        "auth": {**_PASSWORD, "auth_url": "http://{region_name}.test"},
        "regions": [
            {"name": "one", "values": {"interface": "admin"}},
            "two",
        ],
    },
    "a region": {"auth": _PASSWORD, "region_name": "north"},
    "numbers": {
        "auth": {**_PASSWORD, "password": 1234, "project_id": 5},
        "orchestration_endpoint": "http://orch.test",
        "verify": False,
        "api_timeout": 3.5,
    },
}


def _facts(found: adapter.Adapter) -> dict[str, object]:
    """Return all that decides on what is sent, and to whom."""
    session = found.session
    login_ = session.auth
    secrets = [vars(each) for each in getattr(login_, "auth_methods", ())]
    return {
        "plugin": type(login_),
        "login": {
            key: value
            for key, value in vars(login_).items()
            if isinstance(value, str | None | list) and key != "auth_methods"
        },
        "methods": secrets,
        "endpoint": found.endpoint_override,
        "service": (found.service_type, found.service_name),
        "place": (found.region_name or None, found.interface),
        "verify": (session.verify, session.cert, session.timeout),
    }


def _theirs(region: "openstack.config.cloud_region.CloudRegion") -> object:
    kind = login.SERVICE_TYPE
    return _facts(
        adapter.Adapter(
            region.get_session(),
            service_type=region.get_service_type(kind),
            service_name=region.get_service_name(kind),
            interface=region.get_interface(kind),
            region_name=region.get_region_name(kind),
            endpoint_override=region.get_endpoint(kind),
        )
    )


def _ours(name: str | None, **given: object) -> dict[str, object]:
    known = clouds.Clouds(os.environ)
    return _facts(login.build_adapter(login.complete(known, name, given)))


class SameAsOpenstacksdkTests(settings.SettingsTestCase):
    def read(self) -> openstack.config.OpenStackConfig:
        return openstack.config.OpenStackConfig(
            config_files=[str(self.clouds)]
        )

    def set_all(self, variables: dict[str, str]) -> None:
        for name in list(os.environ):
            if name.startswith("OS_") and name != "OS_CLIENT_CONFIG_FILE":
                del os.environ[name]
        os.environ.update(variables)

    def test_variables(self) -> None:
        for name, variables in _VARIABLES.items():
            self.set_all(variables)

            self.assertEqual(_theirs(self.read().get_one()), _ours(None), name)

    def test_variables_as_options(self) -> None:
        for name, variables in _VARIABLES.items():
            kind = variables.get("OS_AUTH_TYPE")
            if _NO_OPTIONS & variables.keys() or kind in _NO_TYPES:
                continue
            self.set_all({})
            argv = [
                f"--{key.lower().replace('_', '-')}={value}"
                for key, value in variables.items()
                if key != "OS_INSECURE"
            ]
            if "OS_INSECURE" in variables:
                argv.append("--insecure")
            self.compare_arguments(argv, name)

    def test_an_application_credential_as_options(self) -> None:
        variables = _VARIABLES["application credential"]
        self.set_all(variables)
        expected = _theirs(self.read().get_one())
        self.set_all({})
        for separator in "-_":
            argv = ["--os-auth-type=v3applicationcredential"]
            for name, value in variables.items():
                if name != "OS_AUTH_TYPE":
                    word = name.removeprefix("OS_").lower()
                    argv += [f"--os-{word.replace('_', separator)}", value]
            parser = argparse.ArgumentParser()
            connection.add_arguments(parser, argv)

            client = connection.from_arguments(parser.parse_args(argv))

            self.assertEqual(expected, _facts(client._sender._adapter))

    def test_options_of_every_kind(self) -> None:
        self.write("clouds.yaml", {"clouds": _CLOUDS})
        for argv in (
            ["--os-cloud", "plain", "--timeout", "5"],
            ["--os_cloud=plain", "--os_region_name", "x"],
            ["--os-cloud", "regions", "--os-region-name", "two"],
            ["--os-cloud", "plain", "--os-interface", "admin"],
            ["--os-cloud", "plain", "--os-project-name", "other"],
            ["--os-cloud", "plain", "--http-timeout", "8"],
            ["--os-cloud", "plain", "--os-endpoint-type", "internal"],
            ["--os-cloud", "plain", "--insecure"],
        ):
            self.set_all({})
            self.compare_arguments(argv, str(argv))

    def compare_arguments(self, argv: list[str], name: str) -> None:
        theirs = argparse.ArgumentParser()
        config = self.read()
        words = list(argv)
        config.register_argparse_arguments(theirs, words, [login.SERVICE_TYPE])
        ours = argparse.ArgumentParser()
        connection.add_arguments(ours, argv)
        expected = _theirs(config.get_one(argparse=theirs.parse_args(words)))

        client = connection.from_arguments(ours.parse_args(argv))

        sender = client._sender
        self.assertEqual(expected, _facts(sender._adapter), name)

    def test_clouds(self) -> None:
        self.write("clouds.yaml", {"clouds": _CLOUDS})
        config = self.read()
        for name in _CLOUDS:
            self.assertEqual(_theirs(config.get_one(name)), _ours(name), name)

    def test_a_region_of_a_cloud(self) -> None:
        self.write("clouds.yaml", {"clouds": _CLOUDS})

        self.assertEqual(
            _theirs(self.read().get_one("regions", region_name="two")),
            _ours("regions", region_name="two"),
        )
        self.assertRaises(
            errors.LoginError, _ours, "regions", region_name="three"
        )


class WrongSettingsTests(settings.SettingsTestCase):
    def test_what_is_wrong_is_an_error_of_ours(self) -> None:
        for given in (
            {"auth_type": "no-such"},
            {"auth_type": "password"},
            {"auth": {"auth_url": "http://{no_such}"}},
            {"auth": {"auth_url": "http://{"}},
            {"auth_type": "none", "api_timeout": "soon"},
        ):
            self.assertRaises(errors.LoginError, _ours, None, **given)

    def test_what_the_plugin_does_not_know_is_left_out(self) -> None:
        self.set("OS_AUTH_TYPE", "none")
        self.set("OS_ENDPOINT", "http://orch.test")
        self.set("OS_PROJECT_NAME", "of another login")

        self.assertEqual(
            {"endpoint": "http://orch.test"}, _ours(None)["login"]
        )

    def test_an_auth_type_that_is_none_names_those_that_are(self) -> None:
        error = self.assertRaises(
            errors.LoginError,
            connection.add_arguments,
            argparse.ArgumentParser(),
            ["--os-auth-type", "no-such"],
        )

        self.assertIn("v3applicationcredential", str(error))
