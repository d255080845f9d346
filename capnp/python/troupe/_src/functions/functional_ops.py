"""Calls, branches and loops of functions, under TensorFlow's names for them."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence

from troupe._src.control_flow.structure import pack_as
from troupe._src.functions.definition import definition_of
from troupe._src.functions.defun import Defun
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.ops import gen_ops, raw_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types import dtypes


def _listed(results: Any) -> List[Any]:
    if isinstance(results, Operation):
        return []
    return list(results) if isinstance(results, (list, tuple)) else [results]


def If(  # noqa: N802
    cond: Any, inputs: Sequence[Any], then_branch: Any, else_branch: Any, name: Optional[str] = None
) -> Any:
    """The results of `then_branch` where `cond` is true, else those of `else_branch`."""
    results_dtypes: List[Any] = list(definition_of(then_branch).result_dtypes)
    structure = getattr(then_branch, "structured_outputs", None)
    results = raw_ops.If(
        cond=cond, input=list(inputs), Tout=results_dtypes, then_branch=then_branch,
        else_branch=else_branch, name=name,
    )  # fmt: skip
    return results if structure is None else pack_as(structure, _listed(results))


def Gradient(inputs: Sequence[Any], f: Any, name: Optional[str] = None) -> Any:  # noqa: N802
    """The derivatives of a function: `inputs` are its own, then the gradients of its results."""
    dtypes_of_inputs = definition_of(f).input_dtypes
    return symbolic_gradient(input=inputs, Tout=dtypes_of_inputs, f=f, name=name)


def symbolic_gradient(
    input: Sequence[Any], Tout: Any, f: Any, name: Optional[str] = None  # noqa: N803
) -> Any:
    """As Gradient, with the dtypes of the results."""
    return raw_ops.SymbolicGradient(input=list(input), Tout=Tout, f=f, name=name)


def _with_captures(func: Any) -> Any:
    """A loop's body whose captured inputs are variables of the loop, which it does not change."""
    declared = list(func.declared_input_types)
    types = declared + [tensor.dtype for tensor in func.captured_inputs]

    def wrapper(*args: Any) -> Any:
        own = definition_of(func).call(args, "body")
        return [*own.outputs, *args[len(declared) :]]

    return Defun(*types, func_name=f"{func.name}_Wrapper")(wrapper)


def While(  # noqa: N802
    input_: Sequence[Any], cond: Any, body: Any, name: Optional[str] = None, hostmem: Any = None
) -> Any:
    """The variables after `while (cond(v)) v = body(v)`, which begins with `input_`.

    `hostmem` says which are in the memory of the host, where the op keeps all it needs there.
    """
    if cond.captured_inputs:
        raise ValueError(
            "While op 'cond' argument must be a function without implicitly captured inputs."
        )
    if cond.declared_input_types != body.declared_input_types:
        raise ValueError(
            "While op 'cond' and 'body' signatures do not match. "
            f"{cond.declared_input_types!r} vs {body.declared_input_types!r}"
        )
    captured = list(body.captured_inputs)
    if not captured:
        return _listed(raw_ops.While(input=list(input_), cond=cond, body=body, name=name))
    declared = list(cond.declared_input_types)
    types = declared + [tensor.dtype for tensor in captured]

    def wrapper(*args: Any) -> Any:
        return cond(*args[: len(declared)])

    wrapped = Defun(*types, func_name=f"{cond.name}_Wrapper")(wrapper)
    results = raw_ops.While(
        input=[*input_, *captured], cond=wrapped, body=_with_captures(body), name=name
    )
    return results[: -len(captured)]


def For(  # noqa: N802
    start: Any, limit: Any, delta: Any, inputs: Sequence[Any], body: Any,
    name: Optional[str] = None, hostmem: Any = None, rewrite_with_while: Optional[bool] = None,
) -> Any:  # fmt: skip
    """The variables after `for i in range(start, limit, delta): v = body(i, v)`.

    With `rewrite_with_while`, the node is a While.
    """
    if rewrite_with_while:
        return _for_using_while(start, limit, delta, inputs, body, name)
    captured = list(body.captured_inputs)
    wrapped = _with_captures(body) if captured else body
    results = raw_ops.For(
        start=start, limit=limit, delta=delta, input=[*inputs, *captured], body=wrapped, name=name
    )
    results = _listed(results)
    return results[: -len(captured)] if captured else results


def _for_using_while(
    start: Any, limit: Any, delta: Any, inputs: Sequence[Any], body: Any, name: Optional[str]
) -> List[Tensor]:
    """Goes over the numbers of the iterations, from which those of the loop follow."""
    begin, end, step = (convert_to_tensor(bound, dtypes.int32) for bound in (start, limit, delta))
    size = gen_ops.abs(step)
    count = (gen_ops.abs(end - begin) + size - 1) // size
    types = [dtypes.int32] * 4 + list(body.declared_input_types)[1:]

    def goes_on(i: Any, n: Any, *_: Any) -> Any:
        return i < n

    def turn(i: Any, n: Any, first: Any, by: Any, *args: Any) -> Any:
        return [i + 1, n, first, by, *_listed(body(first + i * by, *args))]

    results = While(
        [0, count, begin, step, *inputs],
        Defun(*types, func_name=f"{body.name}_Cond")(goes_on),
        Defun(*types, func_name=f"{body.name}_Body")(turn),
        name=name,
    )
    return list(results[4:])


def remote_call(
    target: Any, args: Sequence[Any], Tout: Any, f: Any, name: Optional[str] = None  # noqa: N803
) -> Any:
    """Calls a function on the device that `target` names, which is known before the step."""
    return raw_ops.RemoteCall(target=target, args=list(args), Tout=Tout, f=f, name=name)


def partitioned_call(
    args: Sequence[Any], f: Any, tout: Any = None, executing_eagerly: Any = None,
    config: Any = None, executor_type: Optional[str] = None,
) -> Any:  # fmt: skip
    """Calls a function whose nodes may be on several devices.

    Args:
        args: Values of all its arguments, also the captured ones.
        f: The function.
        tout: The dtypes of its results, which it knows itself.
        executing_eagerly: Of no meaning: graphs are built here.
        config: Of no meaning: a session has the options.
        executor_type: The name of an executor; NotFound in a step, unless it is "" or "DEFAULT".

    Returns:
        The list of its results; the operation where there is none.
    """
    attrs = {"executor_type": executor_type or ""}
    op = definition_of(f).call(list(args), "PartitionedCall", attrs)
    if not op.outputs:
        return op
    return op.outputs
