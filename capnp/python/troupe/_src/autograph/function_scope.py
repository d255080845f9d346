"""The scope of a converted function."""

from __future__ import annotations

import contextlib
from typing import Any, Type

from troupe._src.graph.scopes import name_scope


def function_scope_of(ag_ctx: Any, converter: Any, operators: Any) -> Type[Any]:
    """The class of scopes, by modules of the package which converts."""

    class FunctionScope(contextlib.ExitStack):
        """What a converted function runs in.

        Args:
            function_name: That of the function.
            scope_name: What the converted code calls the scope.
            options: Those of the conversion.
        """

        def __init__(self, function_name: str, scope_name: str, options: Any) -> None:
            super().__init__()
            self.name = scope_name
            self.options = options
            self.callopts = options.call_options()
            self._function_name = function_name

        def __enter__(self) -> Any:
            if self.options.user_requested:
                status = ag_ctx.Status.ENABLED
                self.enter_context(ag_ctx.ControlStatusCtx(status, self.options))
            if self.options.uses(converter.Feature.NAME_SCOPES):
                self.enter_context(name_scope(self._function_name.lstrip("_")))
            return super().__enter__()

        def ret(self, value: Any, did_return: Any) -> Any:
            """What the function returns; None if it has not said what."""
            return None if isinstance(value, operators.UndefinedReturnValue) else value

    return FunctionScope
