"""Assertions on commands and streams, and the temporary files of tests."""

import dataclasses
import io
import os
import sys
import unittest

import troupe as tf


@dataclasses.dataclass
class Point:
    x: int
    y: int = dataclasses.field(default=0, compare=False)


class CommandAssertionsTest(tf.test.TestCase):
    def fails(self, why, assertion, *arguments):
        with self.assertRaisesRegex(AssertionError, why):
            assertion(*arguments)

    def test_commands_succeed_or_fail_with_an_output(self):
        self.assertCommandSucceeds(["/bin/echo", "hello"], ["h.*o"])
        self.assertCommandFails("echo no; exit 3", [b"no"])
        self.fails("ended with 3", self.assertCommandSucceeds, "exit 3")
        self.fails("ended with 0", self.assertCommandFails, "exit 0", [""])
        self.fails("hello", self.assertCommandSucceeds, ["/bin/echo", "hello"], ["other"])
        self.assertCommandSucceeds('[ "$A" = b ]', env={"A": "b"})

    def test_texts_do_not_begin_or_end_with_others(self):
        self.assertNotStartsWith("abc", "b")
        self.assertNotEndsWith("abc", "b")
        self.fails("does start", self.assertNotStartsWith, "abc", "a")
        self.fails("does end", self.assertNotEndsWith, "abc", "c")

    def test_the_fields_that_differ_are_named(self):
        self.assertDataclassEqual(Point(1, 2), Point(1, 3))
        self.fails("x: 1 != 2", self.assertDataclassEqual, Point(1), Point(2))
        self.fails("no dataclass", self.assertDataclassEqual, Point(1), 3)

    def test_what_native_code_writes_is_kept(self):
        with self.captureWritesToStream(sys.stderr) as captured:
            sys.stderr.write("one\n")
            os.write(2, b"two\n")
        self.assertEqual(captured.contents(), "one\ntwo\n")

    def test_the_versions_of_a_graph_are_those_of_the_package(self):
        graph = tf.Graph().as_graph_def()
        self.assertProtoEqualsVersion("", graph)
        self.fails("", self.assertProtoEqualsVersion, "", graph, 3)

    def test_temporary_files_are_there_until_the_end_of_the_test(self):
        seen = []

        class Test(tf.test.TestCase):
            def test_files(self):
                folder = self.create_tempdir("name")
                file = folder.create_file("deep/file", content="text")
                seen.extend([folder.full_path, os.fspath(file), file.read_text()])
                other = self.create_tempfile(content=b"bytes")
                seen.append(other.read_bytes())
                other.write_text("new")
                with other.open() as opened:
                    seen.append(opened.read())
                assert os.path.isdir(folder.mkdir())
                seen.append(self.enter_context(io.StringIO("entered")).read())

        result = unittest.TestResult()
        Test("test_files").run(result)
        self.assertEqual((result.errors, result.failures), ([], []))
        self.assertEqual(seen[2:], ["text", b"bytes", "new", "entered"])
        self.assertFalse(os.path.exists(seen[0]))


if __name__ == "__main__":
    tf.test.main()
