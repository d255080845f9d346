"""The options of trees, and what takes them as TensorFlow's arguments."""

from __future__ import annotations

import functools
import inspect
import re
from typing import Any, Callable, List, NamedTuple, TypeVar, cast

PRUNING_MODES = {"none": 0, "pre": 1, "post": 2}

# So many of the options are arguments before `config`; the others are behind it.
_BEFORE_CONFIG = 7

_Takes = TypeVar("_Takes", bound=Callable[..., Any])


class TreeOptions(NamedTuple):
    """What trees are like.

    Args:
        n_trees: How many trees there are.
        max_depth: How many layers a tree has.
        learning_rate: How much of its weights a tree adds.
        l1_regularization: The cost of the absolute weights of leaves.
        l2_regularization: The cost of their squares.
        tree_complexity: What a split must gain besides, where trees are pruned.
        min_node_weight: The least sum of hessians of a node that is split.
        center_bias: Whether the first tree begins with what all examples have in common.
        pruning_mode: "none", "pre" or "post": whether splits with too little gain are left out at
            once, or once their tree is complete.
        quantile_sketch_epsilon: The error of the quantiles of numeric columns, which have 1 / it
            buckets.
    """

    n_trees: int = 100
    max_depth: int = 6
    learning_rate: float = 0.1
    l1_regularization: float = 0.0
    l2_regularization: float = 0.0
    tree_complexity: float = 0.0
    min_node_weight: float = 0.0
    center_bias: bool = False
    pruning_mode: str = "none"
    quantile_sketch_epsilon: float = 0.01

    @property
    def max_splits(self) -> int:
        """The number of nodes of a tree that can be split."""
        return (1 << self.max_depth) - 1

    def checked_pruning(self) -> int:
        """The number of the mode of pruning.

        Raises:
            ValueError: There is no such mode, or it does not go with the complexity.
        """
        if self.pruning_mode not in PRUNING_MODES:
            known = ", ".join(sorted(PRUNING_MODES))
            raise ValueError(f"pruning_mode mode must be one of: {known}")
        mode = PRUNING_MODES[self.pruning_mode]
        if self.tree_complexity > 0 and mode == 0:
            raise ValueError("Tree complexity have no effect unless pruning mode is chosen.")
        if self.tree_complexity <= 0 and mode != 0:
            raise ValueError("For pruning, tree_complexity must be positive.")
        return mode


def takes_tree_options(taker: _Takes) -> _Takes:
    """Lets a function, or a class, take each option of trees as an argument of its own.

    Their places are those of TensorFlow's estimators. The docstring, in which `**trees` stands for
    them, gets their lines.

    Args:
        taker: The function, or the class whose `__init__` it is, with `config` and `**trees`.

    Returns:
        The function, or the class.
    """
    if inspect.isclass(taker):
        init: Any = taker.__init__
        setattr(taker, "__init__", _taking(init))  # noqa: B010
        taker.__doc__ = _with_options(taker.__doc__)
        return taker
    return _taking(taker)


def _taking(function: _Takes) -> _Takes:
    signature = _signature_of(function)

    @functools.wraps(function)
    def taking(*args: Any, **kwargs: Any) -> Any:
        return function(**signature.bind(*args, **kwargs).arguments)

    taking.__signature__ = signature  # type: ignore[attr-defined]
    taking.__doc__ = _with_options(function.__doc__)
    return cast(_Takes, taking)


def _signature_of(function: Callable[..., Any]) -> inspect.Signature:
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    given = inspect.signature(function).parameters.values()
    own = [each for each in given if each.kind == kind]
    names = [each.name for each in own]
    first = names.index("config")
    last = names.index("train_hooks" if "train_hooks" in names else "config") + 1
    options: List[inspect.Parameter] = [
        inspect.Parameter(name, kind, default=default)
        for name, default in TreeOptions._field_defaults.items()
    ]
    return inspect.Signature([
        *own[:first], *options[:_BEFORE_CONFIG], *own[first:last], *options[_BEFORE_CONFIG:],
        *own[last:],
    ])  # fmt: skip


def _with_options(text: Any) -> Any:
    """The docstring with the lines of the options in place of that of all of them."""
    said = re.search(r"    Args:\n(.*)\n    ", TreeOptions.__doc__ or "", re.DOTALL)
    lines = said.group(1) if said else ""
    return text and re.sub(r" +\*\*trees: .*", lambda _: lines, text)
