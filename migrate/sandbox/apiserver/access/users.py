"""Who calls."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from migrate.sandbox.apiserver.protocol.statuses import unauthorized
from migrate.sandbox.apiserver.protocol.wire import Request

ADMINISTRATORS: Final = "system:masters"
_AUTHENTICATED: Final = "system:authenticated"


@dataclass(frozen=True, slots=True)
class User:
    """A name and its groups."""

    name: str
    groups: tuple[str, ...]

    @property
    def is_administrator(self) -> bool:
        """Whether the user may do all."""
        return ADMINISTRATORS in self.groups


@lru_cache(maxsize=256)
def user_named(name: str, groups: tuple[str, ...] = ()) -> User:
    """Return the user of that *name*; ``admin`` is the administrator."""
    if name == "admin":
        return User(name, (ADMINISTRATORS, *groups, _AUTHENTICATED))
    if name.startswith("system:serviceaccount:"):
        namespace = name.split(":")[2]
        groups = ("system:serviceaccounts", f"system:serviceaccounts:{namespace}", *groups)
    return User(name, (*groups, _AUTHENTICATED))


def authenticate(request: Request, tokens: Mapping[str, str]) -> User:
    """
    Return who sent *request*; without *tokens* everybody is the administrator.

    Raises:
        StatusError: The token is missing or unknown.
    """
    if request.user is not None:
        return user_named(request.user)
    if not tokens:
        return user_named("admin")
    kind, _, token = request.header("authorization").partition(" ")
    name = tokens.get(token.strip()) if kind.lower() == "bearer" else None
    if name is None:
        raise unauthorized()
    return user_named(name)
