"""`tf.train.warm_start`, and what else takes values of checkpoints by the names of variables."""

import os
import tempfile
import unittest

import numpy as np
import troupe as tf


class WarmStartTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        tf.reset_default_graph()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def words(self, name, *words):
        with open(self.path(name), "w") as file:
            file.write("\n".join(words) + "\n")
        return self.path(name)

    def saved(self, objects=False, **values):
        """The name of a checkpoint with those variables."""
        with tf.Graph().as_default(), tf.Session() as session:
            variables = {
                name: tf.get_variable(name, initializer=value) for name, value in values.items()
            }
            session.run(tf.global_variables_initializer())
            if not objects:
                return tf.train.Saver().save(session, self.path("named"))
            named = {f"of_{name}": variable for name, variable in variables.items()}
            return tf.train.Checkpoint(**named).save(self.path("objects"), session=session)

    def initialized(self, *variables):
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            return session.run(list(variables))

    def test_rows_and_columns_follow_their_words(self):
        old = self.words("old", "apple", "banana", "guava")
        new = self.words("new", "guava", "cherry", "apple", "fig")
        path = self.saved(rows=[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], columns=[[7, 8, 9]])
        with tf.variable_scope("", partitioner=tf.fixed_size_partitioner(2)):
            rows = tf.get_variable("rows", [4, 2])
        columns = tf.get_variable("columns", [1, 5], tf.int32)
        fill = tf.constant_initializer
        vocabularies = {
            "rows": tf.train.VocabInfo(new, 3, 1, old, backup_initializer=fill(0.5)),
            "columns": tf.train.VocabInfo(new, 4, 1, old, 2, fill(-1), axis=1),
        }
        tf.train.warm_start(path, ".*", vocabularies)
        found = self.initialized(tf.convert_to_tensor(rows), columns)
        self.assertAllClose(found[0], [[5, 6], [0.5, 0.5], [1, 2], [0.5, 0.5]])
        self.assertAllEqual(found[1], [[-1, -1, 7, -1, -1]])

    def test_vocabularies_that_do_not_fit_are_refused(self):
        old, new = self.words("old", "a", "b"), self.words("new", "a", "b", "c")
        path = self.saved(w=[[1.0], [2.0]])
        w = tf.get_variable("w", [3, 1])
        with self.assertRaisesRegex(ValueError, "w:0 has 3 words along axis 0, its vocabulary 4"):
            tf.train.warm_start(path, ".*", {"w": tf.train.VocabInfo(new, 3, 1, old)})
        with self.assertRaisesRegex(ValueError, "not warm-started.*other"):
            tf.train.warm_start(path, ".*", {"other": tf.train.VocabInfo(new, 3, 0, old)})
        tf.train.warm_start(path, ".*", {"w": tf.train.VocabInfo(old, 3, 0, new)})
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "old has 2 words, but the 3"):
            self.initialized(w)
        tf.train.warm_start(path, ".*", {"w": tf.train.VocabInfo(new, 3, 0, self.path("none"))})
        with self.assertRaisesRegex(tf.errors.NotFoundError, "none"):
            self.initialized(w)

    def test_a_checkpoint_of_objects_is_known_by_the_names_in_its_graph(self):
        path = self.saved(objects=True, w=[1.0, 2.0], n=3)
        w = tf.get_variable("w", initializer=np.zeros(2, np.float32))
        tf.train.warm_start(path)
        self.assertAllEqual(self.initialized(w)[0], [1, 2])

    def test_a_saver_restores_checkpoints_of_objects_by_names(self):
        path = self.saved(objects=True, w=[1.0, 2.0], n=3)
        w = tf.get_variable("w", initializer=np.zeros(2, np.float32))
        n = tf.get_variable("n", initializer=0)
        saver, other = tf.train.Saver(), tf.train.Saver({"n": n, "m": w})
        with tf.Session() as session:
            for _ in range(2):
                saver.restore(session, path)
                self.assertAllEqual(session.run(w), [1, 2])
                self.assertEqual(session.run(n), 3)
                nodes = len(session.graph.get_operations())
                session.run([w.initializer, n.initializer])
            saver.restore(session, path)
            self.assertEqual(len(session.graph.get_operations()), nodes)  # added once
            wanted = r"not in the checkpoint: m\n(.|\n)*don't exist now: save_counter, w\n"
            with self.assertRaisesRegex(tf.errors.NotFoundError, wanted):
                other.restore(session, path)
            self.assertEqual(session.run(n), 3)
            with self.assertRaisesRegex(tf.errors.NotFoundError, "Restoring from checkpoint fail"):
                other.restore(session, self.saved(w=[1.0, 2.0]))


if __name__ == "__main__":
    unittest.main()
