"""Files that hold what somebody read from a cluster: ``kubectl get`` output, or the folder of an ``oc adm inspect``."""

from typing import Any

import msgspec

Place = tuple[str, ...]
"""Where a file lies: the names of the folders that lead to it, the source's own name first, the file's name last."""


class SourceFile(msgspec.Struct, frozen=True, kw_only=True):
    """
    One file as parsed.

    Attributes:
        documents: Its documents, JSON values; an empty YAML document is None.
    """

    place: Place
    documents: tuple[Any, ...]

    def __str__(self) -> str:
        return "/".join(self.place)


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """
    A file, or a folder of files.

    Attributes:
        name: Its own name without the folders that lead to it: the same files give the same bytes anywhere.

        files: By place.

        modified_at: When the newest of the files was written, UTC, RFC 3339.
    """

    name: str
    files: tuple[SourceFile, ...]
    modified_at: str
