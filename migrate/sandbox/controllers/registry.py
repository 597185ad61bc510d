"""
Who plays what: the parts by name, each brought in only when asked for.

``3.5`` and ``3.6`` are the product's controllers, ``platform`` the cluster's
own, Kuadrant's, Istio's and KServe's, ``olm`` the operator's upgrade.
"""

import importlib
from collections.abc import Callable, Mapping
from typing import Final

from migrate.sandbox.controllers.player import Player, PlayerContext

Cast = Callable[[PlayerContext], list[Player]]

MODULES: Final[Mapping[str, str]] = {
    "3.5": "migrate.sandbox.controllers.cast_35",
    "3.6": "migrate.sandbox.controllers.registry_36",
    "platform": "migrate.sandbox.controllers.cast_platform",
    "olm": "migrate.sandbox.controllers.olm",
}
"""The module of each part; its function ``cast(context)`` gives the players."""


def cast(part: str, context: PlayerContext) -> list[Player]:
    """Return the players of *part*, a key of ``MODULES``."""
    made: list[Player] = importlib.import_module(MODULES[part]).cast(context)
    return made
