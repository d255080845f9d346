"""Functions that reuse the variables of their first call."""

from __future__ import annotations

import functools
from typing import Any, Callable, List, Optional

from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.platform.logging import info
from troupe._src.variables.variable_store import VariableScope, variable_scope


class Template:
    """A function whose calls share a variable scope: the first one makes its variables.

    `tf.make_template` makes it.
    """

    def __init__(
        self,
        name: str,
        func: Callable[..., Any],
        unique_name: Optional[str],
        custom_getter: Any,
    ) -> None:
        functools.update_wrapper(self, func, updated=())
        self._name, self._func = name, func
        self._unique_name, self._custom_getter = unique_name, custom_getter
        self._scope: Optional[VariableScope] = None
        self._has_variables = False  # since a call has ended well

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._scope is None:
            with self._new_scope() as self._scope:
                return self._call(args, kwargs)
        with variable_scope(self._scope, reuse=self._has_variables):
            return self._call(args, kwargs)

    def __repr__(self) -> str:
        scope = "no scope yet" if self._scope is None else f"scope {self._scope.name!r}"
        return f"<tf.make_template name={self._name!r} {scope}, {len(self.variables)} variables>"

    def _new_scope(self, has_nodes: bool = True) -> Any:
        return variable_scope(
            self._unique_name, self._name,
            custom_getter=self._custom_getter, auxiliary_name_scope=has_nodes,
        )  # fmt: skip

    def _make_scope(self) -> None:
        with self._new_scope(has_nodes=False) as self._scope:
            pass

    def _call(self, args: Any, kwargs: Any) -> Any:
        keys = (GraphKeys.TRAINABLE_VARIABLES, GraphKeys.GLOBAL_VARIABLES)
        before = [len(get_default_graph().get_collection(key)) for key in keys]
        result = self._func(*args, **kwargs)
        trainable, others = (
            get_default_graph().get_collection(key)[count:] for key, count in zip(keys, before)
        )
        if self._has_variables and trainable:
            raise ValueError(
                f"the template '{self._name}' has made variables in a call that was not its first: "
                f"{trainable}; is tf.Variable called where tf.get_variable is meant?"
            )
        if self._has_variables and others:
            info("the template '%s' has made variables in a later call: %s", self._name, others)
        self._has_variables = True
        return result

    def _variables_of(self, key: str) -> List[Any]:
        prefix = self.variable_scope_name
        if not self._has_variables:
            return []
        return get_default_graph().get_collection(key, prefix)

    @property
    def name(self) -> str:
        """The name that it was given."""
        return self._name

    @property
    def func(self) -> Callable[..., Any]:
        """The function that it was given."""
        return self._func

    @property
    def variable_scope(self) -> Optional[VariableScope]:
        """The scope of its variables; None before it is made."""
        return self._scope

    @property
    def var_scope(self) -> Optional[VariableScope]:
        """The former name of `variable_scope`."""
        return self._scope

    @property
    def variable_scope_name(self) -> Optional[str]:
        """The prefix of the names of its variables, with "/"; None before the scope is made."""
        if self._scope is None:
            return None
        name: str = self._scope.name
        return name if not name or name.endswith("/") else f"{name}/"

    @property
    def variables(self) -> List[Any]:
        """Its global and its local variables."""
        return self.global_variables + self.local_variables

    @property
    def trainable_variables(self) -> List[Any]:
        """Its variables that optimizers train."""
        return self._variables_of(GraphKeys.TRAINABLE_VARIABLES)

    @property
    def non_trainable_variables(self) -> List[Any]:
        """Its global variables that optimizers do not train."""
        trainable = {id(each) for each in self.trainable_variables}
        return [each for each in self.global_variables if id(each) not in trainable]

    @property
    def global_variables(self) -> List[Any]:
        """Its variables in the collection GLOBAL_VARIABLES."""
        return self._variables_of(GraphKeys.GLOBAL_VARIABLES)

    @property
    def local_variables(self) -> List[Any]:
        """Its variables in the collection LOCAL_VARIABLES."""
        return self._variables_of(GraphKeys.LOCAL_VARIABLES)

    weights = variables
    trainable_weights = trainable_variables
    non_trainable_weights = non_trainable_variables


def make_template(
    name_: str,
    func_: Callable[..., Any],
    create_scope_now_: bool = False,
    unique_name_: Optional[str] = None,
    custom_getter_: Any = None,
    **kwargs: Any,
) -> Callable[..., Any]:
    """Wraps a function in a variable scope that all its calls share.

    Args:
        name_: The name of the scope, made unique.
        func_: The function.
        create_scope_now_: Whether the scope is made now, or at the first call.
        unique_name_: The name of the scope as it is.
        custom_getter_: The custom getter of the scope.
        **kwargs: Arguments of all calls.

    Returns:
        The function; its variables are made in the first call, and reused in others. It has them as
        `variables`, `trainable_variables` and so on, and the scope as `variable_scope`.

    Raises:
        ValueError: The name is None. A call raises it, too: the first for variables that are there
            already, another for new variables that optimizers train.
    """
    if name_ is None:
        raise ValueError("a template needs a name, not None")
    function = functools.partial(func_, **kwargs) if kwargs else func_
    template = Template(name_, function, unique_name_, custom_getter_)
    if create_scope_now_:
        template._make_scope()
    return template
