"""The document that a judged plugins ConfigMap gives."""

import msgspec


class Note(msgspec.Struct, frozen=True, rename="camel"):
    """
    One thing said about the ConfigMap.

    Attributes:
        code: What it is, stable.

        message: A sentence for a person; everything unusual is shown escaped.

        path: Where, such as ``data["custom-ipp-config.yaml"].plugins[0].name``; ``""`` for the object.
    """

    code: str
    message: str
    path: str = ""


class Difference(msgspec.Struct, frozen=True, rename="camel"):
    """
    One place where the content is not the nearest baseline's.

    Attributes:
        path: As in ``Note``.

        expected: The baseline's value as JSON; None where it has nothing.

        found: The value there as JSON; None where there is nothing.

        stage: ``pre-processing``, ``processing`` or ``""``.
    """

    path: str
    expected: str | None
    found: str | None
    stage: str = ""


class Judgement(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """
    What the controller would decide, and what a careful person should know.

    Attributes:
        verdict: ``default``, ``default+response-api-translation``, ``praxis``,
            ``absent``, ``custom-blocked``, ``invalid`` or ``error``.

        controller: ``allow``, ``block`` or ``unknown``.

        careful: ``proceed``, ``proceed-with-warning`` or ``stop``.

        reasons: Why this verdict.

        warnings: What the controller does not look at.

        differences: Against the nearest baseline.

        digest: SHA-256 of what the fingerprint compares, None where that was not read.

        baseline: The name under which the controller allows; None when it does not.

        detail: The code of why it blocks; None when it does not.
    """

    verdict: str
    controller: str
    careful: str
    reasons: tuple[Note, ...] = ()
    warnings: tuple[Note, ...] = ()
    differences: tuple[Difference, ...] = ()
    digest: str | None = None
    baseline: str | None = None
    detail: str | None = None
