"""
Sealed backup sets: ``objects/<label>/`` with each object raw as read, as a manifest for kubectl, and MANIFEST.json.

A set is written beside its place, fsynced, made read-only, renamed into place and read back. It never
changes afterwards, and a changed, missing, extra or truncated byte is found before it is used.
"""

import hashlib
import re
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec

from migrate.errors import StoreError
from migrate.records.essence import fingerprint
from migrate.records.journal import BackupEntry
from migrate.records.objects import KubeObject, ObjectRef, Record
from migrate.store import codec
from migrate.store.atomic import (
    DISK,
    SEALED_FILE_MODE,
    SEALED_FOLDER_MODE,
    Disk,
    failed,
    load,
)
from migrate.store.manifests import re_appliable, to_yaml

MANIFEST = "MANIFEST.json"
_PARTIAL = ".partial-"


class ManifestFile(Record, kw_only=True):
    """One file of a set: its name in the folder, its SHA-256 and its size."""

    name: str
    sha256: str
    bytes: int


class ManifestEntry(Record, kw_only=True):
    """One saved object: what it was, the raw file and the re-appliable one."""

    object: ObjectRef
    uid: str
    resource_version: str
    essence: str
    raw: ManifestFile
    appliable: ManifestFile


class Manifest(Record, kw_only=True):
    """All files of a set; nothing else lies in its folder."""

    format: Literal["maas-migrate/backup-set"] = "maas-migrate/backup-set"
    version: Literal[1] = 1
    run: str
    label: str
    objects: tuple[ManifestEntry, ...] = ()


class BackupSets:
    """The sets of one run, below ``<run directory>/objects``."""

    def __init__(self, run_path: Path, run: str, *, disk: Disk = DISK) -> None:
        self._run_path = run_path
        self._root = run_path / "objects"
        self._run = run
        self._disk = disk

    def save(self, label: str, objects: Sequence[KubeObject]) -> tuple[BackupEntry, ...]:
        """
        Write one set and return its entries, one an object, in order.

        A label that is taken gets a number: a set is never overwritten, nor added to.

        Raises:
            StoreError: It could not be written, or does not read back. The place is as before.
        """
        files: dict[str, bytes] = {}
        entries = tuple(_entry(thing, files) for thing in objects)
        manifest = Manifest(run=self._run, label=label, objects=entries)
        files[MANIFEST] = codec.encode(manifest)
        try:
            folder = self._write(_safe(label), files)
        except OSError as error:
            raise failed(self._root / _safe(label), "written", error) from error
        self._must_be(folder, files)
        return self._check(folder)

    def _write(self, name: str, files: dict[str, bytes]) -> Path:
        if not self._root.exists():
            self._disk.make_folder(self._root)
        # Each time: whoever made the folder may have ended before its name was safe.
        self._disk.sync_folder(self._run_path)
        partial = self._root / f"{_PARTIAL}{name}-{secrets.token_hex(4)}"
        self._disk.make_folder(partial)
        for file, data in files.items():
            self._disk.create(partial / file, data, mode=SEALED_FILE_MODE)
        self._disk.sync_folder(partial)
        self._disk.set_mode(partial, SEALED_FOLDER_MODE)
        folder, number = self._root / name, 1
        while folder.exists() or folder.is_symlink():
            number += 1
            folder = self._root / f"{name}-{number}"
        self._disk.rename(partial, folder)
        self._disk.sync_folder(self._root)
        return folder

    def _must_be(self, folder: Path, files: dict[str, bytes]) -> None:
        for file, data in files.items():
            if load(folder / file) != data:
                raise _damaged(folder / file, "it does not read back as it was written")

    def load(self, entry_file: str, sha256: str) -> KubeObject:
        """
        Return a saved object.

        Raises:
            StoreError: It is missing, lies elsewhere, or a byte differs from what was sealed.
        """
        parts = Path(entry_file).parts
        if len(parts) != 3 or parts[0] != "objects" or ".." in parts or Path(entry_file).is_absolute():
            raise _damaged(Path(entry_file), "it is no file of a backup set")
        folder = self._root / parts[1]
        if self._root.is_symlink() or folder.is_symlink():
            raise _damaged(folder, "it is a symlink")
        data = load(folder / parts[2])
        if hashlib.sha256(data).hexdigest() != sha256:
            raise _damaged(folder / parts[2], "its bytes are not those that were sealed")
        return _decoded(folder / parts[2], data)

    def verify(self) -> tuple[BackupEntry, ...]:
        """Check every byte of every set and return the entries. Raises StoreError."""
        return tuple(entry for folder in self.folders() for entry in self._check(folder))

    def folders(self) -> tuple[Path, ...]:
        """
        Return the folders of all sets, sorted; a set that was never finished is none.

        Raises:
            StoreError: Something else lies among them.
        """
        if self._root.is_symlink():
            raise _damaged(self._root, "it is a symlink")
        if not self._root.exists():
            return ()
        try:
            found = sorted(self._root.iterdir())
        except OSError as error:
            raise failed(self._root, "read", error) from error
        sets = tuple(path for path in found if not path.name.startswith(_PARTIAL))
        for path in sets:
            if path.is_symlink() or not path.is_dir():
                raise _damaged(path, "it is no backup set")
        return sets

    def check(self, folder: Path) -> tuple[BackupEntry, ...]:
        """Check every byte of one set and return its entries. Raises StoreError."""
        return self._check(folder)

    def _check(self, folder: Path) -> tuple[BackupEntry, ...]:
        sealed = load(folder / MANIFEST)
        manifest = codec.decode(sealed, Manifest, source=str(folder / MANIFEST))
        if codec.encode(manifest) != sealed:
            raise _damaged(folder / MANIFEST, "it is not as it was written")
        listed = {file.name: file for entry in manifest.objects for file in (entry.raw, entry.appliable)}
        self._must_be_complete(folder, {MANIFEST, *listed})
        for file in listed.values():
            data = load(folder / file.name)
            if (len(data), hashlib.sha256(data).hexdigest()) != (file.bytes, file.sha256):
                raise _damaged(folder / file.name, "its bytes are not those that were sealed")
        digest = hashlib.sha256(sealed).hexdigest()
        return tuple(self._backup_entry(folder, entry, digest) for entry in manifest.objects)

    def _must_be_complete(self, folder: Path, names: set[str]) -> None:
        try:
            found = {path.name for path in folder.iterdir()}
        except OSError as error:
            raise failed(folder, "read", error) from error
        for name in sorted(found ^ names):
            raise _damaged(folder / name, "it is missing" if name in names else "it does not belong to the set")

    def _backup_entry(self, folder: Path, entry: ManifestEntry, digest: str) -> BackupEntry:
        return BackupEntry(
            object=str(entry.object),
            file=f"objects/{folder.name}/{entry.raw.name}",
            sha256=entry.raw.sha256,
            bytes=entry.raw.bytes,
            verified=True,
            run=self._run,
            uid=entry.uid,
            manifest=digest,
        )


