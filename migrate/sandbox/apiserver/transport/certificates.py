"""Certificates for HTTPS: an authority made on the spot, that only this server uses."""

import ssl
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Certificates:
    """
    What HTTPS needs on both sides.

    Attributes:
        context: For ``serve(tls=...)``.

        ca_pem: The authority that clients trust, for a kubeconfig or a CA file.
    """

    context: ssl.SSLContext
    ca_pem: bytes


def make_certificates(*names: str) -> Certificates:
    """Return new certificates for *names*, by default for this machine."""
    import trustme  # noqa: PLC0415 - plain HTTP needs no cryptography

    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(*(names or ("127.0.0.1", "localhost"))).configure_cert(context)
    return Certificates(context, authority.cert_pem.bytes())
