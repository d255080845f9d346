"""A case of the comparison of ops: what is computed, and of which operands."""

import dataclasses
from typing import Callable, Optional, Tuple

from program import microseconds
from samples import times_of
from workloads import Workload

from .operands import Operand, Variables, floats


@dataclasses.dataclass(frozen=True)
class Case:
    """An op, or its gradient with respect to the operand at `gradient_to`.

    `function` gets the package and the operands, and returns a tensor, some, or an operation.
    """

    function: Callable
    operands: Tuple[Operand, ...]
    gradient_to: Optional[int] = None

    def build(self, tf, variables):
        """The operations that a step runs.

        Those are identities that read the results, each without a copy: kernels of TensorFlow need
        not compute an output that nothing reads.
        """
        operands = [variables.new(operand) for operand in self.operands]
        result = self.function(tf, *operands)
        if self.gradient_to is not None:
            result = _gradient(tf, variables, result, operands[self.gradient_to])
        if isinstance(result, tf.Operation):
            return [result]
        results = result if isinstance(result, (list, tuple)) else [result]
        return [tf.identity(each).op for each in results]


def _gradient(tf, variables, result, operand):
    """That of the sum of the results, each weighted by a random number.

    Without weights all incoming gradients would be ones, which TensorFlow may know and leave out.
    """
    weights = variables.new(floats(*[int(size) for size in result.shape]))
    (gradient,) = tf.gradients(result, [operand], grad_ys=[weights])
    return getattr(gradient, "values", gradient)


def case(function, *operands):
    return Case(function, operands)


def gradient(function, *operands, to=0):
    """The gradient of the function's result with respect to the operand at `to`."""
    return Case(function, operands, to)


def to_workload(name, case):
    """Microseconds of a step that runs the operations and fetches nothing.

    What else runs on the machine can only add to a time, so the 10th percentile is compared, as it
    is of kernels.
    """

    def measure(side, seconds):
        tf = side.tf
        variables = Variables(tf)
        operations = case.build(tf, variables)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer(), variables.values)
            return microseconds(times_of(session.make_callable(operations), seconds))

    kind = "op" if case.gradient_to is None else f"gradient to operand {case.gradient_to}"
    what = f"{kind} of " + (", ".join(operand.what for operand in case.operands) or "no operands")
    return Workload(name, what, "us", measure, quantile=0.1)
