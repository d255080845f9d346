"""Staging areas, which hold tuples of tensors from one step to the next."""

from __future__ import annotations

import contextlib
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple, Union

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.scopes import colocate_with, name_scope
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import raw_ops
from troupe._src.ops.array_ops import identity
from troupe._src.ops.grouping_ops import no_op
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types.dtypes import DType, DTypeLike, as_dtype
from troupe._src.types.shapes import ShapeLike, TensorShape

Staged = Union[List[Tensor], Dict[str, Tensor]]


class BaseStagingArea:
    """What all staging areas have in common: what their tuples consist of, and their limits.

    Its operations are where the area was made, and wait, within their steps, for room or tuples.
    """

    def __init__(
        self,
        dtypes: Sequence[DTypeLike],
        shapes: Optional[Sequence[ShapeLike]] = None,
        names: Optional[Sequence[str]] = None,
        shared_name: Optional[str] = None,
        capacity: int = 0,
        memory_limit: int = 0,
    ) -> None:
        """Describes a staging area; the first operation that runs makes it.

        Args:
            dtypes: Of the components of a tuple.
            shapes: Of the components, as far as they are known.
            names: Of the components, which tuples are then dicts of.
            shared_name: What other sessions know it by; else it has a name of its own in the graph.
            capacity: The number of tuples that it has room for; 0 for any.
            memory_limit: The bytes that it has room for; 0 for any.

        Raises:
            ValueError: If there are not as many shapes or names as dtypes, or the name is no text.
        """
        if shared_name is not None and not isinstance(shared_name, str):
            raise ValueError("shared_name must be a string")
        graph = get_default_graph()
        self._name = graph.unique_name(type(self).__name__) if shared_name is None else shared_name
        self._dtypes = [as_dtype(dtype) for dtype in dtypes]
        for what, given in (("shapes", shapes), ("names", names)):
            if given is not None and len(given) != len(self._dtypes):
                raise ValueError(f"StagingArea {what} must be the same length as dtypes")
        self._shapes = [TensorShape(shape) for shape in shapes or [None] * len(self._dtypes)]
        self._names = None if names is None else list(names)
        self._capacity = capacity
        self._memory_limit = memory_limit
        with name_scope(f"{self._name}_root"):
            self._coloc_op = no_op()

    @property
    def name(self) -> str:
        """What sessions know it by."""
        return self._name

    @property
    def dtypes(self) -> List[DType]:
        """Of the components."""
        return self._dtypes

    @property
    def shapes(self) -> List[TensorShape]:
        """Of the components."""
        return self._shapes

    @property
    def names(self) -> Optional[List[str]]:
        """Of the components, or None."""
        return self._names

    @property
    def capacity(self) -> int:
        """The number of tuples that it has room for; 0 for any."""
        return self._capacity

    @property
    def memory_limit(self) -> int:
        """The bytes that it has room for; 0 for any."""
        return self._memory_limit

    def _attrs(self) -> Dict[str, Any]:
        """The attributes by which its operations name it."""
        return {
            "shared_name": self._name,
            "capacity": self._capacity,
            "memory_limit": self._memory_limit,
        }

    @contextlib.contextmanager
    def _putting(self, name: Optional[str]) -> Iterator[str]:
        """A context on its device; gives the name of the operation, which is that of its scope."""
        with name_scope(name, f"{self._name}_put") as scope, colocate_with(self._coloc_op):
            yield scope

    def _to_tensors(
        self, vals: Any, indices: Optional[Sequence[int]]
    ) -> Tuple[List[Tensor], List[int]]:
        """The tensors to put, and which components they are."""
        values, indices = self._listed(vals, indices)
        if len(values) > len(self._dtypes):
            raise ValueError(
                f"Unexpected number of inputs '{len(values)}' vs '{len(self._dtypes)}'"
            )
        tensors = []
        for value, i in zip(values, indices):
            tensor = convert_to_tensor(value)
            if tensor.dtype != self._dtypes[i]:
                raise ValueError(
                    f"Datatypes do not match. '{tensor.dtype}' != '{self._dtypes[i]}'"
                )
            if not tensor.shape.is_compatible_with(self._shapes[i]):
                raise ValueError(f"Shapes {tensor.shape} and {self._shapes[i]} are incompatible")
            tensors.append(tensor)
        return tensors, indices

    def _listed(self, vals: Any, indices: Optional[Sequence[int]]) -> Tuple[List[Any], List[int]]:
        if isinstance(vals, dict):
            if not self._names:
                raise ValueError("Staging areas must have names to enqueue a dictionary")
            if not set(vals) <= set(self._names):
                raise ValueError(
                    "Keys in dictionary to put do not match names of staging area. Dictionary: "
                    f"({sorted(vals)}), Queue: ({sorted(self._names)})"
                )
            known = [i for i, name in enumerate(self._names) if name in vals]
            return [vals[self._names[i]] for i in known], known
        if self._names:
            raise ValueError("You must enqueue a dictionary in a staging area with names")
        if indices is None:
            raise ValueError("Indices must be supplied when inserting a list of tensors")
        values = list(vals) if isinstance(vals, (list, tuple)) else [vals]
        if len(indices) != len(values):
            raise ValueError(
                f"Number of indices '{len(indices)}' doesn't match number of values "
                f"'{len(values)}'"
            )
        return values, list(indices)

    def _received(self, tensors: Sequence[Tensor]) -> List[Tensor]:
        """The tensors where the program uses them, which may be another device."""
        if no_op().device == self._coloc_op.device:
            return list(tensors)
        return [identity(tensor) for tensor in tensors]

    def _result(self, tensors: Sequence[Tensor], indices: Sequence[int]) -> Staged:
        received = self._received(tensors)
        for tensor, i in zip(received, indices):
            tensor.set_shape(self._shapes[i])
        if not self._names:
            return received
        return {self._names[i]: tensor for tensor, i in zip(received, indices)}


