"""Functions that reuse the variables of their first call."""

from __future__ import annotations

import functools
from typing import Any, Callable, List, Optional

from troupe._src.variables.variable_scope import variable_scope
from troupe._src.variables.variable_store import AUTO_REUSE, VariableScope


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
        The function; its variables are made in the first call, and reused in others.
    """
    scopes: List[VariableScope] = []

    def scope() -> VariableScope:
        if not scopes:
            with variable_scope(unique_name_, name_, custom_getter=custom_getter_) as made:
                scopes.append(made)
        return scopes[0]

    if create_scope_now_:
        scope()

    @functools.wraps(func_)
    def call(*args: Any, **more: Any) -> Any:
        with variable_scope(scope(), reuse=AUTO_REUSE):
            return func_(*args, **kwargs, **more)

    return call
