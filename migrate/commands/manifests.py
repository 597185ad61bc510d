"""Manifests for ``kubectl``, judged by the schemas that Kubernetes publishes before they leave the house."""

from collections.abc import Iterable, Iterator

from migrate.records.objects import Json, KubeObject


def problems_of(manifests: Iterable[Json]) -> tuple[str, ...]:
    """Return what the published schemas say against *manifests*; kinds of CRDs have none and pass."""
    return tuple(_problems(manifests))


def _problems(manifests: Iterable[Json]) -> Iterator[str]:
    # It reads schemas of many megabytes; only the verbs that print manifests pay for that.
    import kubernetes_validate  # type: ignore[import-untyped]  # noqa: PLC0415

    version = kubernetes_validate.latest_version()
    for manifest in manifests:
        try:
            kubernetes_validate.validate(manifest, version, strict=True)
        except kubernetes_validate.SchemaNotFoundError:
            continue
        except kubernetes_validate.ValidationError as error:
            where = ".".join(str(part) for part in error.absolute_path)
            yield f"{KubeObject(manifest).ref}{f' at {where}' if where else ''}: {error.message}"
