"""Models of Keras with several replicas: each batch is divided among them.

The layers are called in each replica on its part of the rows. What the model gives for them is put
together again on the first device, where losses and metrics are those of the whole batch, as with
one replica, however it divides. The gradient of that loss is the sum of those for the copies of the
variables, each computed where the copy is.
"""

from __future__ import annotations

import contextlib
import functools
import threading
from typing import Any, Callable, Container, Dict, Iterator, List, NamedTuple, Optional, Sequence

from troupe._src.graph.elements import Tensor
from troupe._src.keras.functions import operation_of
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.ops.arithmetic_ops import add_n
from troupe._src.ops.sparse_tensor import SparseTensor
from troupe._src.replicas.contexts import current, current_copy, entered, has_several
from troupe._src.replicas.mirrored_variable import MirroredVariable


class _Divided(NamedTuple):
    """What the replicas of a model give together.

    Attributes:
        outputs: The outputs for the whole batch.
        masks: Their masks; None for those without.
        losses: What layers add to the loss by their inputs.
        updates: Operations by which layers follow their inputs, such as moving averages.
    """

    outputs: List[Any]
    masks: List[Any]
    losses: List[Any]
    updates: List[Any]


class _OfReplica:
    """What the layers of a model give in one replica."""

    def __init__(self, outputs: List[Any], masks: List[Any], weight: Tensor) -> None:
        self.outputs, self.masks, self.weight = outputs, masks, weight
        self.losses: List[Any] = []
        self.updates: List[Any] = []


class _Added(threading.local):
    """Where what layers add is kept while this thread is in a replica of their model."""

    losses: Optional[List[Any]] = None
    updates: Optional[List[Any]] = None
    frozen: Container[int] = ()  # the layers that add no updates


_added = _Added()


def strategy_of_model(model: Any) -> Any:
    """The strategy by which a model is trained, if that has several replicas.

    Args:
        model: The model.

    Returns:
        That of the scope in which this is called, else of the model's variables; None without, and
        in a replica, whose model is its own.

    Raises:
        NotImplementedError: Its replicas are in several programs, or the model keeps a state from
            batch to batch.
    """
    found = current()
    if found is not None and found.replica is not None:
        return None
    strategy = None if found is None else found.strategy
    if strategy is None:
        copies = (each for each in model.weights if isinstance(each, MirroredVariable))
        strategy = next((each._strategy for each in copies), None)
    if strategy is None or not has_several(strategy):
        return None
    if strategy.extended._workers is not None:
        raise NotImplementedError(
            "compile: fit() does not divide batches among workers: train the model by "
            "tf.keras.estimator.model_to_estimator with RunConfig(train_distribute=...), or by an "
            "optimizer in strategy.experimental_run_v2"
        )
    if model.stateful:
        raise NotImplementedError("compile: a stateful model has one replica")
    return strategy


def extend_replicated_models(kind: Any) -> None:
    """Lets models that are compiled in the scope of a strategy be trained by its replicas.

    Args:
        kind: `Model`.
    """
    kind._strategy, kind._divided, kind._is_divided = None, None, False
    for name in ("losses", "updates"):
        setattr(kind, name, _with_added(kind, name))
    kind.compile = _compile(kind.compile)
    # The first batch may build a model.
    kind._standardize_user_data = _in_scope(
        kind._standardize_user_data, lambda model: not model.built
    )
    kind._make_train_function = _in_scope(
        _as_divided(kind._make_train_function), lambda model: model.train_function is None
    )
    kind._make_predict_function = _as_divided(kind._make_predict_function)
    kind.compute_mask = _compute_mask(kind.compute_mask)


def extend_added(kind: Any) -> None:
    """Lets replicas tell apart what layers add in them.

    Args:
        kind: `Layer`.
    """
    own_update, own_loss = kind.add_update, kind.add_loss

    @functools.wraps(own_update)
    def add_update(self: Any, updates: Any, inputs: Any = None) -> None:
        if _added.updates is None:
            own_update(self, updates, inputs)
        elif updates is not None and not _passes_on(self) and id(self) not in _added.frozen:
            # A pair is of a variable and its value.
            _added.updates += updates if isinstance(updates, list) else [updates]

    @functools.wraps(own_loss)
    def add_loss(self: Any, losses: Any, inputs: Any = None) -> None:
        if _added.losses is None:
            own_loss(self, losses, inputs)
        elif losses is not None and not _passes_on(self):
            _added.losses += [loss() if callable(loss) else loss for loss in _listed(losses)]

    kind.add_update, kind.add_loss = add_update, add_loss


def _passes_on(layer: Any) -> bool:
    """Whether it adds what its own layers have added."""
    return bool(getattr(layer, "_is_graph_network", False))


