"""`tf.contrib.framework.nest`: parts of structures at the leaves of shallow ones."""

import collections
import unittest

import troupe as tf

nest = tf.contrib.framework.nest

Pair = collections.namedtuple("Pair", "first second")


class NestTest(tf.test.TestCase):
    def test_names_of_structures_are_those_of_the_public_module_and_older_ones(self):
        self.assertTrue(nest.is_sequence([1]) and nest.is_nested({}))
        self.assertFalse(nest.is_sequence("text"))
        self.assertEqual(nest.flatten({"b": 1, "a": (2, 3)}), [2, 3, 1])

    def test_parts_are_those_at_the_leaves_of_the_shallow_one(self):
        deep = {"b": [1, [2, 3]], "a": Pair({"x": 4}, 5)}
        shallow = {"a": Pair(0, 0), "b": [0, 0]}
        self.assertEqual(nest.flatten_up_to(shallow, deep), [{"x": 4}, 5, 1, [2, 3]])
        self.assertEqual(nest.flatten_up_to(0, deep), [deep])

    def test_leaves_have_paths_of_keys_fields_and_numbers(self):
        deep = {"b": [1, {"x": 2}], "a": Pair(3, (4,))}
        paths = [("a", "first"), ("a", "second", 0), ("b", 0), ("b", 1, "x")]
        leaves = [3, 4, 1, 2]
        self.assertEqual(list(nest.yield_flat_paths(deep)), paths)
        self.assertEqual(nest.flatten_with_tuple_paths(deep), list(zip(paths, leaves)))
        joined = nest.flatten_with_joined_string_paths(deep, ".")
        self.assertEqual(joined[1:3], [("a.second.0", 4), ("b.0", 1)])
        self.assertEqual(nest.flatten_with_tuple_paths(5), [((), 5)])
        shallow = nest.flatten_with_tuple_paths_up_to({"a": 0, "b": [0, 0]}, deep)
        self.assertEqual(shallow[0], (("a",), Pair(3, (4,))))
        self.assertEqual(shallow[2], (("b", 1), {"x": 2}))

    def test_functions_get_the_paths_of_leaves(self):
        one, other = {"a": [1, 2]}, {"a": (3, 4)}
        found = nest.map_structure_with_paths(
            lambda path, *leaves, k: (path, leaves, k), one, other, check_types=False, k=9
        )
        self.assertEqual(found, {"a": [("a/0", (1, 3), 9), ("a/1", (2, 4), 9)]})
        with self.assertRaisesRegex(TypeError, "same sequence type"):
            nest.map_structure_with_paths(lambda path, *leaves: path, one, other)
        found = nest.map_structure_with_tuple_paths(lambda path, leaf: path, Pair(0, [0]))
        self.assertEqual(found, Pair(("first",), [("second", 0)]))
        found = nest.map_structure_with_tuple_paths_up_to(
            {"a": 0}, lambda path, leaf: (path, leaf), one
        )
        self.assertEqual(found, {"a": (("a",), [1, 2])})
        for function in (
            nest.map_structure_with_paths, nest.map_structure_with_tuple_paths
        ):  # fmt: skip
            with self.assertRaisesRegex(ValueError, "no sequences"):
                function(lambda path: path)

    def test_a_function_says_what_is_gone_through(self):
        deep = {"a": [1, [2]], "b": Pair(3, [4])}

        def no_pairs(part):
            return not isinstance(part, Pair)

        shallow = nest.get_traverse_shallow_structure(no_pairs, deep)
        self.assertEqual(shallow, {"a": [True, [True]], "b": False})
        self.assertEqual(nest.flatten_up_to(shallow, deep), [1, 2, Pair(3, [4])])
        some = nest.get_traverse_shallow_structure(
            lambda part: [False, True] if part == [1, [2]] else True, deep
        )
        self.assertEqual(some["a"], [False, [True]])
        self.assertEqual(some["b"], Pair(True, [True]))
        for wrong, says in ((1, "no bool"), ([1, True], "one level")):
            with self.assertRaisesRegex(TypeError, says):
                nest.get_traverse_shallow_structure(lambda part: wrong, [1, 2])
        with self.assertRaisesRegex(TypeError, "a leaf"):
            nest.get_traverse_shallow_structure(lambda part: [True], 1)

    def test_tensors_of_several_parts_are_composite(self):
        sparse = tf.SparseTensor([[0]], [1], [2])
        self.assertTrue(nest.is_sequence_or_composite(sparse))
        self.assertTrue(nest.is_sequence_or_composite([]))
        self.assertFalse(nest.is_sequence_or_composite(tf.constant(1)))

    def test_functions_get_the_parts_of_all_structures(self):
        found = nest.map_structure_up_to(
            Pair(0, [0]), lambda one, two: (one, two), Pair([1, 2], [3]), Pair(4, [{5: 6}])
        )
        self.assertEqual(found, Pair(([1, 2], 4), [(3, {5: 6})]))
        self.assertIsInstance(found, Pair)
        with self.assertRaisesRegex(ValueError, "no sequences"):
            nest.map_structure_up_to([0], lambda: 0)

    def test_what_does_not_fit_is_told(self):
        for error, shallow, deep, options in (
            (TypeError, [0], 1, {}),
            (TypeError, [0], (1,), {}),
            (TypeError, Pair(0, 0), (1, 2), {}),
            (ValueError, [0], [1, 2], {}),
            (ValueError, [0, 0], [1], {"check_subtrees_length": False}),
            (ValueError, {"a": 0}, {"b": 1}, {}),
            (ValueError, [[0, 0]], [[1]], {}),
        ):
            with self.assertRaises(error):
                nest.assert_shallow_structure(shallow, deep, **options)
        nest.assert_shallow_structure([0], (1,), check_types=False)
        nest.assert_shallow_structure([0], [1, 2], check_subtrees_length=False)
        other = collections.namedtuple("Pair", "first second")
        nest.assert_shallow_structure(Pair(0, 0), other(1, 2))

    def test_leaves_of_keys_have_the_leaves_of_values(self):
        given = {(4, 5, (6, 8)): ("a", "b", ("c", "d")), 9: ["e"]}
        wanted = {4: "a", 5: "b", 6: "c", 8: "d", 9: ["e"]}
        self.assertEqual(nest.flatten_dict_items(given), wanted)
        with self.assertRaisesRegex(ValueError, "not unique"):
            nest.flatten_dict_items({(1, 2): (3, 4), 2: 5})
        with self.assertRaisesRegex(ValueError, "Key had 2 elements"):
            nest.flatten_dict_items({(1, 2): 3})
        with self.assertRaisesRegex(TypeError, "must be a dictionary"):
            nest.flatten_dict_items([1])


if __name__ == "__main__":
    unittest.main()
