"""Assertions on sequences, sets, texts and structures, which absl adds to those of unittest."""

from __future__ import annotations

import collections.abc
import contextlib
import itertools
import json
import re
import unittest
from typing import Any, Iterable, Iterator, Mapping, Sequence, Union
from urllib import parse

Regexes = Union[str, bytes, Sequence[Union[str, bytes]]]


class CollectionAssertions(unittest.TestCase):
    """Assertions that need no tensors."""

    def assertSameElements(
        self, expected_seq: Iterable[Any], actual_seq: Iterable[Any], msg: Any = None
    ) -> None:
        """Two collections have the same elements, in any order and as often as they like.

        Args:
            expected_seq: One; it is no text.
            actual_seq: The other one.
            msg: What the failure says, too.
        """
        if isinstance(expected_seq, (str, bytes)) or isinstance(actual_seq, (str, bytes)):
            self.fail("the elements of a text are to be given as a list")
        expected, actual = _distinct(expected_seq), _distinct(actual_seq)
        missing = [each for each in expected if each not in actual]
        more = [each for each in actual if each not in expected]
        if missing or more:
            self._fail(f"missing elements {missing!r}, unexpected ones {more!r}", msg)

    def assertContainsSubset(
        self, expected_subset: Iterable[Any], actual_set: Iterable[Any], msg: Any = None
    ) -> None:
        """All elements of a collection are in another one.

        Args:
            expected_subset: The collection.
            actual_set: The other one.
            msg: What the failure says, too.
        """
        missing = set(expected_subset) - set(actual_set)
        if missing:
            self._fail(f"missing elements {missing!r}", msg)

    def assertNoCommonElements(
        self, expected_seq: Iterable[Any], actual_seq: Iterable[Any], msg: Any = None
    ) -> None:
        """No element is in both collections.

        Args:
            expected_seq: One.
            actual_seq: The other one.
            msg: What the failure says, too.
        """
        common = set(expected_seq) & set(actual_seq)
        if common:
            self._fail(f"common elements {common!r}", msg)

    def assertSequenceStartsWith(self, prefix: Any, whole: Any, msg: Any = None) -> None:
        """A sequence begins with another one, or with that element.

        Args:
            prefix: The other one, or the element.
            whole: The sequence.
            msg: What the failure says, too.
        """
        is_sequence = isinstance(prefix, collections.abc.Sequence)
        start = prefix if is_sequence else [prefix]
        found = list(itertools.islice(whole, len(start)))
        self.assertSequenceEqual(list(start), found, msg)

    def assertSequenceAlmostEqual(
        self,
        expected_seq: Sequence[Any],
        actual_seq: Sequence[Any],
        places: Any = None,
        msg: Any = None,
        delta: Any = None,
    ) -> None:
        """Two sequences of numbers are as long and about the same.

        Args:
            expected_seq: One.
            actual_seq: The other one.
            places: The digits after the point that count, by default 7.
            msg: What the failure says, too.
            delta: What two numbers differ by at most; not with places.
        """
        self.assertEqual(len(expected_seq), len(actual_seq), msg)
        for one, other in zip(expected_seq, actual_seq):
            self.assertAlmostEqual(one, other, places=places, msg=msg, delta=delta)

    def assertContainsInOrder(
        self, strings: Iterable[str], target: str, msg: Any = None
    ) -> None:
        """Texts are in another one, each after the one before.

        Args:
            strings: The texts.
            target: The other one.
            msg: What the failure says, too.
        """
        place = 0
        for each in [strings] if isinstance(strings, str) else strings:
            found = target.find(each, place)
            if found < 0:
                self._fail(f"no {each!r} from place {place} of {target!r}", msg)
            place = found + len(each)

    def assertContainsSubsequence(
        self, container: Iterable[Any], subsequence: Iterable[Any], msg: Any = None
    ) -> None:
        """The elements of a sequence are in another one in their order, with others between.

        Args:
            container: The other one.
            subsequence: The sequence.
            msg: What the failure says, too.
        """
        rest = iter(container)
        for each in subsequence:
            if not any(each == other for other in rest):
                self._fail(f"{container!r} does not have {subsequence!r} in its order", msg)

    def assertContainsExactSubsequence(
        self, container: Sequence[Any], subsequence: Sequence[Any], msg: Any = None
    ) -> None:
        """A sequence is a part of another one.

        Args:
            container: The other one.
            subsequence: The sequence.
            msg: What the failure says, too.
        """
        whole, part = list(container), list(subsequence)
        starts = range(len(whole) - len(part) + 1)
        if not any(whole[start : start + len(part)] == part for start in starts):
            self._fail(f"{subsequence!r} is no part of {container!r}", msg)

    def assertTotallyOrdered(self, *groups: Iterable[Any], msg: Any = None) -> None:
        """Each element is less than those of the groups after its own, and like those in its own.

        Args:
            *groups: The groups, in their order.
            msg: What the failure says, too.
        """
        ranked = [(rank, each) for rank, group in enumerate(groups) for each in group]
        for (rank, one), (other_rank, other) in itertools.product(ranked, ranked):
            signs = (one < other, one == other, one > other)
            expected = (rank < other_rank, rank == other_rank, rank > other_rank)
            self.assertEqual(signs, expected, msg or f"{one!r} and {other!r}")

    def assertRegexMatch(self, actual_str: Any, regexes: Regexes, message: Any = None) -> None:
        """A text has a part that one of the expressions matches.

        Args:
            actual_str: The text.
            regexes: A list of regular expressions.
            message: What the failure says, too.
        """
        if isinstance(regexes, (str, bytes)):
            self.fail("regexes is a text; use assertRegex() for a single one")
        if not any(re.search(regex, actual_str, re.MULTILINE) for regex in regexes):
            self._fail(f"{actual_str!r} has no part like any of {list(regexes)!r}", message)

    @contextlib.contextmanager
    def _literal_error(self, error: Any, message: str) -> Iterator[Any]:
        with self.assertRaises(error) as caught:
            yield caught
        self.assertEqual(str(caught.exception), message)

    def assertRaisesWithLiteralMatch(
        self, expected_exception: Any, expected_exception_message: str, *called: Any, **options: Any
    ) -> Any:
        """A call raises an error that says just that.

        Args:
            expected_exception: The type of the error.
            expected_exception_message: What it says.
            *called: The function and its arguments; without them this is a context manager.
            **options: Its arguments by name.

        Returns:
            The context manager, or None.
        """
        context = self._literal_error(expected_exception, expected_exception_message)
        if not called:
            return context
        with context:
            called[0](*called[1:], **options)
        return None

    def assertUrlEqual(self, a: str, b: str, msg: Any = None) -> None:
        """Two URLs are the same but for the order of what they ask for.

        Args:
            a: One.
            b: The other one.
            msg: What the failure says, too.
        """
        one, other = (parse.urlparse(each) for each in (a, b))
        for part in ("scheme", "netloc", "path", "fragment"):
            self.assertEqual(getattr(one, part), getattr(other, part), msg)
        self.assertEqual(sorted(one.params.split(";")), sorted(other.params.split(";")), msg)
        asked = [parse.parse_qs(each.query, keep_blank_values=True) for each in (one, other)]
        self.assertEqual(asked[0], asked[1], msg)

    def assertSameStructure(
        self, a: Any, b: Any, aname: str = "a", bname: str = "b", msg: Any = None
    ) -> None:
        """Two structures of dicts and lists are the same; a failure says where they are not.

        Args:
            a: One.
            b: The other one.
            aname: What the failure calls the one.
            bname: What the failure calls the other one.
            msg: What the failure says, too.
        """
        problems = list(_differences(a, b, aname, bname))
        if problems:
            self._fail("; ".join(problems), msg)

    def assertJsonEqual(self, first: str, second: str, msg: Any = None) -> None:
        """Two texts are JSON of the same structure.

        Args:
            first: One.
            second: The other one.
            msg: What the failure says, too.
        """
        self.assertSameStructure(json.loads(first), json.loads(second), "first", "second", msg)

    def _fail(self, text: str, message: Any) -> None:
        self.fail(text if message is None else f"{text} : {message}")


def _distinct(values: Iterable[Any]) -> Any:
    """A set of the values, or a list where they cannot be in one."""
    values = list(values)
    try:
        return set(values)
    except TypeError:
        return values


def _differences(a: Any, b: Any, name: str, other: str) -> Iterator[str]:
    is_list = [isinstance(each, (list, tuple)) for each in (a, b)]
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        yield from (f"{name} has [{key!r}] but {other} does not" for key in a if key not in b)
        yield from (f"{name} lacks [{key!r}] but {other} has it" for key in b if key not in a)
        keys: Iterable[Any] = [key for key in a if key in b]
    elif all(is_list):
        if len(a) != len(b):
            yield f"{name} has {len(a)} elements but {other} has {len(b)}"
        keys = range(min(len(a), len(b)))
    else:
        if not a == b:
            yield f"{name} is {a!r} but {other} is {b!r}"
        return
    for key in keys:
        yield from _differences(a[key], b[key], f"{name}[{key!r}]", f"{other}[{key!r}]")
