"""Iterators in checkpoints."""

import pathlib
import tempfile
import unittest

import troupe as tf


class SavedIteratorsTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.prefix = str(self.folder / "model")

    def batches(self):
        path = self.folder / "lines"
        path.write_text("".join(f"{number}\n" for number in range(20)))
        lines = tf.data.TextLineDataset(str(path)).shuffle(8).repeat(2)
        return lines.map(tf.string_to_number).batch(3).prefetch(2)

    def rest(self, session, following):
        found = []
        try:
            while True:
                found.append(session.run(following).tolist())
        except tf.errors.OutOfRangeError:
            return found

    def test_an_iterator_goes_on_in_another_session_where_a_checkpoint_was_saved(self):
        def build():
            tf.reset_default_graph()
            iterator = tf.data.make_initializable_iterator(self.batches())
            saved = tf.data.experimental.make_saveable_from_iterator(iterator)
            tf.add_to_collection(tf.GraphKeys.SAVEABLE_OBJECTS, saved)
            count = tf.get_variable("count", initializer=0)
            return iterator, iterator.get_next(), count, tf.train.Saver()

        iterator, following, count, saver = build()
        with tf.Session() as session:
            session.run([iterator.initializer, count.initializer])
            for _ in range(9):
                session.run(following)
            session.run(count.assign(9))
            saver.save(session, self.prefix)
            rest = self.rest(session, following)
        self.assertEqual(len(rest), 5)
        for begins_first in (False, True):
            iterator, following, count, saver = build()
            with tf.Session() as session:
                if begins_first:
                    session.run(iterator.initializer)
                saver.restore(session, self.prefix)
                if not begins_first:
                    session.run(iterator.initializer)
                self.assertEqual(self.rest(session, following), rest)
                self.assertEqual(session.run(count), 9)

    def test_a_monitored_session_goes_on_in_its_data(self):
        def train(steps):
            tf.reset_default_graph()
            iterator = tf.data.make_initializable_iterator(tf.data.Dataset.range(100))
            tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
            saved = tf.data.experimental.make_saveable_from_iterator(iterator)
            tf.add_to_collection(tf.GraphKeys.SAVEABLE_OBJECTS, saved)
            step = tf.train.get_or_create_global_step()
            taken = iterator.get_next()
            with tf.control_dependencies([taken]):
                trained = tf.assign_add(step, 1)
            with tf.train.MonitoredTrainingSession(
                checkpoint_dir=str(self.folder), log_step_count_steps=None
            ) as session:
                return [session.run([taken, trained])[0] for _ in range(steps)]

        self.assertEqual(train(3), [0, 1, 2])
        self.assertEqual(train(2), [3, 4])

    def test_one_shot_iterators_and_those_of_a_structure_are_saved(self):
        one_shot = tf.data.make_one_shot_iterator(tf.data.Dataset.range(10))
        structured = tf.data.Iterator.from_structure(tf.int64, [])
        begin = structured.make_initializer(tf.data.Dataset.range(20, 30))
        iterators = [one_shot, structured]
        following = [iterator.get_next() for iterator in iterators]
        saver = tf.train.Saver(
            [tf.data.experimental.make_saveable_from_iterator(each) for each in iterators]
        )
        with tf.Session() as session:
            session.run(begin)
            self.assertEqual(session.run(following), [0, 20])
            saver.save(session, self.prefix)
            self.assertEqual(session.run(following), [1, 21])
            saver.restore(session, self.prefix)
            self.assertEqual(session.run(following), [1, 21])

    def test_an_iterator_that_has_not_begun_has_no_state(self):
        iterator = tf.data.make_initializable_iterator(tf.data.Dataset.range(10))
        saver = tf.train.Saver([tf.data.experimental.make_saveable_from_iterator(iterator)])
        with tf.Session() as session, self.assertRaises(tf.errors.FailedPreconditionError):
            saver.save(session, self.prefix)


if __name__ == "__main__":
    unittest.main()
