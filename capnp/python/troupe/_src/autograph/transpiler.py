"""The conversion of functions, by the package diastatic-malt: AutoGraph without TensorFlow.

It rewrites the source of a function so that each `if`, loop, call and so on is a call of a function
of the module `ag__`, which is made of those of this folder. It is imported when it is first needed.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import importlib
import inspect
import sys
import traceback
import types
import weakref
from typing import Any, Callable, ContextManager, Dict, Optional, Sequence

from troupe._src.autograph import builtins, conditionals, lists, loops
from troupe._src.autograph.function_scope import function_scope_of
from troupe._src.platform import logging

# Functions of this package, whose namesakes of the other one the conversion looks for.
directives: Dict[Any, str] = {}
# The code of functions that could not be converted.
_told: weakref.WeakSet[types.CodeType] = weakref.WeakSet()


@functools.lru_cache(maxsize=None)
def library() -> Optional[types.SimpleNamespace]:
    """The modules of the package, and what converts; None if it is not installed."""
    try:
        importlib.import_module("malt")
    except ImportError:
        return None
    found = types.SimpleNamespace(
        **{
            name.rpartition(".")[2]: importlib.import_module(f"malt.{name}")
            for name in (
                "core.ag_ctx", "core.converter", "impl.api", "impl.conversion", "lang.directives",
                "operators", "operators.py_builtins", "pyct.inspect_utils", "utils.ag_logging",
            )
        }  # fmt: skip
    )
    found.transpiler = _transpiler_of(found)
    return found


def _transpiler_of(malt: types.SimpleNamespace) -> Any:
    """Converts functions into ones that call the operators of this folder."""
    namespace = types.ModuleType("ag__")
    operators = {
        name: value
        for module in (conditionals, lists, loops)
        for name, value in vars(module).items()
        if getattr(value, "__module__", None) == module.__name__ and not name.startswith("_")
    }
    scope = function_scope_of(malt.ag_ctx, malt.converter, malt.operators)
    namespace.__dict__.update(
        vars(malt.operators),
        autograph_artifact=malt.api.autograph_artifact,
        converted_call=converted_call,
        ConversionOptions=malt.converter.ConversionOptions,
        Feature=malt.converter.Feature,
        STD=malt.converter.STANDARD_OPTIONS,
        FunctionScope=scope,
        with_function_scope=lambda thunk, name, options: _in_scope(scope, thunk, name, options),
        **operators,
    )

    class Transpiler(malt.api.PyToPy):  # type: ignore[name-defined,misc]
        def get_extra_locals(self) -> Dict[str, Any]:
            return {"ag__": namespace}

        def initial_analysis(self, node: Any, ctx: Any) -> Any:
            _DirectiveNames(ctx.info.namespace, malt.directives).visit(node)
            return super().initial_analysis(node, ctx)

    return Transpiler()


def _in_scope(scope: Any, thunk: Callable[[Any], Any], name: str, options: Any) -> Any:
    with scope("lambda_", name, options) as entered:
        return thunk(entered)


class _DirectiveNames(ast.NodeVisitor):
    """Lets calls of this package's directives name those that the conversion looks for."""

    def __init__(self, namespace: Dict[str, Any], known: Any) -> None:
        self._namespace = namespace
        self._known = known

    def visit_Expr(self, node: ast.Expr) -> None:  # noqa: N802
        call = node.value
        if not isinstance(call, ast.Call):
            return
        name = directives.get(self._value_of(call.func))
        if name is not None:
            self._namespace[f"ag__{name}"] = getattr(self._known, name)
            call.func = ast.copy_location(ast.Name(f"ag__{name}", ast.Load()), call.func)

    def _value_of(self, node: ast.AST) -> Any:
        """The function that a name with its modules is; None if it is something else."""
        if isinstance(node, ast.Attribute):
            owner = self._value_of(node.value)
            found = getattr(owner, node.attr, None) if inspect.ismodule(owner) else None
        else:
            found = self._namespace.get(node.id) if isinstance(node, ast.Name) else None
        return found if inspect.ismodule(found) or inspect.isfunction(found) else None


def _options(recursive: bool = True, features: Any = None) -> Any:
    malt = library()
    assert malt is not None
    known = malt.converter.Feature
    given = () if features is None else features
    given = given if isinstance(given, (list, tuple, set, frozenset)) else (given,)
    wanted = {known(each.value) for each in given}
    if known.ALL in wanted:
        wanted = set(known) - {known.ALL}
    wanted = (wanted | {known.ASSERT_STATEMENTS}) - {known.AUTO_CONTROL_DEPS}
    return malt.converter.ConversionOptions(
        recursive=recursive, user_requested=True, optional_features=tuple(wanted)
    )


def converted(
    function: Callable[..., Any], features: Any = None, recursive: bool = True
) -> Optional[Callable[..., Any]]:
    """A function that runs the converted form of another one, and converts what that calls.

    None if the package is not installed, the caller has said not to convert, or the function is one
    of this package.
    """
    if _is_own(function if inspect.isroutine(function) else type(function)):
        return None
    malt = library()
    if malt is None or malt.ag_ctx.control_status_ctx().status == malt.ag_ctx.Status.DISABLED:
        return None
    if malt.api.is_autograph_artifact(function):
        return None
    options = _options(recursive, features)

    def call(*args: Any, **kwargs: Any) -> Any:
        with malt.ag_ctx.ControlStatusCtx(malt.ag_ctx.Status.ENABLED, options):
            return converted_call(function, args, kwargs, options=options)

    result: Callable[..., Any] = malt.api.autograph_artifact(
        functools.update_wrapper(call, function)
    )
    return result


