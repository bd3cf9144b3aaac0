# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled programs in the user's cache folder, so that a second process compiles none of them
again (docs/Python.md).

A package lies under the hash of what it was made of: the program, its options, the statistics of
its graphs, the library and, but for GPUs, the processor. A package is code, so the folder and its
files count only where they are the user's own and nobody else may write them. Whatever is wrong
with the cache costs a compilation, and no call fails for it."""

import errno
import functools
import hashlib
import json
import logging
import os
import pathlib
import platform
import stat
import tempfile
import time

from . import _version, capi, targets

FOLDER, BYTES = "GNN_MLIR_CACHE", "GNN_MLIR_CACHE_BYTES"  # Variables of the environment.
MOST = 2**30  # Bytes of all packages, by default.
_ABANDONED = 3600  # Seconds after which nobody writes a file any more.
_OFF = ("off", "0", "false", "no")
_HEAD = b"gnn-mlir package 1\n"
# Packages, and the keys of the records that they can take.
_KINDS = ".gnnpkg", ".keys"
_RECORDS = "records.jsonl"
_DIGEST = hashlib.sha256().digest_size
# What the library asks of the environment where it compiles for a CPU.
_OF_CPU = ("GNN_CPU", "GNN_CPU_OPTIMIZE", "OMP_NUM_THREADS")
# The effects of what is wrong.
_ANEW = "programs are compiled anew"
_WITHOUT_RECORDS = "schedules that tune finds are neither kept nor taken"
_log = logging.getLogger("gnn_mlir")
_warned = set()


def folder():
    """The folder of packages as a path; None where the cache is off."""
    given = os.environ.get(FOLDER, "")
    if given:
        return None if given.lower() in _OFF else pathlib.Path(given)
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return pathlib.Path(base, "gnn-mlir", "programs") if os.path.isabs(base) else None


def compiled(make, target, *parts, records=()):
    """The package that `make` gives, or one that it gave before for the same target and parts,
    whatever JSON can say, and for the same of the `records`, lines of their file, that it can take.
    Which these are says `make`: it writes their keys to a file where it is given a path."""
    if (place := _open()) is None:
        return make()
    key, package, taken = _key(target, parts), None, []
    if records:
        path = place / f"{key}.keys"
        if (keys := _read(path)) is None:
            package, keys = _with_keys(make)
            _write(path, keys)
        taken = _those_of(records, keys)
    path = place / f"{_key(target, [key, taken]) if taken else key}.gnnpkg"
    try:
        if package is None and (data := _read(path)) is not None:
            package = capi.Package.from_bytes(data)
            _log.debug("a program comes from the cache, %s", path)
            return package
    except capi.GNNError:
        pass  # of another library, in spite of its key
    package = package or make()
    _write(path, package.to_bytes())
    return package


def _with_keys(make):
    """A package, and the keys of the records that it can take, as lines."""
    with tempfile.TemporaryDirectory(prefix="gnn-mlir-") as folder:
        path = pathlib.Path(folder, "keys.jsonl")
        return make(path), path.read_bytes()


def _those_of(lines, keys):
    """The lines of records that have one of the keys."""
    keys, found = [json.loads(key) for key in keys.splitlines()], []
    for line in lines:
        try:
            record = json.loads(line)
        except (RecursionError, ValueError):
            continue  # The compiler leaves it too.
        if isinstance(record, dict) and any(key.items() <= record.items() for key in keys):
            found.append(line)
    return found


def records():
    """The file of records of schedules that were found by measuring (docs/Tuning.md), as a path;
    None where the cache is off, or it or the file cannot be trusted."""
    return _records()[0]


def read_records():
    """The path of that file where there are records of this user, and its lines; (None, []) where
    there are none."""
    path, data = _records()
    return (None, []) if data is None else (path, data.decode(errors="replace").splitlines())


def _records():
    """The path of that file and its bytes, which are None where there is none yet; (None, None)
    where it cannot be trusted."""
    if (place := _open()) is None:
        if folder() is None:
            _warn("%s: the cache is off", FOLDER, effect=_WITHOUT_RECORDS)
        return None, None
    path = place / _RECORDS
    try:
        data = _read_own(path, _WITHOUT_RECORDS)
    except FileNotFoundError:
        return path, None
    if data is not None and not _is_of_records(data):
        _warn("%s: expected a file of records", path, effect=_WITHOUT_RECORDS)
        data = None
    return (None if data is None else path), data


def _is_of_records(data):
    """Whether the first whole line of a file is a record: the library refuses another file."""
    for line in data.splitlines():
        try:
            record = json.loads(line)
        except (RecursionError, ValueError):
            if line.strip() and not line.startswith(b"{"):
                return False
            continue  # Who wrote it was killed.
        return isinstance(record, dict) and isinstance(record.get("schedule"), dict) and (
            isinstance(record.get("ratio"), (int, float)) and "cell" not in record)
    return True


def clear():
    """Removes all packages and records. Raises OSError where one cannot be removed."""
    if (place := _open()) is not None:
        for path in (*(one for kind in _KINDS for one in place.glob(f"*{kind}")), place / _RECORDS):
            path.unlink(missing_ok=True)


def _warn(what, *values, effect=_ANEW):
    """Says once what is wrong."""
    text = what % values
    if text not in _warned:
        _warned.add(text)
        _log.warning("%s: %s", text, effect)


def _is_own(found):
    """Whether a file or folder is the user's own, and nobody else may write it."""
    return found.st_uid == os.geteuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _read_own(path, effect=_ANEW):
    """The bytes of a file of this user that nobody else may write. Anything else, such as a link, a
    folder or a pipe, for which it does not wait, is None and a warning. Raises FileNotFoundError
    where there is nothing."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            found = os.fstat(handle)
            if stat.S_ISREG(found.st_mode) and _is_own(found):
                with open(handle, "rb", closefd=False) as file:
                    return file.read()
        finally:
            os.close(handle)
        _warn("%s: expected a file of this user that nobody else may write", path, effect=effect)
    except FileNotFoundError:
        raise
    except OSError as error:
        _warn("%s", f"{path}: expected a file, got a symbolic link"
              if error.errno == errno.ELOOP else error, effect=effect)
    return None


def _open():
    """The folder, made where there is none; None where it is off or cannot be trusted."""
    if (place := folder()) is None:
        return None
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        if _is_own(place.stat()):
            return place
        _warn("%s: expected a folder of this user that nobody else may write, got %s", FOLDER,
              place)
    except OSError as error:
        _warn("%s: %s", FOLDER, error)
    return None


@functools.cache
def _library():
    """What tells one build of the library from another."""
    path = pathlib.Path(capi.find_library()).resolve()
    found = sorted((one.name, one.stat().st_size, one.stat().st_mtime_ns)
                   for one in path.parent.glob("libGNN*.so*") if one.is_file())
    return _version.VERSION, str(path), found


@functools.cache
def _processor():
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    kinds = "model name", "flags", "Features", "CPU part"
    return platform.machine(), os.cpu_count(), sorted(
        {line for line in lines if line.startswith(kinds)})


def _key(target, parts):
    host = [] if target == targets.CUDA else [
        _processor(), [os.environ.get(name) for name in _OF_CPU]]
    text = json.dumps([_library(), target, host, parts], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _read(path):
    """The bytes of a package; None where there is none that is whole and the user's own."""
    try:
        if (data := _read_own(path)) is None:
            return None
        os.utime(path)  # what was used last goes last
    except FileNotFoundError:
        return None
    except OSError as error:
        _warn("%s", error)
        return None
    head, digest, data = (data[:len(_HEAD)], data[len(_HEAD):len(_HEAD) + _DIGEST],
                          data[len(_HEAD) + _DIGEST:])
    return data if head == _HEAD and hashlib.sha256(data).digest() == digest else None


