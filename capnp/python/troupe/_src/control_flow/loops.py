"""Loops."""

from __future__ import annotations

from typing import Any, Callable, List, Optional

from troupe import _native
from troupe._src.control_flow.effects import (
    after_effects,
    begin_effects,
    effects_before,
    end_effects,
)
from troupe._src.control_flow.structure import (
    check_same,
    check_variants,
    flatten,
    is_boxed,
    is_nested,
    leaf_of,
    map_leaves,
    pack_as,
    tensors_of,
)
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import Graph, get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import gen_ops, raw_ops
from troupe._src.ops.array_ops import identity
from troupe._src.ops.gen_ops import stop_gradient
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.sparse_tensor import SparseTensor
from troupe._src.types import dtypes
from troupe._src.types.shapes import TensorShape, as_shape


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: Optional[str] = None,
    maximum_iterations: Optional[TensorLike] = None,
    return_same_structure: bool = False,
) -> Any:
    """The variables after `body` has been applied to them as long as `cond` holds.

    Both functions are called once, and add the nodes of an iteration. What the gradient needs of an
    iteration is kept until it has used it.

    Args:
        cond: A function of the variables, which gives a bool scalar.
        body: A function of the variables, which gives new values in the same structure, of the same
            dtypes.
        loop_vars: A list of nested tensors, TensorArrays or values; or one of them.
        shape_invariants: The shapes that variables keep in all iterations, in the structure of
            `loop_vars`; by default those of the first values. That of a SparseTensor is [rank],
            the shape of its `dense_shape`.
        parallel_iterations: How many iterations may run at once, where they do not need each
            other's values.
        back_prop: Whether gradients go through the loop.
        swap_memory: Changes nothing.
        maximum_iterations: After how many iterations the loop ends at the latest, an int scalar;
            None for no limit.
        return_same_structure: Keeps a list of one variable, which is otherwise that variable.

    Returns:
        The variables in the structure of `loop_vars`.

    Raises:
        TypeError: A function cannot be called, or `parallel_iterations` is not a positive integer.
        ValueError: There are no variables, or a shape changes that has to stay.
    """
    if not callable(cond):
        raise TypeError("cond must be callable.")
    if not callable(body):
        raise TypeError("body must be callable.")
    if not isinstance(parallel_iterations, int) or parallel_iterations < 1:
        raise TypeError("parallel_iterations must be a positive integer.")
    is_single = not isinstance(loop_vars, (list, tuple))
    variables = [loop_vars] if is_single else loop_vars
    if not variables:
        raise ValueError("No loop variables provided")
    if maximum_iterations is not None:
        return _with_maximum(
            cond, body, variables, shape_invariants, parallel_iterations, name, maximum_iterations,
            return_same_structure and not is_single, back_prop,
        )  # fmt: skip
    graph = get_default_graph()
    with graph.name_scope(name or "while"):
        loop = _Loop(graph, variables, shape_invariants, parallel_iterations, is_single)
        results = loop.add(cond, body, back_prop)
    if return_same_structure:
        return results[0] if is_single else results
    carried = sum(len(tensors_of(leaf)) for leaf in flatten(results))
    # As in TensorFlow it is the tensors that are counted, not the variables: beside a variable
    # without tensors one is returned alone, and a sparse tensor is not.
    return results[0] if is_single or carried == 1 else results


def _with_maximum(
    cond: Any, body: Any, variables: Any, invariants: Any, parallel: int, name: Optional[str],
    maximum: Any, return_same_structure: bool, back_prop: bool,
) -> Any:  # fmt: skip
    """A loop that counts, too."""
    limit = convert_to_tensor(maximum, name="maximum_iterations")
    if limit.shape.rank not in (None, 0):
        raise ValueError(f"maximum_iterations must be a scalar, not of shape {limit.shape}")
    zero, one = (convert_to_tensor(number, limit.dtype) for number in (0, 1))

    def goes_on(count: Any, values: Any) -> Any:
        return gen_ops.logical_and(count < limit, cond(*values))

    def step(count: Any, values: Any) -> Any:
        results = body(*values)
        if not isinstance(results, (list, tuple)):
            results = [results]
        return count + one, pack_as(list(values), flatten(list(results)))

    shapes = None if invariants is None else [TensorShape([]), list(_listed(invariants))]
    counted = while_loop(
        goes_on, step, [zero, list(variables)], shapes, parallel, back_prop, name=name,
        return_same_structure=True,
    )  # fmt: skip
    results = pack_as(variables, flatten(counted[1]))
    return results if return_same_structure or len(results) != 1 else results[0]


