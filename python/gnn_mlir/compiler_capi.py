# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of the compiler's C API (include/GNN-c/Compiler.h), text in and text out."""

import ctypes
import itertools
import json
import os
import re
import tempfile

from . import cache, capi, paths, signatures, targets as kinds, types

# The name of schedules that are given as dicts in reproducers, which have them
# as comments at the end.
SCHEDULE_FILE = "schedules.jsonl"

NAME = "program.mlir"  # The name of a program in errors.

# `passes` is text to the compiler, and a dict to Python's users.
_UNKNOWN_PASS = re.compile(
    r"\Apasses: expected NAME=VALUE with a name of (.*), got '([^=']+)=.*'\Z")
_NAME = re.compile(r"\A[a-z]+(-[a-z]+)+(?=: )")  # of an option, in front of a message
# Options too have other names to the compiler.
_NO_MEANING = re.compile(
    r"\A([\w-]+) has no meaning for target (\w+): expected one of (.*), got '.*'\Z")


def _in_python(message):
    """A message about an option, with the names of `compile`."""
    found = _NO_MEANING.match(message)
    if not found:
        return _NAME.sub(lambda name: name[0].replace("-", "_"), message)
    given, target, known = found.groups()
    names = {"phases": "keep_phases", "threads": None}  # None: `compile` has it not
    given, *known = [names.get(name, name) for name in (given, *known.split(", "))]
    given, *known = [name.replace("-", "_") for name in (given, *filter(None, known))]
    return (f"{given} has no meaning for target {target}: expected one of {', '.join(known)}, "
            f"got {given!r}")


def compile_text(text, name, graphs=None, **options):
    """A package of a program; `graphs` are those that it will be bound to, by name ("":
    the one there is), `options` those of docs/CAPI.md. Raises GNNError with all
    diagnostics."""
    data, options = text.encode(), _Options(graphs, options)
    with capi.naming_types():
        return capi.Package(capi.made("gnnCompile", data, len(data), name.encode(),
                                      options.handle))


def explain_text(text, name, graphs=None, form="text", schedules=None, **options):
    """The work of the passes on whole-graph ops on a program, as "text", as a picture ("dot")
    or as a page ("html"). Raises GNNError with all diagnostics, or ValueError where an option is
    wrong."""
    data = text.encode()
    with tempfile.TemporaryDirectory(prefix="gnn-mlir-") as folder:
        options["schedules"] = path_option("schedules", _schedule_file(schedules, folder))
        options = _Options(graphs, options)

        def of_user(text):  # The file of schedules that were given as dicts has no folder.
            return text.replace(folder + os.sep, "")
        try:
            return of_user(capi.text_of("gnnExplain", data, len(data), name.encode(),
                                        options.handle, ("text", "dot", "html").index(form)))
        except capi.GNNError as error:
            error.args = (of_user(str(error)),)
            _refuse_request(error)
            raise


def schedules_text(text, name, graphs=None, vary=(), filters=(), **options):
    """The schedules that kernels of a program may have, a line of JSON each. Raises
    GNNError with all diagnostics, or ValueError where an option is wrong."""
    data, options = text.encode(), _Options(graphs, options)
    try:
        return capi.text_of("gnnListSchedules", data, len(data), name.encode(), options.handle,
                            ",".join(vary).encode(), filter_option(filters))
    except capi.GNNError as error:
        _refuse_request(error)
        raise


def tune_text(text, name, graphs, settings, arrays, count, device, **options):
    """What tuning a program gives, as JSON, and the error that ended it; each may be None. Raises
    ValueError where an option is wrong."""
    data, options = text.encode(), _Options(graphs, options)
    answer, failed = ctypes.c_void_p(), None
    try:
        capi.call("gnnTune", data, len(data), name.encode(), options.handle, settings.handle,
                  arrays, count, device.handle, ctypes.byref(answer))
    except capi.GNNError as error:
        _refuse_request(error)
        failed = error
    return capi.take_text(answer) if answer.value else None, failed


def _expect_compiler():
    if not capi.has_compiler():
        raise capi.GNNError("expected libGNN.so, which has the compiler, got "
                            f"{capi.find_library()}")


class TuneSettings(capi._Handle):
    """Settings of tuning; those that are None are as they are by default. Raises ValueError for
    those that are wrong."""

    _release = "gnnTuneSettingsDestroy"

    def __init__(self, **settings):
        _expect_compiler()
        super().__init__(capi.made("gnnTuneSettingsCreate"))
        for name, value in settings.items():
            if value is not None:
                self.set(name, value)

    def set(self, name, value):
        value = value if isinstance(value, bytes) else str(value).encode()
        try:
            capi.call("gnnTuneSettingsSet", self.handle, name.encode(), value)
        except capi.GNNError as error:
            raise ValueError(str(error)) from None

    def set_progress(self, progress):
        """`progress` is a TuneProgress."""
        capi.call("gnnTuneSettingsSetProgress", self.handle, progress, None)
        self._held = progress


