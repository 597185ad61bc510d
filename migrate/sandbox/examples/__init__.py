"""
Seedable example clusters: what people and installers create; the played controllers make the rest.

``default`` and ``customised`` hold OpenAI models only, ``response-translation``
OpenAI and Anthropic, ``azure-model`` a model of each kind. Each comes as a 3.5
cluster and as the same cluster after the operator's upgrade to 3.6.
"""

import difflib
from typing import Final

from migrate.errors import BadInputError
from migrate.records.objects import Json
from migrate.sandbox.examples.platform import platform
from migrate.sandbox.examples.stories import STORIES

EXAMPLES: Final = tuple(STORIES)
"""The names of the examples."""


def example(name: str, version: str) -> list[Json]:
    """
    Return the objects of an example, without CRDs, in the order in which they can be created.

    Args:
        name: One of ``EXAMPLES``.

        version: ``3.5`` or ``3.6``.

    Raises:
        BadInputError: There is no such example.
    """
    if name not in STORIES:
        near = difflib.get_close_matches(name, EXAMPLES, n=1, cutoff=0.5)
        hint = f"Did you mean {near[0]!r}?" if near else f"Use one of {', '.join(EXAMPLES)}."
        raise BadInputError(f"There is no example {name!r}.", resolution=hint)
    return [*platform(version), *STORIES[name](version)]