def _listed(values: Any) -> Any:
    return values if isinstance(values, (list, tuple)) else [values]


class _Loop:
    """A loop while its nodes are added."""

    def __init__(
        self, graph: Graph, variables: Any, invariants: Any, parallel: int, is_single: bool
    ) -> None:
        self._graph = graph
        self._is_single = is_single
        self._structure = map_leaves(_to_leaf, variables)
        tensors = self._tensors(self._structure)
        if graph._scopes.controls:  # then so does all of the loop wait, its condition, too
            tensors = [identity(tensor) for tensor in tensors]
        before = effects_before(graph)
        if before and tensors:
            with graph.control_dependencies(before):
                tensors[0] = identity(tensors[0])
        self._shapes = _shapes_of(self._structure, variables, invariants)
        with graph._lock, graph._changed(controls=()):
            graph._check_not_finalized()
            graph._use_context()
            self._builder = graph._builder_for("Enter", "while")
            self._native = _native.WhileLoop(
                self._builder, [tensor._value() for tensor in tensors], parallel,
                [shape.as_list() if shape.rank is not None else None for shape in self._shapes],
            )  # fmt: skip

    @staticmethod
    def _tensors(structure: Any) -> List[Tensor]:
        return [tensor for leaf in flatten(structure) for tensor in tensors_of(leaf)]

    def _packed(self, tensors: List[Any]) -> Any:
        rest = iter(tensors)
        return pack_as(self._structure, [leaf_of(leaf, rest) for leaf in flatten(self._structure)])

    def _variables(self) -> Any:
        tensors: List[Any] = [self._graph._of_value(v) for v in self._native.variables()]
        for tensor, shape in zip(tensors, self._shapes):
            tensor.set_shape(shape)
        return self._packed(tensors)

    def _begin_effects(self) -> None:
        variables = self._native.variables()
        if variables:
            first: Any = self._graph._of_value(variables[0])
            begin_effects(self._graph, first, [])

    def add(self, cond: Any, body: Any, back_prop: bool) -> Any:
        """Adds the nodes of the condition and the body; returns the variables afterwards."""
        try:
            return self._add(cond, body, back_prop)
        except BaseException:
            with self._graph._lock:
                self._native.abandon()
            raise

    def _add(self, cond: Any, body: Any, back_prop: bool) -> Any:
        graph, native, builder = self._graph, self._native, self._builder
        with graph._changed(context=native.context, controls=()):
            self._begin_effects()
            goes_on = convert_to_tensor(cond(*self._variables()))
            with graph._lock:
                graph._use_context()
                native.begin_body(builder, goes_on._value())
            self._begin_effects()
            results = self._results(body(*self._variables()))
            if results:
                results[0] = end_effects(graph, results[0])
            with graph._lock:
                graph._use_context()
                exits = native.end(builder, [tensor._value() for tensor in results])
        tensors: List[Any] = [graph._of_value(value) for value in exits]
        for tensor, shape in zip(tensors, self._shapes):
            tensor.set_shape(shape)
        if tensors:
            after_effects(graph, tensors[0])
        return self._packed([tensor if back_prop else stop_gradient(tensor) for tensor in tensors])

    def _results(self, given: Any) -> List[Tensor]:
        """What the body gives, as tensors of the variables' shapes."""
        if not is_nested(given) or isinstance(given, dict) or hasattr(given, "_fields"):
            given = [given]
        elif self._is_single and len(given) != 1:
            given = [given]
        check_same(list(self._structure), list(given), "loop_vars and the results of body")
        tensors = self._tensors(map_leaves(_to_leaf, list(given)))
        before = self._tensors(self._structure)
        if len(before) != len(tensors):
            raise ValueError("the body must give what the loop has: the kinds of tensors differ")
        check_variants(self._structure, list(given), "loop_vars and the results of body")
        return [
            _with_shape(tensor, variable, shape)
            for tensor, variable, shape in zip(tensors, before, self._shapes)
        ]