class _Options(capi._Handle):
    """Options of the library; those that are None or "" are as they are by default."""

    _release = "gnnCompileOptionsDestroy"

    def __init__(self, graphs, options):
        _expect_compiler()
        super().__init__(capi.made("gnnCompileOptionsCreate"))
        for name, value in options.items():
            for each in value if isinstance(value, tuple) else [value]:
                if each not in (None, ""):
                    self._set(name, each)
        for declaration, graph in (graphs or {}).items():
            capi.call("gnnCompileOptionsAddGraph", self.handle, declaration.encode(),
                      capi.NativeGraph.of(graph).handle)

    def _set(self, name, value):
        if isinstance(value, bool):
            value = str(value).lower()
        if isinstance(value, str):
            value = text_option(name, value, encode=os.fsencode)  # It may have a path.
        capi.call("gnnCompileOptionsSet", self.handle, name.replace("_", "-").encode(),
                  os.fsencode(value))


def targets():
    """The kinds of target that there are, those of plugins too."""
    return capi.text_of("gnnListTargets").split(",")


def word_option(name, word):
    """An option that is a word; None where there is none."""
    if word is not None and (not isinstance(word, str) or not word):
        raise ValueError(f"{name}: expected a word, got {word!r}")
    return word


def text_option(name, text, encode=str.encode):
    """An option that is a text, as bytes; None where there is none."""
    if text is None:
        return None
    if not isinstance(text, str) or not text:
        raise ValueError(f"{name}: expected a text, got {types.described(text)}")
    if "\0" in text:
        raise ValueError(f"{name}: expected a text without null characters, got "
                         f"{types.described(text)}")
    try:
        return encode(text)
    except UnicodeEncodeError:
        raise ValueError(f"{name}: expected a text that UTF-8 can spell, got "
                         f"{types.described(text)}") from None


def list_option(name, words):
    """An option that is a list of words; None where there are none."""
    given = words if isinstance(words, (list, tuple, set, frozenset)) else [None]
    if not all(isinstance(word, str) and word.split() == [word] and "\0" not in word
               for word in given):
        raise ValueError(f"{name}: expected a list of words, got {types.described(words)}")
    return " ".join(given) or None


def filter_option(filters):
    """Names of filters of schedules, as the library has them."""
    return (list_option("filters", filters) or "").replace(" ", ",").encode()


def path_option(name, path):
    """An option that is a path, as bytes; None where there is none."""
    return None if path is None else paths.encoded(path, name)


_RANKED = "ranked:"


def rule_option(rule):
    """The option `schedule_rule`, whose file has its whole path: a model is compiled later. Raises
    ValueError for another rule, and OSError where the file cannot be read."""
    if rule in (None, "rule"):
        return None
    if not isinstance(rule, str) or not rule.startswith(_RANKED) or rule == _RANKED:
        raise ValueError(f"schedule_rule: expected 'rule' or 'ranked:FILE', got {rule!r}")
    path = os.path.abspath(rule.removeprefix(_RANKED))
    with paths.open_file(path, "schedule_rule"):
        return _RANKED + path


def flag_option(name, value):
    """Raises ValueError for an option that is neither True nor False."""
    if not isinstance(value, bool):
        raise ValueError(f"{name}: expected True or False, got {value!r}")


def layout_options(tuned, rule):
    """The options that lay kernels out, of those of `compile`, but for `schedules`; those that are
    None are not asked for."""
    if tuned is not None:
        flag_option("tuned", tuned)
    return dict(schedule_rule=rule_option(rule),
                records=path_option("records", cache.read_records()[0]) if tuned else None)


def _read(path):
    with paths.open_file(path) as file:
        return file.read().decode()


def _schedule_file(schedules, folder):
    """The path of a file of schedules, which it writes to a folder where they are
    given as dicts. Raises OSError where it cannot be read."""
    if schedules is None:
        return None
    if isinstance(schedules, (str, os.PathLike)):
        with paths.open_file(schedules, "schedules"):
            return schedules
    path = os.path.join(folder, SCHEDULE_FILE)
    lines = _schedule_lines(schedules)
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in lines)
    return path


def _schedule_lines(schedules):
    """The lines of a file of schedules that are given as dicts."""
    try:
        if isinstance(schedules, (list, tuple)):
            return [json.dumps(dict(line)) for line in schedules]
    except (TypeError, ValueError):
        pass
    raise ValueError(f"schedules: expected a path or a list of dicts, got {schedules!r}")


_has_plugins = False  # Whose dialects and passes the cache does not know.