def _compile(own: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(own)
    def compile_model(self: Any, *args: Any, **kwargs: Any) -> None:
        self._strategy = strategy_of_model(self) or self._strategy
        self._divided = None
        if self._strategy is not None and self.built:
            self._divided = _divide(self, self._strategy)
        # Metrics are of whole batches, and so have no copies.
        alone = contextlib.nullcontext() if self._strategy is None else entered(None)
        with alone, _with_replicas(self):
            own(self, *args, **kwargs)

    return compile_model


def _in_scope(own: Callable[..., Any], is_for: Callable[[Any], bool]) -> Callable[..., Any]:
    """A method that makes variables, where the model is one that it makes them for."""

    @functools.wraps(own)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        if self._strategy is None or not is_for(self):
            return own(self, *args, **kwargs)
        with self._strategy.scope():
            return own(self, *args, **kwargs)

    return method


def _as_divided(own: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(own)
    def method(self: Any) -> Any:
        with _with_replicas(self):
            return own(self)

    return method


@contextlib.contextmanager
def _with_replicas(model: Any) -> Iterator[None]:
    """The model has the outputs, losses and updates of its replicas, if there are any."""
    if model._divided is None:
        yield
        return
    outputs = model.outputs
    model.outputs, model._is_divided = model._divided.outputs, True
    try:
        yield
    finally:
        model.outputs, model._is_divided = outputs, False


def _with_added(kind: Any, name: str) -> property:
    """What layers add: of replicas, and what depends on no input."""
    own = getattr(kind, name)

    def read(self: Any) -> List[Any]:
        if not self._is_divided:
            return list(own.fget(self))
        of_layer = "get_losses_for" if name == "losses" else "get_updates_for"
        always = getattr(self, of_layer)(None)
        return [*always, *getattr(self._divided, name)]

    return property(read)


def _compute_mask(own: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(own)
    def compute_mask(self: Any, inputs: Any, mask: Any = None) -> Any:
        return self._divided.masks if self._is_divided else own(self, inputs, mask)

    return compute_mask


def _divide(model: Any, strategy: Any) -> _Divided:
    """Calls the model in each replica, and puts together what it gives."""
    if any(isinstance(each, SparseTensor) for each in model.inputs):
        raise NotImplementedError("compile: sparse inputs are not divided among replicas")
    count = strategy.num_replicas_in_sync
    made: Dict[int, _OfReplica] = {}

    def in_replica() -> None:
        number = current_copy()
        made[number] = _call(model, number, count)

    strategy.experimental_run_v2(in_replica)
    found = [made[number] for number in range(count)]
    with strategy.extended._on_device(0):
        return _Divided(
            [_whole(each, [of.outputs[i] for of in found]) for i, each in enumerate(model.outputs)],
            [_rows_together([of.masks[i] for of in found]) for i in range(len(model.outputs))],
            [_mean(losses, found) for losses in zip(*(of.losses for of in found))],
            [each for of in found for each in of.updates],
        )


def _call(model: Any, number: int, count: int) -> _OfReplica:
    """Calls the model on the rows of that replica."""
    total = array_ops.shape(model.inputs[0])[0]
    begin, end = total * number // count, total * (number + 1) // count
    # Of fewer rows than replicas some replicas take one whose result is not used.
    last = gen_ops.maximum(end, begin + 1)
    inputs = [_cut(each, begin, last, count) for each in model.inputs]
    _added.losses, _added.updates, _added.frozen = [], [], set(_frozen(model))
    try:
        outputs, masks = _outputs(model, inputs)
        rows = end - begin
        made = _OfReplica(
            [each[:rows] for each in outputs],
            [each if each is None else each[:rows] for each in masks],
            math_ops.cast(rows, "float32") / math_ops.cast(total, "float32"),
        )
        made.losses = [math_ops.reduce_mean(each) for each in _added.losses]
        made.updates = [operation_of(each) for each in _added.updates]
        return made
    finally:
        _added.losses = _added.updates = None


def _frozen(layer: Any, is_within: bool = False) -> Iterator[int]:
    """Which layers of a layer are not to change, nor are those that they are of."""
    is_frozen = is_within or not (layer.trainable or layer.stateful)
    if is_frozen:
        yield id(layer)
    wrapped = [layer.layer] if hasattr(layer, "layer") else []
    for each in [*getattr(layer, "_layers", ()), *wrapped]:
        yield from _frozen(each, is_frozen)


def _cut(rows: Tensor, begin: Tensor, end: Tensor, count: int) -> Tensor:
    piece: Tensor = rows[begin:end]
    sizes = rows.shape.as_list()
    if sizes[0] is not None and sizes[0] % count == 0:
        piece.set_shape([sizes[0] // count, *sizes[1:]])
    _tell_keras(piece, rows)
    return piece


def _tell_keras(made: Any, like: Any) -> None:
    """Gives a tensor what Keras knows of another one, which it stands for."""
    for each in ("_keras_shape", "_uses_learning_phase"):
        if hasattr(like, each):
            setattr(made, each, getattr(like, each))


def _outputs(model: Any, inputs: List[Any]) -> Any:
    """The outputs of a model for those inputs, and their masks."""
    if model._is_graph_network:
        outputs, masks, _ = model.run_internal_graph(inputs)
    else:
        given = {"training": None} if model._expects_training_arg else {}
        outputs = model.call(inputs[0] if len(inputs) == 1 else inputs, **given)
        masks = [None for _ in model.outputs]
    return _listed(outputs), _listed(masks)


def _listed(value: Any) -> List[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _whole(output: Any, pieces: List[Any]) -> Any:
    """An output for the whole batch; for Keras it is like that of the model."""
    made = _rows_together(pieces)
    made.set_shape(output.shape)
    _tell_keras(made, output)
    return made


def _rows_together(pieces: List[Any]) -> Any:
    return None if pieces[0] is None else array_ops.concat(pieces, axis=0)


def _mean(losses: Sequence[Any], found: Sequence[_OfReplica]) -> Any:
    """The mean of losses of replicas, each by how many rows it is of."""
    parts = [
        each * math_ops.cast(of.weight, each.dtype) for each, of in zip(losses, found)
    ]
    return add_n(parts)
