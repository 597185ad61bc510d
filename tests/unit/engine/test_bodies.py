"""What is sent to put an object back, and who is named for a foreign change: pure functions, case by case."""

from typing import Any

import pytest

from migrate.engine import drift
from migrate.engine.bodies import ANNOTATIONS_LIMIT_BYTES, LAST_APPLIED, create_body, differs, restore_patch
from migrate.records.essence import outline
from migrate.records.journal import Base
from migrate.records.objects import Json, KubeObject, ObjectRef
from migrate.records.plan import Restore
from tests.unit.engine.story import TEXTS, a_step, texts

SECTIONS = ("data", "binaryData", "immutable")


def a_restore(**more: Any) -> Restore:
    step: Restore = a_step(Restore, "restore", object=TEXTS, file="f", sha256="s", sections=SECTIONS, **more)
    return step


def bare(**more: Any) -> KubeObject:
    return KubeObject({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "n"}, **more})


@pytest.mark.parametrize(
    ("saved", "live", "expected"),
    [
        ({}, {}, False),
        ({"data": {}}, {}, False),
        ({"data": {"a": "1"}}, {"data": {"a": "1"}}, False),
        ({"data": {"a": "1"}}, {"data": {"a": "2"}}, True),
        ({}, {"data": {"a": "2"}}, True),
        ({}, {"spec": {"a": "2"}}, False),
    ],
)
def test_an_empty_section_is_an_absent_one_and_others_do_not_count(saved: Json, live: Json, expected: bool) -> None:
    assert differs(bare(**saved), bare(**live), SECTIONS) is expected


def test_labels_and_annotations_that_stand_are_not_sent_and_others_stay() -> None:
    saved = KubeObject(texts())
    live = texts({"z": "z"})
    live["metadata"] |= {"labels": {"theirs": "1"}, "annotations": {"note": "mine", "theirs": "1"}}

    patch = restore_patch(a_restore(), saved, KubeObject(live))

    assert patch["metadata"] == {"labels": {"kept": "yes"}}
    assert patch["data"] == {"a.yaml": "custom: 1\n", "b.yaml": "x", "z": None}


def test_a_section_of_another_shape_is_put_back_whole() -> None:
    patch = restore_patch(a_restore(), bare(data={"a": "1"}, immutable=True), bare(data="odd"))

    assert patch == {"data": {"a": "1"}, "immutable": True}
    assert restore_patch(a_restore(), bare(data="odd"), bare(data={"a": "1"})) == {"data": "odd"}


def test_the_body_of_a_create_has_only_what_there_is() -> None:
    owner = {"kind": "Owner", "name": "o", "uid": "1"}

    assert create_body(a_restore(), bare(status={"x": 1}), ()) == bare().raw
    assert create_body(a_restore(), bare(), (owner,))["metadata"] == {"name": "n", "ownerReferences": [owner]}


@pytest.mark.parametrize(("over", "kept"), [(0, True), (1, False)])
def test_the_copy_that_kubectl_keeps_goes_only_when_the_limit_is_passed(over: int, kept: bool) -> None:
    thing = bare()
    room = ANNOTATIONS_LIMIT_BYTES - len(LAST_APPLIED) - len("note") - len("mine")
    thing.raw["metadata"]["annotations"] = {LAST_APPLIED: "x" * (room + over), "note": "mine"}

    annotations = create_body(a_restore(), thing, ())["metadata"]["annotations"]

    assert (LAST_APPLIED in annotations) is kept
    assert annotations["note"] == "mine"


def test_annotations_that_are_live_count_for_the_limit_too() -> None:
    saved, live = bare(), bare()
    saved.raw["metadata"]["annotations"] = {LAST_APPLIED: "x" * 100}
    live.raw["metadata"]["annotations"] = {"theirs": "y" * ANNOTATIONS_LIMIT_BYTES}

    assert restore_patch(a_restore(), saved, live) == {}


# Who changed it.

