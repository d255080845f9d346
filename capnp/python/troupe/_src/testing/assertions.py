"""Assertions on arrays, on tensors in the default session, and on errors."""

from __future__ import annotations

import contextlib
from typing import Any, Iterator

import numpy as np

from troupe._src.graph.device_spec import canonical_name
from troupe._src.graph.operand import Operand
from troupe._src.messages.text_parser import parse_text
from troupe._src.testing.collection_assertions import CollectionAssertions
from troupe._src.types import errors


class Assertions(CollectionAssertions):
    """Assertions that evaluate tensors in the default session."""

    def evaluate(self, tensors: Any) -> Any:
        """The values of tensors.

        Args:
            tensors: What `tf.Session.run` fetches.

        Returns:
            What `tf.Session.run` gives.
        """
        raise NotImplementedError

    def _value(self, value: Any) -> Any:
        return self.evaluate(value) if isinstance(value, Operand) else value

    def _array(self, value: Any) -> np.ndarray[Any, Any]:
        if isinstance(value, (list, tuple)):
            value = [self._value(item) for item in value]
        return np.asarray(self._value(value))

    # Equal and close.

    def assertAllEqual(self, a: Any, b: Any, msg: Any = None) -> None:
        """All elements are equal.

        Args:
            a: A tensor, or what an array is made of.
            b: The same.
            msg: What the failure says, too.
        """
        a, b = self._value(a), self._value(b)
        if _is_ragged(a) or _is_ragged(b):
            self.assertEqual(_as_lists(a), _as_lists(b), msg)
            return
        np.testing.assert_array_equal(self._array(a), self._array(b), err_msg=msg or "")

    def assertNotAllEqual(self, a: Any, b: Any, msg: Any = None) -> None:
        """Some element is not equal.

        Args:
            a: A tensor, or what an array is made of.
            b: The same.
            msg: What the failure says, too.
        """
        with self.assertRaises(AssertionError, msg=msg or "The arrays are equal"):
            self.assertAllEqual(a, b)

    def assertNDArrayNear(self, ndarray1: Any, ndarray2: Any, err: float, msg: Any = None) -> None:
        """The norm of the difference is less than that of the error.

        Args:
            ndarray1: An array.
            ndarray2: Another one.
            err: The norm.
            msg: What the failure says, too.
        """
        distance = np.linalg.norm(self._array(ndarray1) - self._array(ndarray2))
        self.assertLess(distance, err, msg)

    def assertProtoEquals(
        self, expected_message_maybe_ascii: Any, message: Any, msg: Any = None
    ) -> None:
        """Messages are equal.

        Args:
            expected_message_maybe_ascii: A message, or the text form of one.
            message: The other message.
            msg: What the failure says, too.
        """
        expected = expected_message_maybe_ascii
        if isinstance(expected, str):
            expected = parse_text(expected, type(message)())
        self.assertIs(type(expected), type(message), msg)
        self.assertEqual(expected, message, msg)

    def assertAllClose(
        self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: Any = None
    ) -> None:
        """All elements are close, also in nested lists and dicts.

        Args:
            a: A tensor, or what an array is made of.
            b: The same.
            rtol: The relative tolerance, of `b`.
            atol: The absolute tolerance.
            msg: What the failure says, too.
        """
        if isinstance(a, dict):
            self.assertEqual(set(a), set(b), msg)
            for key in a:
                self.assertAllClose(a[key], b[key], rtol, atol, msg)
            return
        a, b = self._value(a), self._value(b)
        if _is_ragged(a) or _is_ragged(b):
            a, b = _as_lists(a), _as_lists(b)
        if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
            self.assertEqual(len(a), len(b), msg)
            for one, other in zip(a, b):
                self.assertAllClose(one, other, rtol, atol, msg)
            return
        np.testing.assert_allclose(self._array(a), self._array(b), rtol, atol, err_msg=msg or "")

    def assertNotAllClose(self, a: Any, b: Any, **tolerance: Any) -> None:
        """Some element is not close.

        Args:
            a: A tensor, or what an array is made of.
            b: The same.
            **tolerance: `rtol` and `atol`, as of `assertAllClose`.
        """
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
        """Close, with tolerances for the narrower of the dtypes.

        Args:
            a: A tensor, or what an array is made of.
            b: The same.
            rtol: The relative tolerance, of `b`.
            atol: The absolute tolerance.
            float_rtol: The least `rtol` for float32.
            float_atol: The least `atol` for float32.
            half_rtol: The least `rtol` for float16.
            half_atol: The least `atol` for float16.
            msg: What the failure says, too.
        """
        kinds = {self._array(a).dtype, self._array(b).dtype}
        if np.dtype(np.float32) in kinds:
            rtol, atol = max(rtol, float_rtol), max(atol, float_atol)
        if np.dtype(np.float16) in kinds:
            rtol, atol = max(rtol, half_rtol), max(atol, half_atol)
        self.assertAllClose(a, b, rtol, atol, msg)

    def assertNear(self, f1: float, f2: float, err: float, msg: Any = None) -> None:
        """Two numbers differ by `err` at most.

        Args:
            f1: A number.
            f2: A number.
            err: The greatest difference.
            msg: What the failure says, too.
        """
        self.assertLessEqual(abs(f1 - f2), err, msg)

    def assertArrayNear(self, farray1: Any, farray2: Any, err: float, msg: Any = None) -> None:
        """Lists of numbers have one length, and differ by `err` at most.

        Args:
            farray1: Numbers.
            farray2: Numbers.
            err: The greatest difference.
            msg: What the failure says, too.
        """
        self.assertEqual(len(farray1), len(farray2), msg)
        for f1, f2 in zip(farray1, farray2):
            self.assertNear(float(f1), float(f2), err, msg)

    def _GetNdArray(self, a: Any) -> np.ndarray[Any, Any]:  # noqa: N802
        """The array of a tensor, which classes of programs call by TensorFlow's name for it."""
        return self._array(a)

    # Ranges.

    def assertAllGreater(self, a: Any, comparison_target: Any) -> None:
        """All elements are greater.

        Args:
            a: A tensor, or what an array is made of.
            comparison_target: A number.
        """
        self.assertGreater(self._array(a).min(), comparison_target)

    def assertAllGreaterEqual(self, a: Any, comparison_target: Any) -> None:
        """All elements are greater or equal.

        Args:
            a: A tensor, or what an array is made of.
            comparison_target: A number.
        """
        self.assertGreaterEqual(self._array(a).min(), comparison_target)

    def assertAllLess(self, a: Any, comparison_target: Any) -> None:
        """All elements are less.

        Args:
            a: A tensor, or what an array is made of.
            comparison_target: A number.
        """
        self.assertLess(self._array(a).max(), comparison_target)

    def assertAllLessEqual(self, a: Any, comparison_target: Any) -> None:
        """All elements are less or equal.

        Args:
            a: A tensor, or what an array is made of.
            comparison_target: A number.
        """
        self.assertLessEqual(self._array(a).max(), comparison_target)

    def assertAllInRange(self, target: Any, lower_bound: Any, upper_bound: Any) -> None:
        """All elements are in a range.

        Args:
            target: A tensor, or what an array is made of.
            lower_bound: The least number.
            upper_bound: The greatest number.
        """
        self.assertAllGreaterEqual(target, lower_bound)
        self.assertAllLessEqual(target, upper_bound)

    def assertAllInSet(self, target: Any, expected_set: Any) -> None:
        """All elements are in a set.

        Args:
            target: A tensor, or what an array is made of.
            expected_set: The values.
        """
        self.assertLessEqual(set(self._array(target).ravel().tolist()), set(expected_set))

    def assertBetween(self, value: Any, minv: Any, maxv: Any, msg: Any = None) -> None:
        """A value is in a range.

        Args:
            value: The value.
            minv: The least one.
            maxv: The greatest one.
            msg: What the failure says, too.
        """
        self.assertTrue(minv <= value <= maxv, msg or f"{value!r} is not in [{minv}, {maxv}]")

    # Shapes, dtypes, texts and lists.

    def assertShapeEqual(self, np_array: Any, tf_tensor: Any, msg: Any = None) -> None:
        """An array has the static shape of a tensor.

        Args:
            np_array: The array.
            tf_tensor: The tensor.
            msg: What the failure says, too.
        """
        self.assertEqual(list(np_array.shape), tf_tensor.get_shape().as_list(), msg)

    def assertDTypeEqual(self, target: Any, expected_dtype: Any) -> None:
        """The value has a dtype.

        Args:
            target: A tensor, or what an array is made of.
            expected_dtype: The NumPy dtype.
        """
        self.assertEqual(self._array(target).dtype, np.dtype(expected_dtype))

    def assertStartsWith(self, actual: str, expected_start: str, msg: Any = None) -> None:
        """A text begins with another.

        Args:
            actual: The text.
            expected_start: Its begin.
            msg: What the failure says, too.
        """
        self.assertTrue(actual.startswith(expected_start), msg or f"{actual!r}")

    def assertEndsWith(self, actual: str, expected_end: str, msg: Any = None) -> None:
        """A text ends with another.

        Args:
            actual: The text.
            expected_end: Its end.
            msg: What the failure says, too.
        """
        self.assertTrue(actual.endswith(expected_end), msg or f"{actual!r}")

    def assertItemsEqual(self, first: Any, second: Any, msg: Any = None) -> None:
        """Two lists have the same items, in any order.

        Args:
            first: A list.
            second: A list.
            msg: What the failure says, too.
        """
        self.assertCountEqual(first, second, msg)

    def assertEmpty(self, container: Any, msg: Any = None) -> None:
        """Nothing is in it.

        Args:
            container: What has a length.
            msg: What the failure says, too.
        """
        self.assertEqual(len(container), 0, msg)

    def assertNotEmpty(self, container: Any, msg: Any = None) -> None:
        """Something is in it.

        Args:
            container: What has a length.
            msg: What the failure says, too.
        """
        self.assertNotEqual(len(container), 0, msg)

    def assertLen(self, container: Any, expected_len: int, msg: Any = None) -> None:
        """It has a length.

        Args:
            container: What has a length.
            expected_len: The length.
            msg: What the failure says, too.
        """
        self.assertEqual(len(container), expected_len, msg)

    def assertDeviceEqual(self, device1: Any, device2: Any, msg: Any = None) -> None:
        """Two devices have the same name, of all forms that it may have.

        Args:
            device1: A device, or its name; None is that without parts.
            device2: A device, or its name; None is that without parts.
            msg: What the failure says, too.
        """
        self.assertEqual(canonical_name(device1), canonical_name(device2), msg)

    # Errors.

    def assertRaisesOpError(self, expected_err_re_or_predicate: Any) -> Any:
        """A context that must raise an OpError.

        Args:
            expected_err_re_or_predicate: A pattern of its text, or a predicate of the error.

        Returns:
            The context.
        """
        return self.assertRaisesWithPredicateMatch(errors.OpError, expected_err_re_or_predicate)

    @contextlib.contextmanager
    def assertRaisesWithPredicateMatch(
        self, exception_type: Any, expected_err_re_or_predicate: Any
    ) -> Iterator[None]:
        """A context that must raise an error of a class.

        Args:
            exception_type: The class.
            expected_err_re_or_predicate: A pattern of its text, or a predicate of the error.

        Yields:
            None.
        """
        wanted = expected_err_re_or_predicate
        with self.assertRaises(exception_type) as caught:
            yield
        if callable(wanted):
            self.assertTrue(wanted(caught.exception), str(caught.exception))
        else:
            self.assertRegex(str(caught.exception), wanted)


def _is_ragged(value: Any) -> bool:
    return hasattr(value, "nested_row_splits")


def _as_lists(value: Any) -> Any:
    """Arrays, and values of ragged tensors, as nested lists."""
    if _is_ragged(value):
        return value.to_list()
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value
