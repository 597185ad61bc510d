"""Continue tokens: where the next page of a list begins, and of which moment it is."""

import base64
import binascii
from dataclasses import dataclass

from migrate.sandbox.apiserver.protocol.statuses import bad_request
from migrate.sandbox.apiserver.protocol.values import decode, encode
from migrate.sandbox.apiserver.storage.store import Slot

NOW = -1
"""The revision of a token that goes on in the present, after its own moment was forgotten."""


@dataclass(frozen=True, slots=True)
class Bookmark:
    """The list at *revision* goes on after *last*."""

    revision: int
    last: Slot

    def to_token(self) -> str:
        """Return the text that clients hand back."""
        document = {"v": "meta.k8s.io/v1", "rv": self.revision, "start": "\0".join(self.last)}
        return base64.urlsafe_b64encode(encode(document)).decode().rstrip("=")


def from_token(token: str) -> Bookmark:
    """
    Return what *token* stands for.

    Raises:
        StatusError: This server never gave out such a token.
    """
    try:
        document = decode(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
        namespace, name = document["start"].split("\0")
        return Bookmark(int(document["rv"]), Slot(namespace, name))
    except (binascii.Error, ValueError, KeyError, TypeError, AttributeError) as error:
        raise bad_request(f"continue key is not valid: {error}") from error