Written = tuple[str, str, Any]


def managed(*entries: Written, **spec: Any) -> KubeObject:
    fields = [{"manager": name, "time": time, "fieldsV1": owned} for name, time, owned in entries]
    metadata = {"name": "n", "uid": "u", "managedFields": fields}
    return KubeObject({"apiVersion": "v1", "kind": "Config", "metadata": metadata, "spec": spec})


OURS: Written = ("maas-migrate", "2026-11-30T12:00:09Z", {"f:spec": {"f:size": {}}})
ARGO: Written = ("argocd", "2026-11-30T12:00:01Z", {"f:spec": {"f:colour": {}}})
KUBECTL: Written = ("kubectl-edit", "2026-11-30T12:00:05Z", {"f:spec": {"f:size": {}}})


def test_the_owner_of_the_field_is_named_not_who_wrote_last() -> None:
    thing = managed(ARGO, KUBECTL, OURS)

    assert drift.manager_of(thing, ("spec", "colour")) == "argocd"
    assert drift.manager_of(thing, ("spec", "size")) == "maas-migrate"


def test_where_nobody_owns_the_field_the_last_foreign_writer_is_named() -> None:
    thing = managed(KUBECTL, ARGO, OURS)

    assert drift.manager_of(thing) == "kubectl-edit"
    assert drift.manager_of(thing, ("spec", "other")) == "kubectl-edit"
    assert drift.manager_of(managed(OURS)) == ""
    assert drift.manager_of(managed(("odd", "", "no fields"))) == "odd"
    assert drift.manager_of(managed(("odd", "", {"f:spec": 5})), ("spec", "size")) == "odd"


@pytest.mark.parametrize(
    ("thing", "expected"),
    [
        (managed(ARGO, KUBECTL, colour="green", size=1), "argocd"),
        (managed(ARGO, KUBECTL, colour="blue", size=2), "kubectl-edit"),
        (managed(ARGO, OURS, colour="blue", size=2), "argocd"),
        (managed(OURS, colour="blue", size=2), "an unknown field manager"),
        (managed(ARGO, KUBECTL, colour="blue", size=1), "kubectl-edit"),
        (managed(colour="green", size=1), "an unknown field manager"),
    ],
    ids=["the one field", "the other", "ours is not named", "nobody else", "nothing was undone", "nobody"],
)
def test_who_undid_a_patch_is_the_owner_of_a_field_that_does_not_stand(thing: KubeObject, expected: str) -> None:
    assert drift.last_writer(thing, {"spec": {"colour": "blue", "size": 1}}) == expected


def base_of(thing: KubeObject) -> Base:
    return Base(uid=thing.uid, essence="e", outline=outline(thing))


def test_each_changed_leaf_is_told_and_no_other_up_to_five() -> None:
    base = base_of(managed(a=1, b=1, c=1, d=1, e=1, f=1, g=1))
    five = drift.foreign_change(managed(a=2, b=2, c=2, d=2, e=2, f=1, g=1), base, ())
    seven = drift.foreign_change(managed(a=2, b=2, c=2, d=2, e=2, f=2, h=2), base, ())

    assert "spec.a from 1 to 2; spec.b" in five.message
    assert "more" not in five.message
    assert "spec.f" not in five.message
    assert "spec.e from 1 to 2 and 3 more; this run" in seven.message


@pytest.mark.parametrize("base", [None, Base(uid="u", essence="e")])
def test_without_an_outline_the_last_writer_is_told(base: Base | None) -> None:
    assert "last written by argocd;" in drift.foreign_change(managed(ARGO), base, ()).message
    assert "last written by an unknown field manager;" in drift.foreign_change(managed(), base, ()).message


def test_another_object_is_told_from_none() -> None:
    ref = ObjectRef(api_version="v1", kind="Config", name="n")

    assert "has the UID u, not v" in drift.other_object(ref, "v", managed()).message
    assert "with the UID v is gone" in drift.other_object(ref, "v", None).message