def _write(path, data):
    """Writes a package, and removes those that were not used for longest. `files.write` keeps
    permissions and follows links, where a package has to be a file that its user alone reads."""
    try:
        most = int(os.environ.get(BYTES) or MOST)
    except ValueError:
        _warn("%s: expected a number of bytes, got %s", BYTES, os.environ[BYTES])
        return
    size = len(_HEAD) + _DIGEST + len(data)
    try:
        if size > most:
            return
        _make_room(path.parent, most - size)
        handle, name = tempfile.mkstemp(dir=path.parent)  # which nobody else may read
        try:
            with open(handle, "wb") as file:
                file.write(_HEAD + hashlib.sha256(data).digest() + data)
            os.replace(name, path)  # whole, whoever else writes it
        except BaseException:
            os.unlink(name)
            raise
    except OSError as error:
        _warn("%s", error)


def _make_room(place, most):
    """Removes the packages that were not used for longest, until others take `most` bytes."""
    found = []
    for path in place.iterdir():
        try:
            status = path.stat()
        except FileNotFoundError:
            continue  # Another process has removed it.
        # Others are being written, or were left by a process that ended.
        if path.name != _RECORDS and (
                path.suffix in _KINDS or time.time() - status.st_mtime > _ABANDONED):
            found.append((status.st_mtime_ns, status.st_size, path))
    total = sum(size for _, size, _ in found)
    for _, size, path in sorted(found):
        if total <= most:
            break
        path.unlink(missing_ok=True)
        total -= size
