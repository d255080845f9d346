"""Writers of a session, which share one event file of a folder."""

import glob
import os
import unittest

import troupe as tf


def tags_of(folder):
    """The tags of the summaries in each file of a folder."""
    return [
        [value.tag for event in tf.train.summary_iterator(path) for value in event.summary.value]
        for path in sorted(glob.glob(os.path.join(folder, "*tfevents*")))
    ]


def add(writer, tag):
    writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag=tag, simple_value=1.0)]), 1)


class SharedFilesTest(tf.test.TestCase):
    def test_writers_of_one_session_and_folder_share_a_file(self):
        folder, other = self.create_tempdir(), self.create_tempdir()
        with tf.Session() as session, tf.Session() as another:
            one = tf.summary.FileWriter(folder, session=session)
            two = tf.summary.FileWriter(logdir=folder, session=session)
            self.assertEqual(two.get_logdir(), folder)
            add(one, "one")
            one.flush()
            for number, (where, of) in enumerate(
                ((folder, session), (other, session), (folder, another))
            ):
                with tf.summary.FileWriter(where, session=of) as writer:
                    add(writer, f"more{number}")
            add(two, "two")
            two.close()
            one.close()
        self.assertEqual(tags_of(folder), [["one", "more0", "two"], ["more2"]])
        self.assertEqual(tags_of(other), [["more1"]])

    def test_when_all_are_closed_the_next_begins_a_file(self):
        folder = self.create_tempdir()
        with tf.Session() as session:
            writers = [tf.summary.FileWriter(folder, session=session) for _ in range(2)]
            for writer in writers:
                writer.close()
                writer.close()
            writers[0].reopen()
            add(writers[0], "again")
            writers[1].event_writer.add_event(None)
            writers[0].close()
        self.assertEqual(tags_of(folder), [[], ["again"]])

    def create_tempdir(self):
        self._count = getattr(self, "_count", 0) + 1
        return os.path.join(self.get_temp_dir(), f"{self.id()}{self._count}")


if __name__ == "__main__":
    unittest.main()