def _to_leaf(value: Any) -> Any:
    is_tensor = len(tensors_of(value)) == 1 and not is_boxed(value)
    return convert_to_tensor(value) if is_tensor else value


def _shapes_of(structure: Any, variables: Any, invariants: Any) -> List[TensorShape]:
    """The shapes that the tensors of the variables have in all iterations."""
    leaves = flatten(structure)
    given = [None] * len(leaves) if invariants is None else _flat_shapes(variables, invariants)
    if len(given) != len(leaves):
        raise ValueError("shape_invariants must have the structure of loop_vars")
    shapes: List[TensorShape] = []
    for leaf, invariant in zip(leaves, given):
        parts = tensors_of(leaf)
        if isinstance(leaf, SparseTensor):
            shapes += _sparse_shapes(leaf, invariant)
        elif hasattr(leaf, "_of_components"):
            shape = leaf.shape if invariant is None else as_shape(invariant)
            specs = leaf._shape_invariant_to_type_spec(shape)._component_specs
            shapes += [spec.shape for spec in specs]
        elif invariant is None:
            shapes += [part.shape for part in parts]
        elif len(parts) == 1:
            shapes.append(TensorShape([]) if is_boxed(leaf) else as_shape(invariant))
        else:  # rows
            shapes += [as_shape(invariant), *(part.shape for part in parts[1:])]
    return shapes


def _sparse_shapes(given: SparseTensor, invariant: Any) -> List[TensorShape]:
    """Of any number of elements. The invariant is the shape of `dense_shape`, a vector."""
    shape = given.dense_shape.shape if invariant is None else as_shape(invariant)
    if shape.rank not in (None, 1):
        raise ValueError(
            f"The shape invariant of {given.values.name} must be [rank], the shape of the sparse "
            f"tensor's `dense_shape`, but is {shape}: Expected a shape with 1 dimension"
        )
    if not shape.is_compatible_with(given.dense_shape.shape):
        raise ValueError(
            f"The shape invariant specified for {given.values.name} is not compatible with the "
            f"initial shape of its `dense_shape`: {shape} and {given.dense_shape.shape}"
        )
    rank = None if shape.rank is None else shape.as_list()[0]
    return [TensorShape([None, rank]), TensorShape([None]), TensorShape([rank])]


def _flat_shapes(variables: Any, invariants: Any) -> List[Any]:
    """The invariants by leaf: a shape is no structure, though it may be written as a list."""
    if isinstance(variables, dict):
        pairs = [(variables[key], invariants[key]) for key in sorted(variables)]
        return [shape for value, inner in pairs for shape in _flat_shapes(value, inner)]
    if isinstance(variables, (list, tuple)):
        pairs = list(zip(variables, _listed(invariants)))
        return [shape for value, inner in pairs for shape in _flat_shapes(value, inner)]
    return [getattr(invariants, "shape", invariants)]  # that of a tf.TensorSpec


def _with_shape(tensor: Tensor, variable: Tensor, shape: TensorShape) -> Tensor:
    if tensor.dtype != variable.dtype:
        raise TypeError(
            f"The body gives {tensor.dtype.name} for the variable {variable.name}, "
            f"which is {variable.dtype.name}"
        )
    if not _is_within(tensor.shape, shape):
        raise ValueError(
            f"The shape for {variable.name} is not an invariant for the loop. It enters the loop "
            f"with shape {variable.shape}, but has shape {tensor.shape} after one iteration. "
            "Provide shape invariants using either the `shape_invariants` argument of "
            "tf.while_loop or set_shape() on the loop variables."
        )
    native = TensorShape(tensor._value().shape)
    if tensor.dtype == dtypes.resource or _is_within(native, shape):
        return tensor
    known: Tensor = raw_ops.EnsureShape(input=tensor, shape=tensor.shape)
    return known


def _is_within(shape: TensorShape, wanted: TensorShape) -> bool:
    """Whether all that is known of the wanted shape is known of this one."""
    if wanted.rank is None:
        return True
    if shape.rank != wanted.rank:
        return False
    pairs = zip(shape.as_list(), wanted.as_list())
    return all(size is None or size == known for known, size in pairs)