class StagingArea(BaseStagingArea):
    """A staging area that gives tuples in the order in which they came."""

    def put(self, values: Any, name: Optional[str] = None) -> Operation:
        """Puts a tuple in, as soon as there is room.

        Args:
            values: A tensor or a list of them, or where the components have names, a dict.
            name: Of the operation.

        Returns:
            The operation. In the step, ResourceExhaustedError for more bytes than the limit.

        Raises:
            ValueError: If they do not fit the area.
        """
        listed = values if isinstance(values, (list, tuple, dict)) else [values]
        with self._putting(name) as scope:
            tensors, _ = self._to_tensors(listed, range(len(listed)))
            return raw_ops.Stage(values=tensors, name=scope, **self._attrs())

    def get(self, name: Optional[str] = None) -> Staged:
        """Takes a tuple, as soon as there is one.

        Args:
            name: Of the operation.

        Returns:
            The tensors: a list, or where the components have names, a dict.
        """
        with colocate_with(self._coloc_op):
            tensors = raw_ops.Unstage(
                dtypes=list(self._dtypes), name=name or f"{self._name}_get", **self._attrs()
            )
        return self._result(tensors, range(len(self._dtypes)))

    def peek(self, index: TensorLike, name: Optional[str] = None) -> Staged:
        """The tuple at that position, as soon as there is one. It stays.

        Args:
            index: An int32 scalar.
            name: Of the operation.

        Returns:
            As `get`.
        """
        with colocate_with(self._coloc_op):
            tensors = raw_ops.StagePeek(
                index=index,
                dtypes=list(self._dtypes),
                name=name or f"{self._name}_peek",
                **self._attrs(),
            )
        return self._result(tensors, range(len(self._dtypes)))

    def size(self, name: Optional[str] = None) -> Tensor:
        """The number of tuples: an int32 scalar."""
        with colocate_with(self._coloc_op):
            return raw_ops.StageSize(
                dtypes=list(self._dtypes), name=name or f"{self._name}_size", **self._attrs()
            )

    def clear(self, name: Optional[str] = None) -> Operation:
        """Removes all tuples."""
        with colocate_with(self._coloc_op):
            return raw_ops.StageClear(
                dtypes=list(self._dtypes), name=name or f"{self._name}_clear", **self._attrs()
            )


