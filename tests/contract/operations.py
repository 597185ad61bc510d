"""
Sequences of operations as data, carried out on any target, and their answers so that two targets can be compared.

What no two servers share (UIDs, versions, times, names of namespaces) is
replaced by what it means: the same object, the third version of it.
"""

import re
from typing import Any, Final

from tests.contract.likeness import APPLY, JSON, JSON_PATCH, MERGE, STRATEGIC, Answer, Api, config_maps, lamps
from tests.contract.likeness_kinds import lamp, settings

Json = dict[str, Any]
KINDS: Final = {
    "merge": MERGE,
    "json": JSON_PATCH,
    "strategic": STRATEGIC,
    "apply": APPLY,
    "odd": "application/odd",
}
_UID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z")
_END: Final = "the-end"
WRONG_UID: Final = "00000000-0000-4000-8000-000000000000"


class Session:
    """One namespace of one target, and the operations in it."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._home = api.namespace()
        self._versions: dict[str, list[str]] = {}
        self._uids: dict[str, str] = {}
        self._ranks: dict[str, str] = {}
        self._began = str(api.get(lamps(self._home)).version)

    def do(self, operation: Json) -> Json:
        """Carry one operation out, and return its answer in comparable form."""
        answer = getattr(self, f"_{operation['do']}")(operation)
        self._remember(answer)
        return self._plain(answer)

    def history(self, kind: str) -> list[Any]:
        """Return what a watch tells from the beginning of the session on."""
        end = lamp(_END) if kind == "Lamp" else settings(_END)
        self._api.create(self._path(kind), end)
        seen = self._api.watch(self._path(kind), resourceVersion=self._began, last=_END)
        return [
            [event["type"], self._comparable(event["object"])]
            for event in seen.events
            if event["object"]["metadata"].get("name") not in {"kube-root-ca.crt", _END}
        ]

    def _path(self, kind: str, *rest: str) -> str:
        base = lamps(self._home) if kind == "Lamp" else config_maps(self._home)
        return "/".join((base, *[each for each in rest if each]))

    def _create(self, said: Json) -> Answer:
        return self._api.create(self._path(said["kind"]), self._body(said), **said["query"])

    def _get(self, said: Json) -> Answer:
        return self._api.get(self._path(said["kind"], said["name"], said.get("sub", "")))

    def _list(self, said: Json) -> Answer:
        answer = self._api.get(self._path(said["kind"]), **said["query"])
        items = [item for item in answer.body.get("items", []) if item["metadata"]["name"] != "kube-root-ca.crt"]
        if answer.status == 200:
            answer.body["items"] = items
            answer.body["metadata"] = {"more": bool(answer.get("metadata", "continue"))}
        return answer

    def _put(self, said: Json) -> Answer:
        path = self._path(said["kind"], said["name"], said.get("sub", ""))
        return self._api.put(path, self._body(said), **said["query"])

    def _patch(self, said: Json) -> Answer:
        path = self._path(said["kind"], said["name"], said.get("sub", ""))
        body = self._meant(said["body"], said["kind"], said["name"])
        return self._api.patch(path, body, KINDS[said["type"]], **said["query"])

    def _delete(self, said: Json) -> Answer:
        options = said.get("options")
        if options is not None:
            options = self._meant({"kind": "DeleteOptions", "apiVersion": "v1", **options}, said["kind"], said["name"])
        return self._api.delete(self._path(said["kind"], said["name"]), options, **said["query"])

    def _body(self, said: Json) -> Any:
        version = "likeness.example.com/v1" if said["kind"] == "Lamp" else "v1"
        metadata = {"name": said["name"], **said.get("metadata", {})}
        body = {"apiVersion": version, "kind": said["kind"], "metadata": metadata, **said["body"]}
        return self._meant(body, said["kind"], said["name"])

    def _meant(self, value: Any, kind: str, name: str) -> Any:
        """Replace the words for versions and UIDs by those of this target."""
        known = self._versions.get(f"{kind}/{name}", [])
        words = {
            "@now": known[-1] if known else "1",
            "@stale": known[0] if known else "1",
            "@uid": self._uids.get(f"{kind}/{name}", WRONG_UID),
            "@other": WRONG_UID,
        }
        if isinstance(value, dict):
            return {key: self._meant(item, kind, name) for key, item in value.items()}
        if isinstance(value, list):
            return [self._meant(item, kind, name) for item in value]
        return words.get(value, value) if isinstance(value, str) else value

    def _remember(self, answer: Answer) -> None:
        metadata = answer.body.get("metadata") or {}
        if answer.status not in {200, 201} or "uid" not in metadata:
            return
        key = f"{answer.body['kind']}/{metadata['name']}"
        self._uids[key] = metadata["uid"]
        known = self._versions.setdefault(key, [])
        if metadata.get("resourceVersion") and metadata["resourceVersion"] not in known:
            known.append(metadata["resourceVersion"])

    def _plain(self, answer: Answer) -> Json:
        told: Json = {"status": answer.status}
        is_without_fields = answer.status == 422 and not answer.fields  # A JSON patch that does not fit.
        if answer.status in {400, 415, 500} or is_without_fields:
            return told | {"reason": answer.get("reason") or None}  # Parsers and faults speak in their own words.
        if "Warning" in answer.headers:
            told["warning"] = answer.headers["Warning"]
        told["body"] = self._comparable(answer.body)
        return told

    def _comparable(self, value: Any, key: str = "") -> Any:
        if key == "managedFields" and isinstance(value, list):
            entries = [{name: item for name, item in entry.items() if name != "time"} for entry in value]
            return sorted(
                entries, key=lambda entry: (entry["manager"], entry["operation"], entry.get("subresource", ""))
            )
        if isinstance(value, dict):
            return {name: self._comparable(item, name) for name, item in sorted(value.items())}
        if isinstance(value, list):
            found = [self._comparable(item) for item in value]
            if key == "causes":  # A built-in kind is validated twice in places, and says so.
                return sorted({str(cause): cause for cause in found}.values(), key=str)
            return found
        if key == "resourceVersion":
            return self._rank("version", value)
        if isinstance(value, str):
            text = _UID.sub(lambda found: self._rank("uid", found[0]), value.replace(self._home, "HOME"))
            return _TIME.sub("TIME", text)
        return value

    def _rank(self, what: str, value: str) -> str:
        if value == WRONG_UID:
            return value
        number = sum(key.startswith(what) for key in self._ranks) + 1
        return self._ranks.setdefault(f"{what} {value}", f"{what}-{number}")


def carry_out(api: Api, operations: list[Json]) -> list[Any]:
    """Return the answers of a sequence, and after them the history of both kinds."""
    session = Session(api)
    answers: list[Any] = [session.do(operation) for operation in operations]
    return [*answers, {kind: session.history(kind) for kind in ("ConfigMap", "Lamp")}]


__all__ = ["JSON", "Json", "Session", "carry_out"]
