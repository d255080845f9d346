"""Keras's models on datasets: their batches are read by steps of their own, and fed.

As `tf.keras` of TensorFlow 1.15, whose fit, evaluate and predict take a `tf.data.Dataset` or an
iterator in place of arrays. (The package of PyPI takes Python generators.)
"""

from __future__ import annotations

import functools
import inspect
import itertools
from typing import Any, Callable, Dict, Iterator, List, Optional

import numpy as np

from troupe._src.data.dataset import Dataset
from troupe._src.data.iterator import Iterator as DatasetIterator
from troupe._src.keras.sessions import get_session
from troupe._src.types.errors import OutOfRangeError

# What a dataset's elements say, or its size.
_NOT_BESIDE = ("y", "sample_weight", "batch_size", "validation_split")
_FITTING = (
    "epochs", "verbose", "callbacks", "validation_data", "validation_steps", "validation_freq",
    "class_weight", "initial_epoch",
)  # fmt: skip


def accept_datasets(model: Any) -> None:
    """Makes the methods of Keras's class of models take datasets.

    Args:
        model: The class.
    """
    for name in ("fit", "evaluate", "predict"):
        own = getattr(model, name)
        setattr(model, name, _with_datasets(own, globals()[f"_{name}"]))


def _with_datasets(own: Callable[..., Any], of_dataset: Callable[..., Any]) -> Callable[..., Any]:
    """A method that leaves calls with datasets to that function, with its arguments by name."""
    signature = inspect.signature(own)

    @functools.wraps(own)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        given = signature.bind(self, *args, **kwargs).arguments
        given.pop("self")
        if _is_dataset(given.get("x")):
            return of_dataset(self, _check(own.__name__, given))
        if _is_dataset(given.get("validation_data")):
            given["validation_data"] = _arrays(
                given["validation_data"], given.pop("validation_steps", None)
            )
        return own(self, **given)

    return method


def _is_dataset(value: Any) -> bool:
    return isinstance(value, (Dataset, DatasetIterator))


def _check(method: str, given: Dict[str, Any]) -> Dict[str, Any]:
    for name in _NOT_BESIDE:
        value = given.get(name)
        if value is not None and not (name == "validation_split" and value == 0):
            raise ValueError(f"{method}: `{name}` cannot be given beside a dataset")
    return given


def _fit(model: Any, given: Dict[str, Any]) -> Any:
    data = given["x"]
    steps = _steps(data, given.get("steps_per_epoch"), "steps_per_epoch")
    options = {name: given[name] for name in _FITTING if name in given}
    validation = options.get("validation_data")
    if _is_dataset(validation):
        steps_of_it = _steps(validation, options.get("validation_steps"), "validation_steps")
        options["validation_steps"] = steps_of_it
        options["validation_data"] = _batches(validation, steps_of_it)
    return model.fit_generator(_batches(data), steps, workers=0, **options)


def _evaluate(model: Any, given: Dict[str, Any]) -> Any:
    steps = _steps(given["x"], given.get("steps"), "steps")
    options = {name: given[name] for name in ("callbacks", "verbose") if name in given}
    return model.evaluate_generator(_batches(given["x"]), steps, workers=0, **options)


def _predict(model: Any, given: Dict[str, Any]) -> Any:
    steps = _steps(given["x"], given.get("steps"), "steps")
    options = {name: given[name] for name in ("callbacks", "verbose") if name in given}
    inputs = (_inputs(batch) for batch in _batches(given["x"]))
    return model.predict_generator(inputs, steps, workers=0, **options)


def _steps(data: Any, given: Optional[int], name: str) -> int:
    """How many batches: those of the dataset, which are counted, where it is not said."""
    if given is not None:
        return int(given)
    if isinstance(data, DatasetIterator):
        raise ValueError(f"with an iterator, `{name}` must be given")
    count = data.reduce(np.int64(0), lambda count, *_: count + 1)
    return int(get_session().run(count))


def _batches(data: Any, most: Optional[int] = None) -> Iterator[Any]:
    """The batches of a dataset, or the first so many of them, again and again; or an iterator's."""
    session = get_session()
    with session.graph.as_default():
        is_iterator = isinstance(data, DatasetIterator)
        iterator = data if is_iterator else data.make_initializable_iterator()
        element = iterator.get_next()
    while True:
        if not is_iterator:
            session.run(iterator.initializer)
        count = 0
        for _ in itertools.repeat(None) if most is None else range(most):
            try:
                batch = session.run(element)
            except OutOfRangeError:
                break
            count += 1
            yield _as_lists(batch)
        if count == 0 or is_iterator:
            raise ValueError("the data has no more batches: it may need `repeat`")


def _as_lists(batch: Any) -> Any:
    """Inputs and targets as Keras knows them: several are a list, or a dict."""
    if not isinstance(batch, tuple):
        return batch
    return tuple(list(part) if isinstance(part, tuple) else part for part in batch)


def _inputs(batch: Any) -> Any:
    return batch[0] if isinstance(batch, tuple) else batch


def _arrays(data: Any, steps: Optional[int]) -> Any:
    """The batches one after the other, as arrays of inputs and targets."""
    count = _steps(data, steps, "validation_steps")
    batches = list(itertools.islice(_batches(data), count))
    return tuple(_joined([batch[i] for batch in batches]) for i in range(len(batches[0])))


def _joined(parts: List[Any]) -> Any:
    if isinstance(parts[0], list):
        return [np.concatenate(each) for each in zip(*parts)]
    if isinstance(parts[0], dict):
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    return np.concatenate(parts)