class MapStagingArea(BaseStagingArea):
    """A staging area whose tuples have keys, and may come and go in parts."""

    def __init__(
        self,
        dtypes: Sequence[DTypeLike],
        shapes: Optional[Sequence[ShapeLike]] = None,
        names: Optional[Sequence[str]] = None,
        shared_name: Optional[str] = None,
        ordered: bool = False,
        capacity: int = 0,
        memory_limit: int = 0,
    ) -> None:
        """As BaseStagingArea.

        Args:
            dtypes: As those of BaseStagingArea.
            shapes: As those of BaseStagingArea.
            names: As those of BaseStagingArea.
            shared_name: As that of BaseStagingArea.
            ordered: Whether a `get` without a key must give the lowest one.
            capacity: As that of BaseStagingArea.
            memory_limit: As that of BaseStagingArea.
        """
        super().__init__(dtypes, shapes, names, shared_name, capacity, memory_limit)
        self._prefix = "Ordered" if ordered else ""

    def _op(self, name: str) -> Callable[..., Any]:
        op: Callable[..., Any] = getattr(raw_ops, self._prefix + name)
        return op

    def put(
        self,
        key: Any,
        vals: Any,
        indices: Optional[Sequence[int]] = None,
        name: Optional[str] = None,
    ) -> Operation:
        """Puts components of a tuple in, as soon as there is room.

        Args:
            key: An int64 scalar.
            vals: A tensor or a list of them, or where the components have names, a dict.
            indices: Which components they are, where those have no names, in rising order.
            name: Of the operation.

        Returns:
            The operation. In the step, InvalidArgumentError where the key has a component already.

        Raises:
            ValueError: If they do not fit the area.
        """
        with self._putting(name) as scope:
            tensors, positions = self._to_tensors(vals, indices)
            put: Operation = self._op("MapStage")(
                key=key,
                indices=positions,
                values=tensors,
                dtypes=list(self._dtypes),
                name=scope,
                **self._attrs(),
            )
            return put

    def _selected(self, indices: Optional[Sequence[Any]]) -> Tuple[List[int], List[DType]]:
        if indices is None:
            indices = list(range(len(self._dtypes)))
        if not isinstance(indices, (tuple, list)):
            raise TypeError(f"Invalid indices type '{type(indices)}'")
        if not indices:
            raise ValueError("Empty indices")
        if all(isinstance(i, str) for i in indices):
            selected = [self._index_of(name) for name in indices]
        elif all(isinstance(i, int) for i in indices):
            selected = list(indices)
        else:
            raise TypeError(f"Mixed types in indices '{indices}'. May only be str or int")
        return selected, [self._dtypes[i] for i in selected]

    def _index_of(self, name: str) -> int:
        if self._names is None:
            raise ValueError(
                f"String index '{name}' provided, but this Staging Area was not created with names."
            )
        if name not in self._names:
            raise ValueError(f"Named index '{name}' not in Staging Area names '{self._names}'")
        return self._names.index(name)

    def peek(
        self, key: Any, indices: Optional[Sequence[Any]] = None, name: Optional[str] = None
    ) -> Staged:
        """Components of the tuple with that key, as soon as there is one. They stay.

        Args:
            key: An int64 scalar.
            indices: The components, by number or by name; all of them by default.
            name: Of the operation.

        Returns:
            The tensors: a list, or where the components have names, a dict.
        """
        selected, dtypes = self._selected(indices)
        with colocate_with(self._coloc_op):
            tensors = self._op("MapPeek")(
                key=key,
                indices=selected,
                dtypes=dtypes,
                name=name or f"{self._name}_pop",
                **self._attrs(),
            )
        return self._result(tensors, selected)

    def get(
        self, key: Any = None, indices: Optional[Sequence[Any]] = None, name: Optional[str] = None
    ) -> Tuple[Any, Staged]:
        """Takes components of the tuple with that key, or of one with any, as soon as there is one.

        Args:
            key: An int64 scalar, or None.
            indices: The components, by number or by name; all of them by default.
            name: Of the operation.

        Returns:
            The key and the tensors: a list, or where the components have names, a dict.
        """
        selected, dtypes = self._selected(indices)
        attrs = {"indices": selected, "dtypes": dtypes, **self._attrs()}
        with colocate_with(self._coloc_op):
            if key is None:
                outputs = self._op("MapUnstageNoKey")(
                    name=name or f"{self._name}_get_nokey", **attrs
                )
            else:
                outputs = self._op("MapUnstage")(
                    key=key, name=name or f"{self._name}_get", **attrs
                )
        if key is not None:
            return key, self._result(outputs, selected)
        return self._received(outputs[:1])[0], self._result(outputs[1:], selected)

    def _of_all(self, op: str, name: str) -> Any:
        with colocate_with(self._coloc_op):
            return self._op(op)(dtypes=list(self._dtypes), name=name, **self._attrs())

    def size(self, name: Optional[str] = None) -> Tensor:
        """The number of keys whose tuples have all components: an int32 scalar."""
        size: Tensor = self._of_all("MapSize", name or f"{self._name}_size")
        return size

    def incomplete_size(self, name: Optional[str] = None) -> Tensor:
        """The number of keys whose tuples lack components: an int32 scalar."""
        size: Tensor = self._of_all("MapIncompleteSize", name or f"{self._name}_incomplete_size")
        return size

    def clear(self, name: Optional[str] = None) -> Operation:
        """Removes all tuples."""
        clear: Operation = self._of_all("MapClear", name or f"{self._name}_clear")
        return clear