def _entry(thing: KubeObject, files: dict[str, bytes]) -> ManifestEntry:
    stem = _safe(".".join(part for part in (thing.kind, thing.namespace, thing.name) if part))
    taken, number = stem, 1
    while f"{taken}.json" in files:
        number += 1
        taken = f"{stem}-{number}"
    raw, appliable = msgspec.json.encode(thing.raw), to_yaml(re_appliable(thing))
    files[f"{taken}.json"], files[f"{taken}.yaml"] = raw, appliable
    return ManifestEntry(
        object=thing.ref,
        uid=thing.uid,
        resource_version=thing.resource_version,
        essence=fingerprint(thing),
        raw=_file(f"{taken}.json", raw),
        appliable=_file(f"{taken}.yaml", appliable),
    )


def _file(name: str, data: bytes) -> ManifestFile:
    return ManifestFile(name=name, sha256=hashlib.sha256(data).hexdigest(), bytes=len(data))


def _safe(text: str) -> str:
    """Return *text* as a file name: no separators, no leading dot, bounded."""
    name = re.sub(r"[^A-Za-z0-9._-]", "_", text).lstrip(".")[:180]
    return name or "unnamed"


def _decoded(path: Path, data: bytes) -> KubeObject:
    try:
        raw = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _damaged(path, f"it is no JSON ({error})") from error
    if not isinstance(raw, dict):
        raise _damaged(path, "it is no object")
    return KubeObject(raw)


def _damaged(path: Path, why: str) -> StoreError:
    return StoreError(
        f"the backup {path} is damaged: {why}; nothing was restored from it",
        resolution="Restore the run directory from a copy; do not go on without it.",
    )