def load_plugin(path):
    """Loads a plugin into this process for good (docs/Plugins.md).

    Args:
        path: a shared object with dialects, ops or passes.

    Raises:
        GNNError: the file cannot be loaded.
        ValueError: `path` is no path."""
    global _has_plugins
    capi.call("gnnLoadPlugin", paths.encoded(path, "plugin"))
    _has_plugins = True


def compile_package(text, graphs, schedules, phases=None, save_schedules=None, tuned=False,
                    **options):
    """A package, of the cache where it has one; `tuned`, with schedules that records of the
    cache's folder have. Raises ValueError where an option is wrong,
    CompileError where the program is, and OSError where the file of `schedules` cannot be
    read."""
    records, lines = cache.read_records() if tuned else (None, [])

    def make(keys=None):
        return _compile_package(text, graphs, schedules, phases, save_schedules,
                                records=path_option("records", records),
                                record_keys=path_option("record_keys", keys), **options)

    # Other kinds of target may make programs for graphs, of which the cache knows statistics.
    is_for_graphs = graphs and options.get("target") not in (None, *kinds.ALL)
    if phases is not None or save_schedules is not None or _has_plugins or is_for_graphs:
        return make()  # What is asked for is made on the way, or not known.
    try:
        given = _read(schedules) if isinstance(schedules, (str, bytes, os.PathLike)) else (
            None if schedules is None else _schedule_lines(schedules))
        facts = {name: (graph.stats(), graph.num_node_types, graph.num_edge_types)
                 for name, graph in (graphs or {}).items()}
        json.dumps(given)
        rule = options.get("schedule_rule")
        model = rule and _read(rule.removeprefix(_RANKED))
    except (AttributeError, OSError, TypeError, ValueError):
        return make()  # which says what is wrong
    return cache.compiled(make, options.get("target"), text, facts, given, options,
                          *([model] if model else []), records=lines)


def _refuse_request(error):
    """Raises ValueError if an error is one of the request, not of the program."""
    if error.kind in (signatures.OPTION, signatures.EDGE_TYPES, signatures.NODE_TYPES):
        message = _in_python(str(error).removeprefix(f"{NAME}: "))
        raise ValueError(_UNKNOWN_PASS.sub(r"passes: expected options of \1, got '\2'",
                                           message)) from None


def _compile_package(text, graphs, schedules, phases, save_schedules, **options):
    options["phases"] = path_option("keep_phases", phases)
    options["save_schedules"] = path_option("save_schedules", save_schedules)
    with tempfile.TemporaryDirectory(prefix="gnn-mlir-") as folder:
        reproducer = os.path.join(folder, NAME)
        given, schedules = schedules, _schedule_file(schedules, folder)
        try:
            return compile_text(text, NAME, graphs, reproducer=reproducer,
                                schedules=path_option("schedules", schedules), **options)
        except capi.GNNError as error:
            _refuse_request(error)
            if error.kind != signatures.PROGRAM or not os.path.exists(reproducer):
                raise  # The library has no compiler, or no place for a reproducer.
            message, text = str(error), _read(reproducer)
            if given is not schedules:  # a file of this folder, which goes away
                message, text = (part.replace(schedules, SCHEDULE_FILE)
                                 for part in (message, text))
                text += "".join(f"// {line}\n" for line in (
                    f"{SCHEDULE_FILE}:", *_read(schedules).splitlines()))
            raise capi.CompileError(message.splitlines(), text) from None


def compiling_later(*always, phases=None, **options):
    """The maker of further packages of a program, by gradients as the compiler reads them.
    Their phases are in folders within that of the first, `phases`."""
    numbers = itertools.count(2)

    def compile_more(gradients):
        folder = phases and os.path.join(
            os.fsdecode(phases),
            f"forward-backward-{next(numbers)}" if gradients else "without-gradients")
        return compile_package(*always, gradients=gradients, phases=folder, **options)
    return compile_more


def pass_options(passes):
    """Switches as the compiler reads them: "fuse=false"."""
    if not hasattr(passes, "items"):
        raise ValueError("passes: expected a dict by option, such as "
                         f"{{'fuse': False}}, got {passes!r}")
    words = []
    for name, value in passes.items():
        text = str(value).lower() if isinstance(value, bool) else str(value)
        name = str(name).replace("_", "-")
        if not re.fullmatch(r"[\w.-]+", text) or not re.fullmatch(
                r"[a-z][a-z-]*", str(name)):
            raise ValueError("passes: expected names and plain words, got "
                             f"{name!r}: {value!r}")
        words.append(f"{name}={text}")
    return " ".join(words)


def stage_passes_option(passes):
    """Passes by point as the compiler reads them, "graph-end=my-pass" each."""
    if not hasattr(passes, "items") or not all(
            isinstance(word, str) for pair in passes.items() for word in pair):
        raise ValueError("stage_passes: expected a dict by point, such as "
                         f"{{'graph-end': 'my-pass'}}, got {passes!r}")
    return tuple(f"{point}={text}" for point, text in passes.items())
