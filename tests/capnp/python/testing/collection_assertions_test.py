"""What the tests of programs say of sequences, sets, texts and structures."""

import unittest

import troupe as tf


class CollectionAssertionsTest(tf.test.TestCase):
    def assert_refused(self, assertion, *arguments, says="", **options):
        with self.assertRaises(AssertionError) as caught:
            getattr(self, assertion)(*arguments, **options)
        self.assertIn(says, str(caught.exception))

    def test_elements_are_the_same_in_any_order_and_number(self):
        self.assertSameElements([1, 2, 2], (2, 1))
        self.assertSameElements([[1], [2]], [[2], [1]])
        self.assert_refused("assertSameElements", [1, 3], [1, 2], says="missing elements [3]")
        self.assert_refused("assertSameElements", "ab", ["a", "b"], says="as a list")
        self.assertContainsSubset({1}, [3, 1])
        self.assert_refused("assertContainsSubset", [4, 1], [3, 1], msg="m", says="{4} : m")
        self.assertNoCommonElements([1], [2])
        self.assert_refused("assertNoCommonElements", [1, 2], [2], says="{2}")

    def test_sequences_have_parts_in_their_order(self):
        self.assertSequenceStartsWith([1, 2], [1, 2, 3])
        self.assertSequenceStartsWith(1, iter([1, 2]))
        self.assert_refused("assertSequenceStartsWith", [2], [1, 2])
        self.assertSequenceAlmostEqual([1.0, 2.0], [1.0, 2.04], places=1)
        self.assertSequenceAlmostEqual([1.0], [1.4], delta=0.5)
        self.assert_refused("assertSequenceAlmostEqual", [1.0], [1.1])
        self.assert_refused("assertSequenceAlmostEqual", [1.0], [1.0, 2.0])
        self.assertContainsSubsequence([1, 2, 3, 4], [2, 4])
        self.assert_refused("assertContainsSubsequence", [1, 2, 3], [2, 1])
        self.assertContainsExactSubsequence([1, 2, 3, 4], [2, 3])
        self.assert_refused("assertContainsExactSubsequence", [1, 2, 3, 4], [2, 4])
        self.assertTotallyOrdered([1, 1], [2], [5])
        self.assert_refused("assertTotallyOrdered", [1], [2, 3])

    def test_texts_have_parts_and_matches(self):
        self.assertContainsInOrder(["a", "bc"], "xabxbc")
        self.assert_refused("assertContainsInOrder", ["bc", "a"], "abc")
        self.assertRegexMatch("one\ntwo", ["^three", "^two"])
        self.assert_refused("assertRegexMatch", "one", ["two"])
        self.assert_refused("assertRegexMatch", "one", "one", says="single one")
        self.assertUrlEqual("http://a/b?x=1&y=2", "http://a/b?y=2&x=1")
        self.assert_refused("assertUrlEqual", "http://a/b?x=1", "http://a/b?x=2")
        self.assertJsonEqual('{"a": [1, 2]}', '{"a":[1,2]}')
        self.assert_refused("assertJsonEqual", "[1]", "[2]", says="first[0] is 1 but second[0] is")

    def test_structures_differ_at_places(self):
        self.assertSameStructure({"a": [1, {"b": 2}]}, {"a": [1, {"b": 2}]})
        for one, other, says in (
            ({"a": [1]}, {"a": [1, 2]}, "a['a'] has 1 elements but b['a'] has 2"),
            ({"a": 1}, {}, "a has ['a'] but b does not"),
            ({}, {"a": 1}, "a lacks ['a'] but b has it"),
            ([{"k": 1}], [{"k": 2}], "a[0]['k'] is 1 but b[0]['k'] is 2"),
        ):
            self.assert_refused("assertSameStructure", one, other, says=says)

    def test_errors_say_just_that(self):
        with self.assertRaisesWithLiteralMatch(ValueError, "no (x)"):
            raise ValueError("no (x)")
        self.assertRaisesWithLiteralMatch(KeyError, "'k'", {}.__getitem__, "k")
        with self.assertRaises(AssertionError):
            with self.assertRaisesWithLiteralMatch(ValueError, "no"):
                raise ValueError("no (x)")


if __name__ == "__main__":
    unittest.main()
