"""What prints show of structures, and where they show it."""

import contextlib
import logging
import os
import sys
import tempfile

import troupe as tf

X = [[1, 2], [3, 4]] * 3


@contextlib.contextmanager
def written_to(descriptor):
    """A list that gets what the process writes to a file descriptor."""
    found, kept = [], os.dup(descriptor)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), descriptor)
        try:
            yield found
        finally:
            os.dup2(kept, descriptor)
            os.close(kept)
            file.seek(0)
            found.append(file.read().decode())


class PrintingTest(tf.test.TestCase):
    def printed(self, *inputs, **kwargs):
        with written_to(2) as found, tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(tf.print(*inputs, **kwargs))
        return found[0]

    def test_tensors_in_structures_are_printed_by_their_values(self):
        x, s = tf.constant([1, 2]), tf.constant("text")
        self.assertEqual(
            self.printed({"b": x, "a": [x, "word", 1.5]}, (s, None)),
            "{'a': [[1 2], 'word', 1.5], 'b': [1 2]} (\"text\", None)\n",
        )

    def test_a_sparse_tensor_is_printed_by_its_parts(self):
        sparse = tf.SparseTensor([[0, 1], [2, 0]], [5, 6], [3, 2])
        expected = "SparseTensor(indices=[[0 1]\n [2 0]], values=[5 6], shape=[3 2])"
        self.assertEqual(self.printed([sparse]), f"['{expected}']\n")

    def test_text_is_printed_as_it_is(self):
        self.assertEqual(self.printed(tf.constant("a\n{}")), "a\n{}\n")
        self.assertEqual(self.printed("{} of", tf.constant(3), "{}"), "{} of 3 {}\n")
        self.assertEqual(self.printed("no tensor", 7, [None]), "no tensor 7 [None]\n")

    def test_separators_ends_and_lengths(self):
        x = tf.constant(X)
        self.assertEqual(self.printed("x", tf.constant(1), sep="{}", end="<end>"), "x{}1<end>")
        shown = "[[1 2]\n ...\n [3 4]]"
        self.assertEqual(self.printed(x, summarize=1), f"{shown}\n")
        rows = "\n ".join(f"[{a} {b}]" for a, b in X)
        self.assertEqual(self.printed(x, summarize=-1), f"[{rows}]\n")

    def test_a_variable_is_printed_by_its_value(self):
        self.assertEqual(self.printed("v:", tf.Variable(1.5)), "v: 1.5\n")

    def test_streams_and_logs(self):
        for stream in (tf.logging.info, tf.logging.WARN, logging.error):
            node = tf.print("x", output_stream=stream)
            self.assertRegex(
                node.get_attr("output_stream").decode(), r"log\((info|warning|error)\)"
            )
        with written_to(1) as found, tf.Session() as session:
            session.run(tf.print("to stdout", output_stream=sys.stdout))
        self.assertEqual(found, ["to stdout\n"])
        with self.assertRaisesRegex(ValueError, "Unsupported output stream 3"):
            tf.print("x", output_stream=3)

    def test_a_file_gets_what_steps_print_at_its_end(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "log")
            x = tf.constant([1, 2])
            prints = tf.print("x =", x, output_stream=f"file://{path}", end="|")
            with tf.Session() as session:
                for _ in range(2):
                    session.run(prints)
            with open(path) as file:
                self.assertEqual(file.read(), "x = [1 2]|x = [1 2]|")


class FormatTest(tf.test.TestCase):
    def test_placeholders_become_values(self):
        x = tf.constant(X)
        text = tf.strings.format("<{}|{}>", [x, tf.constant(True)], summarize=1)
        other = tf.strings.format("{} % %", (x[0], 2.5), placeholder="%")
        with tf.Session() as session:
            found = session.run([text, other])
        self.assertEqual(found, [b"<[[1 2]\n ...\n [3 4]]|1>", b"{} [1 2] 2.5"])

    def test_as_many_tensors_as_placeholders_are_needed(self):
        with self.assertRaisesRegex(ValueError, "2 placeholder.s. in template does not match 1"):
            tf.strings.format("{} {}", tf.constant(1))


if __name__ == "__main__":
    tf.test.main()
