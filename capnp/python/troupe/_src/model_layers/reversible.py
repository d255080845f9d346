"""Blocks of layers whose inputs are computed of their outputs, so that steps need not keep them."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.layers.base import Layer
from troupe._src.ops import arithmetic_ops, array_ops, creation_ops, gen_ops, grouping_ops
from troupe._src.set_module import set_module
from troupe._src.train.custom_gradient import custom_gradient, variables_read_since
from troupe._src.train.gradients import gradients
from troupe._src.variables.variable_store import get_variable_scope, variable_scope

Function = Callable[..., Any]
Pair = Tuple[Tensor, Tensor]


class _Part:
    """One of the functions of a layer, with its scope and what it is given besides."""

    def __init__(self, function: Function, scope: str) -> None:
        self._function, self._scope = function, scope
        self.variables: List[Any] = []

    def __call__(self, x: Tensor, side: Sequence[Tensor]) -> Tensor:
        """The result, which notes the variables that are read for it."""
        graph = get_default_graph()
        first = graph.version
        with variable_scope(self._scope, use_resource=True):
            result: Tensor = self._function(x, list(side)) if side else self._function(x)
        self.variables = list(variables_read_since(graph, first))
        return result


@set_module("troupe.contrib.layers")
class RevBlock(Layer):
    """Layers y1 = x1 + f(x2), y2 = x2 + g(y1), one after another.

    Gradients compute the inputs of each layer again, of its outputs. `f` and `g` use no tensors of
    the functions around them: what they need is in their side inputs.

    Args:
        f: A function of a tensor, and of the list of its side inputs where there are any, whose
            result has the shape of the tensor; or a list of one for each layer.
        g: Likewise.
        num_layers: How many layers there are, each with variables of its own.
        f_side_input: Tensors that `f` is given, too.
        g_side_input: Tensors that `g` is given, too.
        use_efficient_backprop: False for gradients that use what the step has kept.
        name: The name of the layer.
        **kwargs: Arguments of `Layer`.

    Raises:
        ValueError: A list has another length than there are layers.
    """

    def __init__(
        self,
        f: Union[Function, List[Function]],
        g: Union[Function, List[Function]],
        num_layers: int = 1,
        f_side_input: Optional[Sequence[Tensor]] = None,
        g_side_input: Optional[Sequence[Tensor]] = None,
        use_efficient_backprop: bool = True,
        name: str = "revblock",
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        self.num_layers = num_layers
        self.f, self.g = (
            self._parts(functions, letter) for functions, letter in ((f, "f"), (g, "g"))
        )
        self.f_side_input = list(f_side_input or [])
        self.g_side_input = list(g_side_input or [])
        self._is_efficient = use_efficient_backprop

    def _parts(self, functions: Any, letter: str) -> List[_Part]:
        each = functions if isinstance(functions, list) else [functions] * self.num_layers
        if len(each) != self.num_layers:
            raise ValueError(f"{letter} has {len(each)} functions for {self.num_layers} layers")
        return [_Part(one, f"revlayer_{i}/{letter}") for i, one in enumerate(each)]

    def forward(self, x1: Tensor, x2: Tensor) -> Pair:
        """The outputs.

        Args:
            x1: The first input.
            x2: The second input.

        Returns:
            Both outputs.
        """
        outputs: Pair = self.apply([x1, x2])
        return outputs

    def backward(self, y1: Tensor, y2: Tensor) -> Pair:
        """The inputs.

        Args:
            y1: The first output.
            y2: The second output.

        Returns:
            Both inputs.
        """
        inputs: Pair = self.apply([y1, y2], forward=False)
        return inputs

    def call(self, inputs: Any, *args: Any, forward: bool = True, **kwargs: Any) -> Any:
        """The outputs of the inputs, or the inputs of the outputs.

        Args:
            inputs: A pair of tensors.
            forward: Whether they are the inputs.

        Returns:
            A pair of tensors.
        """
        scope = get_variable_scope()
        before = len(scope.global_variables())
        if not forward:
            found = self._inputs_of(*inputs)
        elif self._is_efficient:
            found = self._with_gradients(*inputs)
        else:
            x1, x2 = inputs
            found = self._outputs_of(x1, x2, self.f_side_input, self.g_side_input)
        for variable in scope.global_variables()[before:]:
            self._keep(variable)
        return found

    def _outputs_of(
        self, x1: Tensor, x2: Tensor, f_side: Sequence[Tensor], g_side: Sequence[Tensor]
    ) -> Pair:
        for f, g in zip(self.f, self.g):
            x1 = x1 + f(x2, f_side)
            x2 = x2 + g(x1, g_side)
            if self._is_efficient:
                x1, x2 = grouping_ops.tuple_of([x1, x2])
        return x1, x2

    def _inputs_of(self, y1: Tensor, y2: Tensor) -> Pair:
        for f, g in zip(reversed(self.f), reversed(self.g)):
            y2 = y2 - g(y1, self.g_side_input)
            y1 = y1 - f(y2, self.f_side_input)
        return y1, y2

    def _with_gradients(self, x1: Tensor, x2: Tensor) -> Pair:
        count = len(self.f_side_input)

        def computed(x1: Tensor, x2: Tensor, *side: Tensor) -> Any:
            f_side, g_side = side[:count], side[count:]
            outputs = self._outputs_of(x1, x2, f_side, g_side)
            layers = [(f.variables, g.variables) for f, g in zip(self.f, self.g)]

            def grad(*given: Any, variables: Any = None) -> Any:
                found = self._gradients(outputs, given, layers, f_side, g_side)
                of_inputs = found.inputs + [found.of.get(each) for each in side]
                if variables is None:
                    return of_inputs
                return of_inputs, [found.of.get(each) for each in variables]

            return outputs, grad

        outputs: Pair = custom_gradient(computed)(x1, x2, *self.f_side_input, *self.g_side_input)
        return outputs

    def _gradients(
        self, outputs: Pair, given: Sequence[Any], layers: Any, f_side: Sequence[Tensor],
        g_side: Sequence[Tensor],
    ) -> _Found:  # fmt: skip
        """The gradients of the inputs, and of all variables and side inputs."""
        y1, y2 = outputs
        parts: Dict[Any, List[Tensor]] = {}
        # Begins only where the gradients are there: before, it would keep what it computes.
        with get_default_graph().control_dependencies(given):
            y1, y2 = array_ops.identity(y1), array_ops.identity(y2)
        grad1, grad2 = given
        with variable_scope(self._scope, reuse=True, auxiliary_name_scope=False):
            for f, g, known in reversed(list(zip(self.f, self.g, layers))):
                at = gen_ops.stop_gradient(y1)
                change, more = _changes(g, at, g_side, known[1], grad2, parts)
                y2, grad1 = y2 - change, grad1 + more
                at = gen_ops.stop_gradient(y2)
                change, more = _changes(f, at, f_side, known[0], grad1, parts)
                y1, grad2 = y1 - change, grad2 + more
                # The next layer begins where this one has all its gradients.
                y1, y2, grad1, grad2 = grouping_ops.tuple_of(
                    [y1, y2, grad1, grad2],
                    control_inputs=[each[-1] for each in parts.values()],
                )
        sums = {key: arithmetic_ops.add_n(each) for key, each in parts.items()}
        return _Found([grad1, grad2], sums)


class _Found:
    """Gradients of inputs, and of what else the functions use."""

    def __init__(self, inputs: List[Tensor], of: Dict[Any, Tensor]) -> None:
        self.inputs, self.of = inputs, of


def _changes(
    part: _Part, x: Tensor, side: Sequence[Tensor], known: List[Any], given: Tensor,
    parts: Dict[Any, List[Tensor]],
) -> Tuple[Tensor, Any]:  # fmt: skip
    """What the function adds, and the gradient with respect to `x`; puts others into `parts`."""
    own_side = [gen_ops.stop_gradient(each) for each in side]
    result = part(x, own_side)
    if set(part.variables) != set(known):
        raise ValueError(
            "A function of a reversible block reads other variables than at first: these were "
            f"{[variable.name for variable in known]}."
        )
    of_x, *rest = gradients(result, [x, *known, *own_side], given)
    for key, found in zip([*known, *side], rest):
        if found is not None:
            parts.setdefault(key, []).append(found)
    return result, creation_ops.zeros_like(x) if of_x is None else of_x


def rev_block(
    x1: Tensor, x2: Tensor, f: Union[Function, List[Function]],
    g: Union[Function, List[Function]], num_layers: int = 1,
    f_side_input: Optional[Sequence[Tensor]] = None,
    g_side_input: Optional[Sequence[Tensor]] = None, is_training: bool = True,
) -> Pair:  # fmt: skip
    """The outputs of a `RevBlock`, which is made for it.

    Args:
        x1: The first input, floating point numbers.
        x2: The second input.
        f: A function of a tensor, and of the list of its side inputs where there are any, whose
            result has the shape of the tensor; or a list of one for each layer.
        g: Likewise.
        num_layers: How many layers there are, each with variables of its own.
        f_side_input: Tensors that `f` is given, too.
        g_side_input: Tensors that `g` is given, too.
        is_training: Whether gradients compute the inputs of layers again.

    Returns:
        Both outputs.

    Raises:
        ValueError: A list has another length than there are layers.
    """
    block = RevBlock(
        f, g, num_layers, f_side_input, g_side_input, use_efficient_backprop=is_training,
        _reuse=get_variable_scope().reuse,
    )  # fmt: skip
    return block.forward(x1, x2)
