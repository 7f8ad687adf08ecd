"""A certificate of 127.0.0.1 that signs itself, made anew for a test."""

import datetime
import ipaddress
import pathlib
import ssl

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509 import oid


class Certificate:
    """A certificate and its key.

    :ivar text: the certificate as PEM
    """

    def __init__(self) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(oid.NameOID.COMMON_NAME, "test")])
        here = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
        now = datetime.datetime.now(datetime.UTC)
        made = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(name)
            .public_key(self._key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=1))
            .not_valid_after(now + datetime.timedelta(days=1))
            .add_extension(x509.SubjectAlternativeName([here]), False)
            .sign(self._key, hashes.SHA256())
        )
        pem = serialization.Encoding.PEM
        self.text = made.public_bytes(pem).decode()

    def server_context(self, directory: pathlib.Path) -> ssl.SSLContext:
        """Return what serves with it.

        :param directory: keeps the two for a moment
        """
        key = self._key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        place = directory / "server.pem"
        place.write_bytes(key + self.text.encode())
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(place)
        place.unlink()
        return context