def transformed(entity: Any, recursive: bool, features: Any) -> Any:
    """The converted form of a function or method, as a function."""
    malt = library()
    if malt is None:
        raise ImportError("AutoGraph needs the package diastatic-malt: pip install diastatic-malt")
    options = _options(recursive, features)
    result, module, source_map = malt.transpiler.transform(
        getattr(entity, "python_function", entity),
        malt.converter.ProgramContext(options=options),
    )
    result.ag_module, result.ag_source_map = module, source_map
    return malt.api.autograph_artifact(result)


def without_conversion() -> ContextManager[Any]:
    """A context in which nothing is converted."""
    malt = library()
    if malt is None:
        return contextlib.nullcontext()
    found: ContextManager[Any] = malt.ag_ctx.ControlStatusCtx(malt.ag_ctx.Status.DISABLED)
    return found


def set_verbosity(level: int, to_stdout: bool) -> None:
    """Sets how much the package says."""
    malt = library()
    if malt is not None:
        malt.ag_logging.set_verbosity(level, to_stdout)


def converted_call(
    f: Any, args: Sequence[Any], kwargs: Optional[Dict[str, Any]],
    caller_fn_scope: Any = None, options: Any = None,
) -> Any:  # fmt: skip
    """A call in a converted function, which converts what it calls.

    Args:
        f: What is called.
        args: Its arguments.
        kwargs: Those by name; None for none.
        caller_fn_scope: The scope of the converted function that calls it.
        options: Those of the conversion, without a scope.

    Returns:
        What the call returns.
    """
    options = caller_fn_scope.callopts if options is None else options
    kwargs = kwargs or {}
    if isinstance(f, functools.partial) and not hasattr(f, "autograph_info__"):
        merged = {**f.keywords, **kwargs}
        return converted_call(f.func, (*f.args, *args), merged, caller_fn_scope, options)
    malt = library()
    assert malt is not None
    if malt.inspect_utils.isbuiltin(f):
        return _call_builtin(malt, f, args, kwargs, caller_fn_scope)
    entity, given = _function_and_arguments(f, tuple(args))
    if entity is None or not _is_converted(malt, f, options):
        return f(*args, **kwargs)
    try:
        context = malt.converter.ProgramContext(options=options)
        result, _, source_map = malt.transpiler.transform(entity, context)
    except Exception as error:
        _warn_once(entity, error)
        return f(*args, **kwargs)
    try:
        return result(*given, **kwargs)
    except Exception as error:
        _add_lines(error, source_map)
        raise


def _call_builtin(malt: Any, f: Any, args: Sequence[Any], kwargs: Any, scope: Any) -> Any:
    own = malt.py_builtins
    if f is eval:
        return own.eval_in_original_context(f, args, scope)
    if f is super:
        return own.super_in_original_context(f, args, scope)
    if f is globals:
        return own.globals_in_original_context(scope)
    if f is locals:
        return own.locals_in_original_context(scope)
    try:
        f = builtins.REPLACEMENTS.get(f, f)
    except TypeError:  # the method of an object without a hash
        pass
    return f(*args, **kwargs)


def _is_converted(malt: Any, f: Any, options: Any) -> bool:
    """Whether a call converts what it calls."""
    if malt.ag_ctx.control_status_ctx().status == malt.ag_ctx.Status.DISABLED:
        return False
    if malt.api.is_autograph_artifact(f) or malt.conversion.is_unsupported(f):
        return False
    if not options.user_requested:
        if _is_own(f) or malt.conversion.is_allowlisted(f):
            return False
    return bool(options.internal_convert_user_code)


def _is_own(f: Any) -> bool:
    """Whether a function is one of this package."""
    return str(getattr(f, "__module__", None)).partition(".")[0] == __name__.partition(".")[0]


def _function_and_arguments(f: Any, args: Any) -> Any:
    """The function that a call runs, None if it has no source, and its arguments."""
    entity: Any
    if inspect.ismethod(f):
        entity, args = f.__func__, (f.__self__, *args)
    elif inspect.isfunction(f):
        entity = f
    else:
        entity, args = getattr(type(f), "__call__", None), (f, *args)
    code = getattr(entity, "__code__", None)
    return (None, args) if code is None or code.co_filename == "<string>" else (entity, args)


def _warn_once(function: Any, error: Exception) -> None:
    """Says that a function runs as it is: once for its code, of which closures may have much."""
    if function.__code__ in _told:
        return
    _told.add(function.__code__)
    logging.warning(
        "AutoGraph could not transform %s and will run it as-is. Cause: %s. To silence this"
        " warning, decorate it with @tf.autograph.experimental.do_not_convert",
        function, error,
    )  # fmt: skip


def _add_lines(error: Exception, source_map: Any) -> None:
    """Notes the lines of the program at which an error came; the traceback shows converted ones."""
    if sys.version_info < (3, 11) or getattr(error, "__notes__", None):
        return
    lines = []
    for frame in traceback.extract_tb(error.__traceback__):
        for place, origin in source_map.items():
            if place.filename == frame.filename and place.lineno == frame.lineno:
                where = f"{origin.loc.filename}:{origin.loc.lineno}"
                line = origin.source_code_line.strip()
                lines.append(f"  {where} in {origin.function_name}: {line}")
                break
    if lines:
        error.add_note("\n".join(["AutoGraph converted these lines:", *lines]))
