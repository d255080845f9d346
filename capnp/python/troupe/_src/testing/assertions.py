"""Assertions on arrays, on tensors in the default session, and on errors."""

from __future__ import annotations

import contextlib
import unittest
from typing import Any, Iterator

import numpy as np

from troupe._src.graph.operand import Operand
from troupe._src.types import errors


class Assertions(unittest.TestCase):
    """Assertions that evaluate tensors in the default session."""

    def evaluate(self, tensors: Any) -> Any:
        raise NotImplementedError

    def _value(self, value: Any) -> Any:
        return self.evaluate(value) if isinstance(value, Operand) else value

    def _array(self, value: Any) -> np.ndarray[Any, Any]:
        if isinstance(value, (list, tuple)):
            value = [self._value(item) for item in value]
        return np.asarray(self._value(value))

    # Equal and close.

    def assertAllEqual(self, a: Any, b: Any, msg: Any = None) -> None:
        """All elements are equal."""
        np.testing.assert_array_equal(self._array(a), self._array(b), err_msg=msg or "")

    def assertNotAllEqual(self, a: Any, b: Any, msg: Any = None) -> None:
        """Some element is not equal."""
        with self.assertRaises(AssertionError, msg=msg or "The arrays are equal"):
            self.assertAllEqual(a, b)

    def assertAllClose(
        self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: Any = None
    ) -> None:
        """All elements are close, also in nested lists and dicts."""
        if isinstance(a, dict):
            self.assertEqual(set(a), set(b), msg)
            for key in a:
                self.assertAllClose(a[key], b[key], rtol, atol, msg)
            return
        if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
            self.assertEqual(len(a), len(b), msg)
            for one, other in zip(a, b):
                self.assertAllClose(one, other, rtol, atol, msg)
            return
        np.testing.assert_allclose(self._array(a), self._array(b), rtol, atol, err_msg=msg or "")

    def assertNotAllClose(self, a: Any, b: Any, **tolerance: Any) -> None:
        """Some element is not close."""
        with self.assertRaises(AssertionError, msg="The two values are close at all elements"):
            self.assertAllClose(a, b, **tolerance)

    def assertAllCloseAccordingToType(
        self,
        a: Any,
        b: Any,
        rtol: float = 1e-6,
        atol: float = 1e-6,
        float_rtol: float = 1e-6,
        float_atol: float = 1e-6,
        half_rtol: float = 1e-3,
        half_atol: float = 1e-3,
        msg: Any = None,
    ) -> None:
        """Close, with tolerances for the narrower of the dtypes."""
        kinds = {self._array(a).dtype, self._array(b).dtype}
        if np.dtype(np.float32) in kinds:
            rtol, atol = max(rtol, float_rtol), max(atol, float_atol)
        if np.dtype(np.float16) in kinds:
            rtol, atol = max(rtol, half_rtol), max(atol, half_atol)
        self.assertAllClose(a, b, rtol, atol, msg)

    def assertNear(self, f1: float, f2: float, err: float, msg: Any = None) -> None:
        self.assertLessEqual(abs(f1 - f2), err, msg)

    def assertArrayNear(self, farray1: Any, farray2: Any, err: float, msg: Any = None) -> None:
        self.assertEqual(len(farray1), len(farray2), msg)
        for f1, f2 in zip(farray1, farray2):
            self.assertNear(float(f1), float(f2), err, msg)

    # Ranges.

    def assertAllGreater(self, a: Any, comparison_target: Any) -> None:
        self.assertGreater(self._array(a).min(), comparison_target)

    def assertAllGreaterEqual(self, a: Any, comparison_target: Any) -> None:
        self.assertGreaterEqual(self._array(a).min(), comparison_target)

    def assertAllLess(self, a: Any, comparison_target: Any) -> None:
        self.assertLess(self._array(a).max(), comparison_target)

    def assertAllLessEqual(self, a: Any, comparison_target: Any) -> None:
        self.assertLessEqual(self._array(a).max(), comparison_target)

    def assertAllInRange(self, target: Any, lower_bound: Any, upper_bound: Any) -> None:
        self.assertAllGreaterEqual(target, lower_bound)
        self.assertAllLessEqual(target, upper_bound)

    def assertAllInSet(self, target: Any, expected_set: Any) -> None:
        self.assertLessEqual(set(self._array(target).ravel().tolist()), set(expected_set))

    def assertBetween(self, value: Any, minv: Any, maxv: Any, msg: Any = None) -> None:
        self.assertTrue(minv <= value <= maxv, msg or f"{value!r} is not in [{minv}, {maxv}]")

    # Shapes, dtypes, texts and lists.

    def assertShapeEqual(self, np_array: Any, tf_tensor: Any, msg: Any = None) -> None:
        self.assertEqual(list(np_array.shape), tf_tensor.get_shape().as_list(), msg)

    def assertDTypeEqual(self, target: Any, expected_dtype: Any) -> None:
        self.assertEqual(self._array(target).dtype, np.dtype(expected_dtype))

    def assertStartsWith(self, actual: str, expected_start: str, msg: Any = None) -> None:
        self.assertTrue(actual.startswith(expected_start), msg or f"{actual!r}")

    def assertEndsWith(self, actual: str, expected_end: str, msg: Any = None) -> None:
        self.assertTrue(actual.endswith(expected_end), msg or f"{actual!r}")

    def assertItemsEqual(self, first: Any, second: Any, msg: Any = None) -> None:
        self.assertCountEqual(first, second, msg)

    def assertEmpty(self, container: Any, msg: Any = None) -> None:
        self.assertEqual(len(container), 0, msg)

    def assertNotEmpty(self, container: Any, msg: Any = None) -> None:
        self.assertNotEqual(len(container), 0, msg)

    def assertLen(self, container: Any, expected_len: int, msg: Any = None) -> None:
        self.assertEqual(len(container), expected_len, msg)

    def assertDeviceEqual(self, device1: Any, device2: Any, msg: Any = None) -> None:
        self.assertEqual(str(device1), str(device2), msg)

    # Errors.

    def assertRaisesOpError(self, expected_err_re_or_predicate: Any) -> Any:
        return self.assertRaisesWithPredicateMatch(errors.OpError, expected_err_re_or_predicate)

    @contextlib.contextmanager
    def assertRaisesWithPredicateMatch(
        self, exception_type: Any, expected_err_re_or_predicate: Any
    ) -> Iterator[None]:
        """Raises an error of that class that satisfies a predicate or matches a pattern."""
        wanted = expected_err_re_or_predicate
        with self.assertRaises(exception_type) as caught:
            yield
        if callable(wanted):
            self.assertTrue(wanted(caught.exception), str(caught.exception))
        else:
            self.assertRegex(str(caught.exception), wanted)
