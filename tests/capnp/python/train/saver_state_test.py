"""What savers refuse, say of themselves, and know of the checkpoints that they have saved."""

import os
import tempfile
import unittest

import troupe as tf


class SaverStateTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.prefix = os.path.join(folder.name, "model")
        self.v = tf.get_variable("v", initializer=1.0)
        self.session = tf.Session()
        self.addCleanup(self.session.close)
        self.session.run(self.v.initializer)

    def test_names_that_would_overwrite_or_leave_the_folder_are_refused(self):
        saver = tf.train.Saver()
        with self.assertRaisesRegex(ValueError, "must not contain path components"):
            saver.save(self.session, self.prefix, latest_filename="a/list")
        with self.assertRaisesRegex(ValueError, "collides with 'save_path': 'model'"):
            saver.save(self.session, self.prefix, latest_filename="model")
        self.assertEqual(os.listdir(self.folder), [])
        with self.assertRaisesRegex(ValueError, "Can't load save_path when it is None"):
            saver.restore(self.session, None)
        # Neither the name with a step nor those of shards are the list's.
        saver.save(self.session, self.prefix, 1, latest_filename="model")
        tf.train.Saver(sharded=True).save(self.session, self.prefix, latest_filename="model")
        self.assertIn("model", os.listdir(self.folder))

    def test_a_final_graph_gets_no_saver(self):
        self.session.graph.finalize()
        with self.assertRaisesRegex(RuntimeError, "finalized"):
            tf.train.Saver()

    def test_savers_say_what_they_are(self):
        saver, sharded = tf.train.Saver(), tf.train.Saver(sharded=True)
        later = tf.train.Saver(defer_build=True)
        by_name = tf.train.Saver(saver_def=saver.as_saver_def())
        saver.save(self.session, self.prefix)
        self.assertEqual(repr(later), "<tf.train.Saver, not built yet>")
        self.assertEqual(repr(saver), "<tf.train.Saver of 1 variables, has saved 1 checkpoints>")
        self.assertIn("variables, sharded, has saved 0", repr(sharded))
        self.assertIn(f"nodes around {saver.saver_def.restore_op_name!r}", repr(by_name))

    def test_restoring_and_old_formats_are_logged(self):
        saver = tf.train.Saver()
        saver.save(self.session, self.prefix)
        with self.assertLogs("troupe", "INFO") as logs:
            saver.restore(self.session, self.prefix)
            tf.train.Saver(write_version=tf.train.SaverDef.V1)
        text = "\n".join(logs.output)
        self.assertRegex(text, f"INFO.*Restoring parameters from {self.prefix}")
        self.assertRegex(text, "WARNING.*format V1 are deprecated")

    def test_checkpoints_of_others_may_be_adopted_and_are_then_removed(self):
        first = tf.train.Saver()
        paths = [first.save(self.session, self.prefix, step) for step in range(3)]
        of_message = tf.train.Saver(max_to_keep=2, saver_def=first.as_saver_def())
        for saver in (tf.train.Saver(max_to_keep=2), of_message):
            self.assertEqual(saver.last_checkpoints, [])
            saver.set_last_checkpoints_with_time([(path, 1.0) for path in paths[:2]])
            self.assertEqual(saver.last_checkpoints, paths[:2])
            saver.recover_last_checkpoints([self.prefix + "-7", *paths[1:]])
            self.assertEqual(saver.last_checkpoints, paths[1:])  # those that exist
        saver = tf.train.Saver(max_to_keep=2)
        saver.recover_last_checkpoints(paths[1:])
        saver.save(self.session, self.prefix, 3)
        exist = [tf.train.checkpoint_exists(path) for path in [*paths, self.prefix + "-3"]]
        self.assertEqual(exist, [True, False, True, True])

    def test_savers_without_variables_know_no_checkpoints(self):
        with tf.Graph().as_default():
            saver = tf.train.Saver(allow_empty=True)
            with tf.Session() as session:
                self.assertIsNone(saver.save(session, self.prefix))
                saver.set_last_checkpoints([self.prefix])
                self.assertEqual(saver.last_checkpoints, [])
                saver.restore(session, None)


if __name__ == "__main__":
    unittest.main()
