"""
Seedable example clusters: what people and installers create; the played controllers make the rest.

``default`` and ``customised`` hold OpenAI models only, ``response-translation`` OpenAI and Anthropic, ``azure-model``
a model of each kind. ``multi-tenant``, ``mixed-generations``, ``gitops``, ``half-migrated`` and ``large`` are what
their names say. Each comes as a 3.5 cluster and as the same cluster after the operator's upgrade to 3.6.
"""

import difflib
from typing import Final

from migrate.errors import BadInputError
from migrate.records.objects import Json
from migrate.sandbox.examples.many import LARGE, MANY, more_subscriptions
from migrate.sandbox.examples.platform import platform
from migrate.sandbox.examples.stories import STORIES

_ALL: Final = {**STORIES, **MANY}
EXAMPLES: Final = tuple(_ALL)
"""The names of the examples."""
MOST_SUBSCRIPTIONS: Final = 100_000


def summary(name: str) -> str:
    """Return what an example is, in one line."""
    lines = (line.strip() for line in (_ALL[name].__doc__ or "").splitlines())
    return next(line for line in lines if line)


def example(name: str, version: str, subscriptions: int | None = None) -> list[Json]:
    """
    Return the objects of an example, without CRDs, in the order in which they can be created.

    Args:
        name: One of ``EXAMPLES``.

        version: ``3.5`` or ``3.6``.

        subscriptions: How many are generated beside those of the story; None for none, and for many in ``large``.

    Raises:
        BadInputError: There is no such example, or the number is none that can be served.
    """
    if name not in _ALL:
        near = difflib.get_close_matches(name, EXAMPLES, n=1, cutoff=0.5)
        hint = f"Did you mean --example {near[0]}?" if near else f"Use --example with one of {', '.join(EXAMPLES)}."
        raise BadInputError(f"There is no example {name!r}.", resolution=hint)
    count = subscriptions if subscriptions is not None else LARGE if name == "large" else 0
    if not 0 <= count <= MOST_SUBSCRIPTIONS:
        raise BadInputError(
            f"--subscriptions {count} is out of range.",
            resolution=f"Give --subscriptions a number from 0 to {MOST_SUBSCRIPTIONS}.",
        )
    return [*platform(version), *_ALL[name](version), *more_subscriptions(version, count)]
