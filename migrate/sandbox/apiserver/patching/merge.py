"""JSON merge patches (RFC 7386)."""

from typing import Any

from migrate.sandbox.apiserver.protocol.values import clone


def merge(target: Any, patch: Any) -> Any:
    """Return *target* with *patch* merged into it; neither is changed."""
    if not isinstance(patch, dict):
        return clone(patch)
    made = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            made.pop(name, None)
        else:
            made[name] = merge(made.get(name), value)
    return made
