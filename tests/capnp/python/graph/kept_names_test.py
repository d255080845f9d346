"""Names that are asked for without being used, scopes from the root, and keys of collections."""

import unittest

import troupe as tf


class KeptNamesTest(tf.test.TestCase):
    def test_a_name_that_was_only_asked_for_is_the_next_scopes(self):
        graph = tf.get_default_graph()
        self.assertEqual(graph.unique_name("module", mark_as_used=False), "module")
        self.assertEqual(graph.unique_name("module", mark_as_used=False), "module")
        with tf.name_scope("module") as scope:
            self.assertEqual(scope, "module/")
        self.assertEqual(graph.unique_name("module", mark_as_used=False), "module_1")
        # It is also found by itself.
        self.assertEqual(graph.unique_name("module_1", mark_as_used=False), "module_1")
        self.assertEqual(graph.unique_name("module_1"), "module_1")
        self.assertEqual(graph.unique_name("module"), "module_2")

    def test_names_are_kept_in_their_scope(self):
        graph = tf.get_default_graph()
        with tf.name_scope("outer"):
            self.assertEqual(graph.unique_name("x", mark_as_used=False), "outer/x")
        with tf.name_scope("x") as scope:
            self.assertEqual(scope, "x/")
        with tf.name_scope("outer/"), tf.name_scope("x") as scope:
            self.assertEqual(scope, "outer/x/")

    def test_a_lone_slash_leaves_all_scopes(self):
        with tf.name_scope("outer"), tf.name_scope("/"):
            self.assertEqual(tf.constant(1, name="c").name, "c:0")
        with self.assertRaises(ValueError), tf.name_scope("/"):
            pass

    def test_all_keys_of_collections_are_strings(self):
        tf.add_to_collection("names", 1)
        tf.add_to_collection(("a", "tuple"), 2)
        self.assertEqual(tf.get_default_graph().get_all_collection_keys(), ["names"])
        self.assertEqual(tf.get_collection(("a", "tuple")), [2])


if __name__ == "__main__":
    unittest.main()
