"""A certificate of each learner's own, with which Dask's scheduler, workers and clients know each other, and nobody else.

On a shared machine every user reaches every port on localhost, and a scheduler without TLS runs what anybody sends it.
"""

from __future__ import annotations

import datetime

#: How long a certificate holds; a new one is made whenever a server starts.
DAYS = 60
#: A clock that is off by less than this does no harm.
SLACK = datetime.timedelta(days=2)

_ROLES = ("SCHEDULER", "WORKER", "CLIENT")


def make(owner: str) -> tuple[str, str]:
    """Make a self-signed certificate for `owner`, which signs itself and nothing else: (certificate, key), both PEM."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, f"hundredfold seat {owner}"[:64])])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - SLACK)
        .not_valid_after(now + datetime.timedelta(days=DAYS))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return certificate.public_bytes(serialization.Encoding.PEM).decode(), private.decode()


def settings(certificate: str, key: str) -> dict[str, str]:
    """Dask's settings as environment variables: both either a path or PEM itself, which Dask takes as well."""
    found = {
        "DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION": "true",
        "DASK_DISTRIBUTED__COMM__DEFAULT_SCHEME": "tls",
        "DASK_DISTRIBUTED__COMM__TLS__CA_FILE": certificate,
    }
    for role in _ROLES:
        found[f"DASK_DISTRIBUTED__COMM__TLS__{role}__CERT"] = certificate
        found[f"DASK_DISTRIBUTED__COMM__TLS__{role}__KEY"] = key
    return found
