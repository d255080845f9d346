"""Options of datasets. They are kept and merged; one has an effect: whether the order is kept."""

from __future__ import annotations

from typing import Any, Callable, Dict, Tuple, TypeVar

from troupe._src.set_module import set_module

O = TypeVar("O", bound="OptionsBase")  # noqa: E741


class OptionsBase:
    """Properties, each None or a value of its type."""

    _types: Dict[str, Tuple[type, Callable[[], Any]]] = {}

    def __init__(self) -> None:
        object.__setattr__(self, "_options", {})

    def __getattr__(self, name: str) -> Any:
        """The value of an option; its default one is made when it is asked for."""
        if name not in self._types:
            raise AttributeError(f"{type(self).__name__} has no option {name!r}")
        return self._options.setdefault(name, self._types[name][1]())

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._types:
            raise AttributeError(f"Cannot set the property {name} on {type(self).__name__}.")
        kind = self._types[name][0]
        if value is not None and not isinstance(value, kind):
            raise TypeError(
                f'Property "{name}" must be of type {kind}, got: {value!r} (type: {type(value)!r})'
            )
        self._options[name] = value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self._types)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in sorted(self._options.items()))
        return f"{type(self).__name__}({shown})"

    def __dir__(self) -> Any:
        return [*super().__dir__(), *self._types]


def _none() -> None:
    return None


def _table(**kinds: type) -> Dict[str, Tuple[type, Callable[[], Any]]]:
    """Options of those types: others of their own by default, all else None."""
    return {
        name: (kind, kind if issubclass(kind, OptionsBase) else _none)
        for name, kind in kinds.items()
    }


@set_module("troupe.data.experimental")
class MapVectorizationOptions(OptionsBase):
    """`enabled` and `use_choose_fastest`; they have no effect."""

    _types = _table(enabled=bool, use_choose_fastest=bool)


@set_module("troupe.data.experimental")
class OptimizationOptions(OptionsBase):
    """Which pipelines are rewritten; as none are, they have no effect."""

    _types = _table(
        apply_default_optimizations=bool,
        autotune=bool,
        autotune_algorithm=int,
        autotune_buffers=bool,
        autotune_cpu_budget=int,
        filter_fusion=bool,
        filter_with_random_uniform_fusion=bool,
        hoist_random_uniform=bool,
        map_and_batch_fusion=bool,
        map_and_filter_fusion=bool,
        map_fusion=bool,
        map_parallelization=bool,
        map_vectorization=MapVectorizationOptions,
        noop_elimination=bool,
        parallel_batch=bool,
        prefetch_to_device=str,
        shuffle_and_repeat_fusion=bool,
    )


@set_module("troupe.data.experimental")
class ThreadingOptions(OptionsBase):
    """`max_intra_op_parallelism` and `private_threadpool_size`; they have no effect."""

    _types = _table(max_intra_op_parallelism=int, private_threadpool_size=int)


@set_module("troupe.data.experimental")
class DistributeOptions(OptionsBase):
    """`auto_shard` and `num_devices`; they have no effect."""

    _types = {"auto_shard": (bool, lambda: True), "num_devices": (int, _none)}


@set_module("troupe.data.experimental")
class StatsOptions(OptionsBase):
    """`aggregator`, `prefix`, `counter_prefix` and `latency_all_edges`; they have no effect."""

    _types = {
        "aggregator": (object, _none),
        "counter_prefix": (str, str),
        "latency_all_edges": (bool, _none),
        "prefix": (str, str),
    }


@set_module("troupe.data")
class Options(OptionsBase):
    """What `Dataset.with_options` takes.

    Where `experimental_deterministic` is False, elements that are computed beside each other come
    as soon as each is there. All else has no effect.
    """

    _types = _table(
        experimental_deterministic=bool,
        experimental_distribute=DistributeOptions,
        experimental_optimization=OptimizationOptions,
        experimental_slack=bool,
        experimental_stateful_whitelist=list,
        experimental_stats=StatsOptions,
        experimental_threading=ThreadingOptions,
    )

    def merge(self, options: Options) -> Options:
        """These options with others.

        Args:
            options: The others.

        Returns:
            New options.

        Raises:
            TypeError: The others are no Options.
            ValueError: Both have another value for an option than its default one.
        """
        return merge_options(self, options)


def merge_options(one: O, other: Any) -> O:
    """New options with the values of both.

    Raises:
        TypeError: They are of two classes.
        ValueError: Both have another value for an option than its default one.
    """
    if type(one) is not type(other):
        raise TypeError(f"Incompatible options type: {type(one)!r} vs {type(other)!r}")
    default, merged = type(one)(), type(one)()
    for name in one._types:
        mine, theirs, usual = (getattr(each, name) for each in (one, other, default))
        if theirs == usual or theirs == mine:
            setattr(merged, name, mine)
        elif mine == usual:
            setattr(merged, name, theirs)
        elif isinstance(mine, OptionsBase):
            setattr(merged, name, merge_options(mine, theirs))
        else:
            raise ValueError(
                f"Cannot merge incompatible values ({mine!r} and {theirs!r}) of option: {name}"
            )
    return merged
