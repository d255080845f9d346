"""Datasets of databases, and the reader of LMDB files."""

import base64
import os
import sqlite3
import tempfile
import unittest
import zlib

import troupe as tf

# A file that LMDB made, of the keys 0 to 9 with the values a to j, whose former values were b.
LMDB_FILE = zlib.decompress(
    base64.b64decode(
        "eNrt26tOw2AYBuB2m1gw38I1cAGcD5fDOHNNEyg0GkEQaDSKLGgSHBbCaL+VbQksGQkkzyP+//3br6ZVr2hR1Lqj"
        "9fH25aYsmi4+t97HxPjO15nxuTPz6vT8UrW3J55rFQAAAMCilXP1/++9VX7a/1sTe+mTAAAAwMK1GmmlGMRrPMdTPM"
        "R93MV1XMVlDMJbAgAAgN9TVutev067mXYybWfayrSZaSPTeqa1TKv9tv4PAAAAf6P/n2f/P8v+f5r9/yT7/3H2/6Ps"
        "/4fZ/w9m9P/9TqP/LxfDGGr7AAAA8O/0Rmt36v/6+vwOeZMw5g=="
    )
)


def elements(dataset):
    following = tf.data.make_one_shot_iterator(dataset).get_next()
    found = []
    with tf.Session() as session:
        while True:
            try:
                found.append(session.run(following))
            except tf.errors.OutOfRangeError:
                return found


class Strings(tf.data.Dataset):
    """The elements of an op, which are strings."""

    def __init__(self, op, like, **inputs):
        self._components = like._components
        spec = {"output_types": [tf.string] * 2, "output_shapes": [[], []]}
        self._variant_tensor = getattr(tf.raw_ops, op)(**inputs, **spec)


class DatabasesTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "data.mdb")
        with open(self.path, "wb") as file:
            file.write(LMDB_FILE)
        self.people = os.path.join(folder.name, "people")
        with sqlite3.connect(self.people) as database:
            database.execute("create table people (id int, name text, height real, small int)")
            rows = [(1, "Ada", 1.625, 300), (2**40, "Bo", None, None)]
            database.executemany("insert into people values (?, ?, ?, ?)", rows)
        database.close()

    def query(self, query, output_types, driver="sqlite", path=None):
        return elements(
            tf.data.experimental.SqlDataset(driver, path or self.people, query, output_types)
        )

    def test_rows_of_a_query_are_elements(self):
        everything = "select id, name, height from people order by id"
        rows = self.query(everything, (tf.int64, tf.string, tf.float64))
        self.assertEqual(rows, [(1, b"Ada", 1.625), (2**40, b"Bo", 0.0)])
        rows = self.query("select small, id from people order by id", (tf.uint8, tf.bool))
        self.assertEqual(rows, [(300 - 256, True), (0, True)])
        self.assertEqual(self.query("select id from people where id > ?", (tf.int32,)), [])
        strings = "select name, name from people order by id desc"
        like = tf.data.experimental.SqlDataset("sqlite", "", "", (tf.string, tf.string))
        for op in ("SqlDataset", "ExperimentalSqlDataset"):
            inputs = {"driver_name": "sqlite", "data_source_name": self.people, "query": strings}
            found = elements(Strings(op, like, **inputs))
            self.assertEqual(found, [(b"Bo", b"Bo"), (b"Ada", b"Ada")])

    def test_wrong_queries_are_errors(self):
        with self.assertRaisesRegex(tf.errors.UnknownError, "no such column"):
            self.query("select absent from people", (tf.int32,))
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "number of columns"):
            self.query("select id from people", (tf.int32, tf.int32))
        with self.assertRaises(tf.errors.InvalidArgumentError):
            self.query("select id from people", (tf.float32,))
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "mysql"):
            self.query("select 1", (tf.int32,), driver="mysql")

    def test_a_query_uses_no_other_database(self):
        other = self.people + "2"
        for query in (f"attach '{other}' as x", f"vacuum into '{other}'"):
            with self.assertRaises(tf.errors.OpError):
                self.query(query, (tf.int32,))
        with self.assertRaises(tf.errors.OpError):
            self.query("select 1", (tf.int32,), path=f"file:{other}?mode=rwc")
        self.assertFalse(os.path.exists(other))

    def test_entries_of_lmdb_files_are_elements(self):
        entries = [(b"%d" % i, b"abcdefghij"[i : i + 1]) for i in range(10)]
        both = tf.contrib.data.LMDBDataset([self.path, os.path.dirname(self.path)])
        self.assertEqual(elements(both), entries * 2)
        for op in ("LMDBDataset", "ExperimentalLMDBDataset"):
            self.assertEqual(elements(Strings(op, both, filenames=self.path)), entries)
        with self.assertRaises(tf.errors.NotFoundError):
            elements(tf.contrib.data.LMDBDataset(self.path + "2"))
        with self.assertRaises(tf.errors.InvalidArgumentError):
            elements(tf.contrib.data.LMDBDataset(self.people))

    def test_a_reader_gives_the_entries_of_files(self):
        queue = tf.FIFOQueue(2, tf.string)
        reader = tf.LMDBReader()
        self.assertEqual(reader.reader_ref.op.type, "LMDBReader")
        one, some = reader.read(queue), reader.read_up_to(queue, 20)
        with tf.Session() as session:
            session.run(queue.enqueue_many([[self.path] * 2]))
            session.run(queue.close())
            self.assertEqual(session.run(list(one)), [b"0", b"a"])
            self.assertAllEqual(session.run(some[0]), [b"%d" % i for i in range(1, 10)])
            self.assertEqual(b"".join(session.run(some[1])), b"abcdefghij")
            self.assertEqual(session.run(reader.num_records_produced()), 20)
            with self.assertRaises(tf.errors.OutOfRangeError):
                session.run(list(one))


if __name__ == "__main__":
    unittest.main()
