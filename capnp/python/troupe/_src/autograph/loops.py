"""What conversion puts in place of `while` and `for`."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from troupe._src.autograph.state import (
    GetState,
    SetState,
    State,
    check_defined_before_loop,
    check_iteration,
)
from troupe._src.control_flow.conditional import cond as graph_cond
from troupe._src.control_flow.loops import while_loop
from troupe._src.control_flow.structure import map_leaves
from troupe._src.control_flow.tensor_array import TensorArray
from troupe._src.data.dataset import Dataset
from troupe._src.data.iterator import Iterator
from troupe._src.data.transformations import scan, take_while
from troupe._src.graph.elements import Tensor
from troupe._src.graph.function_graph import FunctionGraph
from troupe._src.graph.graph import get_default_graph
from troupe._src.ops.array_ops import get_static_value, shape
from troupe._src.ops.convert import constant, convert_to_tensor, is_tensor
from troupe._src.optionals.optional import get_next_as_optional
from troupe._src.types.shapes import TensorShape

Test = Callable[[], Any]
Body = Callable[[], None]
BodyOfElement = Callable[[Any], None]
Options = Optional[Dict[str, Any]]


def while_stmt(
    test: Test, body: Body, get_state: GetState, set_state: SetState,
    symbol_names: Sequence[str], opts: Options,
) -> None:  # fmt: skip
    """A `while`: `tf.while_loop` if the condition is a tensor.

    Args:
        test: Gives the condition.
        body: The statements, which set variables around them.
        get_state: Gives the variables that the loop sets.
        set_state: Sets them.
        symbol_names: Their names.
        opts: Arguments of `tf.while_loop` which the loop begins with.

    Raises:
        ValueError: A variable has no value before the loop, or its shape changes.
        TypeError: It changes its dtype or structure.
    """
    before = get_state()
    # What it adds to find out is not part of the graph: the loop adds it in its own place.
    with FunctionGraph(get_default_graph()).as_default():
        first = test()
    set_state(before)
    if is_tensor(first):
        _graph_loop(test, body, get_state, set_state, symbol_names, opts)
        return
    if not first:
        return
    body()
    while test():
        body()


def for_stmt(
    iterated: Any, extra_test: Optional[Test], body: BodyOfElement, get_state: GetState,
    set_state: SetState, symbol_names: Sequence[str], opts: Options,
) -> None:  # fmt: skip
    """A `for`: a loop of the graph over a tensor, a dataset or its iterator.

    Args:
        iterated: What gives the elements; of a tensor, those of its first dimension.
        extra_test: Whether the loop goes on, where there is a `break`.
        body: The statements with an element.
        get_state: Gives the variables that the loop sets.
        set_state: Sets them.
        symbol_names: Their names.
        opts: Arguments of `tf.while_loop` which the loop begins with.

    Raises:
        ValueError: As of a `while`.
        TypeError: As of a `while`.
    """
    rest = (extra_test, body, get_state, set_state, symbol_names, opts)
    if is_tensor(iterated):
        tensor = convert_to_tensor(iterated)
        (_over_range if tensor.op.type == "Range" else _over_tensor)(tensor, *rest)
    elif isinstance(iterated, Dataset):
        _over_dataset(iterated, *rest)
    elif isinstance(iterated, Iterator):
        _over_iterator(iterated, *rest)
    else:
        _over_values(iterated, extra_test, body)


def _over_values(iterated: Any, extra_test: Optional[Test], body: BodyOfElement) -> None:
    if extra_test is None:
        for element in iterated:
            body(element)
        return
    if not extra_test():
        return
    for element in iterated:
        body(element)
        if not extra_test():
            break


def _graph_loop(
    test: Optional[Test], body: Body, get_state: GetState, set_state: SetState,
    names: Sequence[str], opts: Options, own: Sequence[Any] = (),
    step: Callable[[List[Any]], List[Any]] = list,
    own_test: Optional[Callable[[List[Any]], Any]] = None,
) -> None:  # fmt: skip
    """`tf.while_loop` of the variables, and of values of the loop's own before them.

    Args:
        own: First values of the loop's own, such as an index.
        step: Gives the next ones; called before the statements.
        own_test: Whether these let the loop go on, which is asked before `test`; there is one of
            the two.
    """
    before = get_state()
    check_defined_before_loop(before, names)
    own = list(own) or [constant(0)]  # a loop has at least one value
    count = len(own)
    options = _options(opts, before, own)
    given = options.get("shape_invariants") is not None

    def goes_on(*values: Any) -> Any:
        set_state(values[count:])
        tests: List[Test] = [] if test is None else [test]
        if own_test is not None:
            tests.insert(0, lambda: own_test(list(values[:count])))
        return _both(*tests) if len(tests) == 2 else tests[0]()

    def iteration(*values: Any) -> List[Any]:
        set_state(values[count:])
        following = step(list(values[:count]))
        body()
        after = get_state()
        check_iteration(tuple(values[count:]), after, names, checks_shapes=not given)
        return [*following, *after]

    found = while_loop(
        goes_on, iteration, [*own, *before], return_same_structure=True, **options
    )  # fmt: skip
    set_state(tuple(found[count:]))


def _both(first: Test, second: Test) -> Any:
    """Whether both hold; the second is asked only where the first does."""
    return graph_cond(first(), lambda: convert_to_tensor(second()), lambda: constant(False))


def _options(opts: Options, before: State, own: Sequence[Any]) -> Dict[str, Any]:
    """Arguments of `tf.while_loop`; shapes are those of all of its values."""
    options = {key: value for key, value in (opts or {}).items() if key != "iterate_names"}
    pairs = options.pop("shape_invariants", None)
    if pairs is None:
        return options
    shapes = {id(tensor): invariant for tensor, invariant in pairs}

    def shape_of(leaf: Any) -> Any:
        if id(leaf) in shapes or isinstance(leaf, TensorArray):
            return shapes.get(id(leaf), TensorShape(None))
        return convert_to_tensor(leaf).shape

    options["shape_invariants"] = [map_leaves(shape_of, each) for each in (*own, *before)]
    return options


def _over_range(
    numbers: Tensor, extra_test: Optional[Test], body: BodyOfElement, get_state: GetState,
    set_state: SetState, names: Sequence[str], opts: Options,
) -> None:  # fmt: skip
    """A loop over `tf.range`, which counts instead of keeping all numbers."""
    start, limit, delta = numbers.op.inputs
    element: List[Any] = []

    def is_inside(own: List[Any]) -> Any:
        known = get_static_value(delta)
        if known is not None:
            return own[0] < limit if known >= 0 else own[0] > limit
        return (delta >= 0) & (own[0] < limit) | (delta < 0) & (own[0] > limit)

    def step(own: List[Any]) -> List[Any]:
        element[:] = own
        return [own[0] + delta]

    _graph_loop(
        extra_test, lambda: body(element[0]), get_state, set_state, names, opts,
        [start], step, is_inside,
    )  # fmt: skip


def _over_tensor(
    tensor: Tensor, extra_test: Optional[Test], body: BodyOfElement, get_state: GetState,
    set_state: SetState, names: Sequence[str], opts: Options,
) -> None:  # fmt: skip
    """A loop over the first dimension of a tensor."""
    if tensor.shape.rank == 0:
        raise ValueError("a scalar cannot be iterated over")
    known = tensor.shape.as_list()[0] if tensor.shape.rank else None
    count = shape(tensor)[0] if known is None else constant(known)
    rows = TensorArray(tensor.dtype, size=count).unstack(tensor)
    element: List[Any] = []

    def step(own: List[Any]) -> List[Any]:
        element[:] = [rows.read(own[0])]
        return [own[0] + 1]

    _graph_loop(
        extra_test, lambda: body(element[0]), get_state, set_state, names, opts,
        [constant(0)], step, lambda own: own[0] < count,
    )  # fmt: skip


def _over_iterator(
    iterator: Any, extra_test: Optional[Test], body: BodyOfElement, get_state: GetState,
    set_state: SetState, names: Sequence[str], opts: Options,
) -> None:  # fmt: skip
    """A loop over what is left of an iterator."""
    check_defined_before_loop(get_state(), names)

    def take() -> None:
        """An iteration: the statements run if there is an element."""
        following = get_next_as_optional(iterator)
        before = get_state()

        def with_element() -> Tuple[Any, ...]:
            body(following.get_value())
            after = get_state()
            check_iteration(before, after, names)
            return (*after, constant(True))

        *after, has_more = graph_cond(
            following.has_value(), with_element, lambda: (*before, constant(False)), strict=True
        )
        set_state(tuple(after))
        more[0] = has_more

    more: List[Any] = [constant(True)]

    def get_all() -> State:
        return (*get_state(), more[0])

    def set_all(values: State) -> None:
        set_state(values[:-1])
        more[0] = values[-1]

    def goes_on() -> Any:
        return _both(lambda: more[0], extra_test) if extra_test else more[0]

    _graph_loop(
        goes_on, take, get_all, set_all,
        [*names, "has_value"], opts,
    )  # fmt: skip


def _over_dataset(
    dataset: Dataset, extra_test: Optional[Test], body: BodyOfElement, get_state: GetState,
    set_state: SetState, names: Sequence[str], opts: Options,
) -> None:  # fmt: skip
    """A loop over a dataset, as its reduction to the variables."""
    before = get_state()
    check_defined_before_loop(before, names)

    def after_element(state: State, element: Any) -> State:
        set_state(state)
        body(element)
        after = get_state()
        check_iteration(state, after, names, checks_shapes=False)
        return after

    if extra_test is not None:
        found = _until_break(dataset, extra_test, after_element, before, set_state)
    elif before:
        found = dataset.reduce(before, after_element)
    else:
        dataset.reduce(constant(0), lambda _, element: (after_element((), element), constant(0))[1])
        return
    set_state(tuple(found))


def _until_break(
    dataset: Dataset, extra_test: Test, after_element: Callable[[State, Any], State],
    before: State, set_state: SetState,
) -> State:  # fmt: skip
    """The variables after the element at which the loop ends; it takes one more, at most."""

    def take(state: State, element: Any) -> Tuple[State, Tuple[State, Tensor]]:
        set_state(state)
        goes_on = convert_to_tensor(extra_test())
        after = graph_cond(
            goes_on, lambda: after_element(state, element), lambda: state, strict=True
        )
        return tuple(after), (tuple(after), goes_on)

    states = dataset.apply(scan(before, take)).apply(take_while(lambda _, goes_on: goes_on))
    found: State = states.reduce(before, lambda _, element: element[0])
    return found
