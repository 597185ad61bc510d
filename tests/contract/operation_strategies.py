"""Random sequences of operations: valid, stale and malformed ones, on two names of a built-in and of a custom kind."""

from typing import Any

from hypothesis import strategies as st

from tests.contract.operations import Json

NAMES = st.sampled_from(["a", "b"])
SPECS: st.SearchStrategy[Any] = st.sampled_from(
    [
        {"period": "1h", "count": 5},
        {"period": "1h"},
        {"period": "2h", "identity": "short", "rank": 3},
        {"period": "1h", "gateway": "one"},
        {"period": "1h", "gateway": "two", "count": 6},
        {"period": "24d"},
        {"count": 1},
        {"period": "1h", "count": "many"},
        {"period": "1h", "odd": 1},
        {"period": "1h", "anything": {"deep": {"er": [1, None, {"x": None}]}}},
        {"period": "1h", "people": {"users": [], "groups": []}},
        {"period": "1h", "people": {"users": ["u", "u"]}},
        {"period": "1h", "refs": [{"name": "one", "value": "1"}, {"name": "two"}]},
        {"period": "1h", "refs": [{"name": "three"}]},
        {"period": "1h", "port": 80, "remark": None, "isOn": True},
        {"period": None},
        {"period": "1h", "rank": None},
        {},
        None,
        [],
        "text",
    ]
)
DATA = st.sampled_from([{"x": "1"}, {"x": "2", "y": "3"}, {}, None, {"x": 5}, {"bad key": "1"}, {"long": "z" * 50}])
META: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
    [
        {},
        {},
        {},
        {"labels": {"app": "one"}},
        {"labels": {"app": "two"}, "annotations": {"note": "x"}},
        {"finalizers": ["example.com/held"]},
        {"finalizers": []},
        {"resourceVersion": "@now"},
        {"resourceVersion": "@stale"},
        {"uid": "@uid"},
        {"uid": "@other"},
        {"labels": {"bad label!": "x"}},
        {"generation": 9, "creationTimestamp": "2020-01-01T00:00:00Z"},
        {"ownerReferences": [{"apiVersion": "v1", "kind": "ConfigMap", "name": "a", "uid": "@uid"}]},
        {"ownerReferences": [{"apiVersion": "v1", "kind": "ConfigMap", "name": "a"}]},
    ]
)
STATUSES = st.sampled_from(
    [
        {"phase": "Active"},
        {"phase": "Sleeping"},
        {"observedGeneration": 2},
        {"conditions": [{"type": "A", "x": 1}]},
        None,
    ]
)
QUERIES = st.fixed_dictionaries(
    {},
    optional={
        "dryRun": st.sampled_from(["All", "All", "Some"]),
        "fieldManager": st.sampled_from(["one", "two"]),
        "fieldValidation": st.sampled_from(["Strict", "Warn", "Ignore", "Odd"]),
    },
)
LISTS = st.fixed_dictionaries(
    {},
    optional={
        "limit": st.sampled_from([1, 5]),
        "labelSelector": st.sampled_from(["app=one", "app", "!app", "app in (one,two)", "app=(("]),
        "fieldSelector": st.sampled_from(["metadata.name=a", "spec.identity=short", "spec.period=1h", "nonsense"]),
        "resourceVersion": st.sampled_from(["0", "abc"]),
    },
)


@st.composite
def operations(draw: st.DrawFn) -> Json:
    """One operation."""
    kind = draw(st.sampled_from(["Lamp", "Lamp", "ConfigMap"]))
    name = draw(NAMES)
    what = draw(
        st.sampled_from(["create", "create", "get", "list", "put", "merge", "merge", "json", "apply", "delete"])
    )
    common: Json = {"kind": kind, "name": name, "query": draw(QUERIES)}
    match what:
        case "create" | "put":
            return {"do": what, **common, "body": _content(draw, kind), "metadata": _metadata(draw, what)}
        case "get":
            return {"do": "get", "kind": kind, "name": name, "sub": draw(st.sampled_from(["", "status"]))}
        case "list":
            return {"do": "list", "kind": kind, "name": "", "query": draw(LISTS)}
        case "delete":
            return {"do": "delete", **common, "query": _deleting(draw), "options": draw(OPTIONS)}
        case "json":
            return {"do": "patch", **common, "type": "json", "body": draw(STEPS)}
        case "apply":
            return {"do": "patch", **common, "type": "apply", **_applied(draw, kind, name)}
        case _:
            return {"do": "patch", **common, "type": draw(TYPES), **_merged(draw, kind)}


TYPES = st.sampled_from(["merge", "merge", "merge", "merge", "strategic", "odd"])
OPTIONS = st.sampled_from(
    [
        None,
        None,
        {"preconditions": {"uid": "@uid"}},
        {"preconditions": {"uid": "@other"}},
        {"preconditions": {"resourceVersion": "@now"}},
        {"preconditions": {"resourceVersion": "@stale"}},
        {"propagationPolicy": "Background"},
        {"propagationPolicy": "Odd"},
        {"dryRun": ["All"]},
    ]
)
STEPS = st.lists(
    st.sampled_from(
        [
            {"op": "replace", "path": "/spec/period", "value": "9h"},
            {"op": "replace", "path": "/data/x", "value": "9"},
            {"op": "add", "path": "/metadata/labels", "value": {"app": "one"}},
            {"op": "add", "path": "/metadata/finalizers/-", "value": "example.com/held"},
            {"op": "remove", "path": "/metadata/finalizers"},
            {"op": "test", "path": "/metadata/resourceVersion", "value": "@now"},
            {"op": "test", "path": "/metadata/uid", "value": "@other"},
            {"op": "remove", "path": "/spec/nothing"},
            {"op": "move", "from": "/spec/count", "path": "/spec/rank"},
            {"op": "copy", "from": "/metadata/name", "path": "/metadata/labels/app"},
            {"op": "odd", "path": "/spec"},
        ]
    ),
    min_size=1,
    max_size=3,
)


def _metadata(draw: st.DrawFn, what: str) -> Json:
    found: Json = draw(META)
    # A dry-run that creates with a version answers with that version: see the ledger.
    return {} if what == "create" and "resourceVersion" in found else found


def _content(draw: st.DrawFn, kind: str) -> Json:
    if kind == "ConfigMap":
        return {"data": draw(DATA)}
    made: Json = {"spec": draw(SPECS)}
    return made | ({"status": draw(STATUSES)} if draw(st.booleans()) else {})


def _merged(draw: st.DrawFn, kind: str) -> Json:
    sub = draw(st.sampled_from(["", "", "status"])) if kind == "Lamp" else ""
    body: Any = _content(draw, kind)
    metadata = draw(META)
    return {"sub": sub, "body": {**body, **({"metadata": metadata} if metadata else {})}}


def _applied(draw: st.DrawFn, kind: str, name: str) -> Json:
    version = "likeness.example.com/v1" if kind == "Lamp" else "v1"
    query = {"fieldManager": draw(st.sampled_from(["one", "two"]))}
    query |= {"force": "true"} if draw(st.booleans()) else {}
    # An empty map that is applied is owned by a real server: see the ledger.
    content = {key: value for key, value in _content(draw, kind).items() if value}
    metadata = {key: value for key, value in draw(META).items() if key != "generation"}
    body = {"apiVersion": version, "kind": kind, "metadata": {"name": name, **metadata}, **content}
    return {"query": query, "body": body}


def _deleting(draw: st.DrawFn) -> Json:
    found: Json = draw(st.sampled_from([{}, {}, {"dryRun": "All"}]))
    return found


SEQUENCES = st.lists(operations(), min_size=1, max_size=10)
