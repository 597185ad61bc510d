"""Which of the known generations of 3.6 the controllers play."""

import difflib
from dataclasses import dataclass, fields
from typing import Any, Final, Literal, Self

from migrate.errors import BadInputError

_ON: Final = frozenset({"on", "true", "yes"})
_OFF: Final = frozenset({"off", "false", "no"})
_WORDS: Final[dict[str, tuple[str, ...]]] = {
    "handshake": ("C", "D"),
    "identity": ("V5", "V4", "none"),
    "force-covers": ("fingerprint", "everything"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Build:
    """
    One generation of the 3.6 controllers.

    Attributes:
        handshake: ``C``: only ``praxis`` selects Praxis; ``D``: everything but ``ipp`` does.

        gate: Whether maas-controller judges the plugins ConfigMap before it cleans up.

        compatibility: Whether it judges the external models.

        identity: ``V5``: stamped in the status; ``V4``: stamped in an annotation; ``none``: short for all.

        force_covers: ``fingerprint`` (the annotation stands for the ConfigMap only) or ``everything``.

        overlay_hang: Whether one unqualified reference keeps the routing overlay from being ready.

        aigc_gate: Whether ai-gateway-controller looks for IPP keys before it applies.

    Source: contract 0.2, 3.5, 3.6, 4.8.
    """

    handshake: Literal["C", "D"] = "C"
    gate: bool = True
    compatibility: bool = True
    identity: Literal["V5", "V4", "none"] = "V5"
    force_covers: Literal["fingerprint", "everything"] = "fingerprint"
    overlay_hang: bool = False
    aigc_gate: bool = True

    @classmethod
    def parse(cls, text: str) -> Self:
        """
        Return the build that *text* describes: ``handshake=D,gate=off``, the rest as by default.

        Raises:
            BadInputError: A name or a value that is not known.
        """
        chosen: dict[str, Any] = {}
        for part in filter(None, (piece.strip() for piece in text.split(","))):
            name, _, value = part.partition("=")
            name = _known(name.strip(), [field.name.replace("_", "-") for field in fields(cls)], "option")
            chosen[name.replace("-", "_")] = _value(name, value.strip())
        return cls(**chosen)


def _value(name: str, text: str) -> str | bool:
    if name in _WORDS:
        return _known(text, _WORDS[name], f"value of {name}")
    return _known(text or "on", sorted(_ON | _OFF), f"value of {name}") in _ON


def _known(word: str, legal: "list[str] | tuple[str, ...]", what: str) -> str:
    if word in legal:
        return word
    near = difflib.get_close_matches(word, legal, n=1, cutoff=0.5)
    raise BadInputError(
        f"--build: unknown {what} {word!r}.",
        resolution=f"Did you mean {near[0]!r}?" if near else f"Use one of {', '.join(legal)}.",
    )
