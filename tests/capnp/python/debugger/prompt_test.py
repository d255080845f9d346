"""The debugger's prompt, with commands from a text in the place of a terminal."""

import contextlib
import io
import os
import tempfile
import unittest
from unittest import mock

import numpy as np

import troupe as tf
import troupe.debug


@contextlib.contextmanager
def typed(*lines):
    """Commands that are typed; gives what is printed."""
    printed = io.StringIO()
    text = io.StringIO("".join(line + "\n" for line in lines))
    with mock.patch("sys.stdin", text), mock.patch("sys.stdout", printed):
        yield printed


class PromptTest(tf.test.TestCase):
    def setUp(self):
        super().setUp()
        self.x = tf.placeholder(tf.float32, [None], name="x")
        self.log = tf.log(self.x, name="log")
        self.sum = tf.reduce_sum(self.log, name="sum")
        self.session = tf.Session()
        self.addCleanup(self.session.close)

    def debugged(self, **options):
        return troupe.debug.LocalCLIDebugWrapperSession(self.session, **options)

    def run_with(self, *lines, value=(1.0, 2.0)):
        """What is printed for commands after a first step."""
        with typed("run", *lines, "exit") as printed:
            with self.assertRaises(SystemExit):
                self.debugged().run(self.sum, {self.x: value})
        return printed.getvalue()

    def test_a_step_runs_between_two_prompts(self):
        with typed("run", "run") as printed:
            result = self.debugged().run({"sum": self.sum}, {self.x: [1.0, np.e]})
        self.assertAllClose(result, {"sum": 1.0})
        text = printed.getvalue()
        self.assertIn("Session.run() call #1\n", text)
        self.assertIn("  x:0\n", text)
        self.assertIn("call #1 ended: 3 dumped tensor(s)", text)

    def test_the_program_ends_by_exit_and_at_the_end_of_the_commands(self):
        for lines in (["exit"], ["quit"], []):
            with typed(*lines), self.assertRaises(SystemExit):
                self.debugged().run(self.sum, {self.x: [1.0]})

    def test_tensors_are_listed(self):
        with typed("run", "lt -s tensor_name -r", "lt -n lo -t Log", "run") as printed:
            self.debugged().run(self.sum, {self.x: [1.0]})
        every, one = printed.getvalue().split("dumped tensor(s):")[1:]
        rows = [line.split()[1:] for line in every.splitlines() if ":0" in line]
        self.assertEqual(
            rows, [["Sum", "sum:0"], ["Log", "log:0"], ["Const", "Const:0"]]
        )
        self.assertEqual([line for line in one.splitlines() if ":0" in line][0].split()[2], "log:0")

    def test_tensors_are_printed_whole_and_in_parts(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "log.npy")
            part = f"pt log:0[1:] -s -w {path}"
            with typed(
                "run", "pt log", part, 'ev "np.exp(`log:0`) + 1"', "pf x", "run"
            ) as printed:
                self.debugged().run(self.sum, {self.x: [1.0, 0.0, 2.0]})
            self.assertAllClose(np.load(path), [-np.inf, np.log(2)])
        text = printed.getvalue()
        self.assertIn("array([0.       ,      -inf, 0.6931472], dtype=float32)", text)
        self.assertIn("  shape: (2,)", text)
        self.assertIn("nan  -inf  -  0  +  +inf  total\n0    1     0  0  1  0     2", text)
        self.assertIn("array([2., 1., 3.], dtype=float32)", text)
        self.assertIn("array([1., 0., 2.])", text)

    def test_nodes_are_described_with_their_neighbours_and_lines(self):
        with typed(
            "run", "ni -a -d -t log", "li -r -t sum:0", "lo x", f"ps {__file__} -b 29", "ls", "run"
        ) as printed:
            self.debugged().run(self.sum, {self.x: [1.0]})
        text = printed.getvalue()
        for line in (
            "  Op: Log",
            "    [Placeholder] x",
            '  op: "Log"',
            "  log:0:DebugIdentity",
            '    self.log = tf.log(self.x, name="log")',
            "|- (1) [Log] log\n|  |- (2) [Placeholder] x\n|- (1) [Const] Const",
            "|- (1) log",
            'L29            self.log = tf.log(self.x, name="log")\n    log\n',
        ):
            self.assertIn(line, text)

    def test_wrong_commands_say_what_is_wrong_and_the_prompt_goes_on(self):
        text = self.run_with(
            "bogus", "pt", "pt other", "pt log:7", "pt log[9,9]", "lt -f other", "lt -n (",
            "ni other", 'ev "1 +"', "ps /none", 'pt "', "run -t 0", "run -f other", "pf other",
            "help bogus",
        )  # fmt: skip
        for message in (
            'no command "bogus"', "required: tensor_name", 'no dump of a tensor "other"',
            "there are: log:0", "IndexError", 'no tensor filter named "other"', "unterminated",
            'no node named "other"', "SyntaxError", "No such file", "No closing quotation",
            "at least 1", "there are: has_inf_or_nan", 'not fed "other"', 'command "bogus" here',
        ):  # fmt: skip
            self.assertIn(message, text)

    def test_a_run_goes_on_until_a_filter_is_true(self):
        with typed("run -f has_inf_or_nan", "lt -f has_inf_or_nan", "exit") as printed:
            session = self.debugged()
            for value in (1.0, 2.0):
                session.run(self.sum, {self.x: [value]})
            with self.assertRaises(SystemExit):
                session.run(self.sum, {self.x: [0.0]})
        text = printed.getvalue()
        self.assertNotIn("call #2 ended", text)
        self.assertIn('The filter "has_inf_or_nan" is true of:\n  log:0\n  sum:0\n', text)

    def test_steps_without_tensors_run_until_the_last(self):
        with typed("run -t 3", "run -n", "run -n", "exit") as printed:
            session = self.debugged()
            for _ in range(5):
                session.run(self.sum, {self.x: [1.0]})
            with self.assertRaises(SystemExit):
                session.run(self.sum, {self.x: [1.0]})
        ended = [line for line in printed.getvalue().splitlines() if "ended" in line]
        self.assertEqual(len(ended), 1)
        self.assertIn("call #3 ended", ended[0])

    def test_filters_of_the_program_are_known_by_their_names(self):
        session = self.debugged()
        session.add_tensor_filter("negative", lambda datum, tensor: np.any(np.less(tensor, 0)))
        with typed("run", "lt -f negative", "run") as printed:
            session.run(self.log, {self.x: [0.5]})
        self.assertIn('1 dumped tensor(s) passing filter "negative"', printed.getvalue())
        with self.assertRaises(TypeError):
            session.add_tensor_filter("none", 3)
        with self.assertRaisesRegex(ValueError, "ui_type"):
            self.debugged(ui_type="windows")

    def test_a_step_that_fails_is_told_and_raises(self):
        failing = tf.debugging.check_numerics(self.log, "wrong", name="check")
        with typed("run", "ni check", "lt", "run") as printed:
            with self.assertRaises(tf.errors.InvalidArgumentError):
                self.debugged().run(failing, {self.x: [-1.0]})
        text = printed.getvalue()
        self.assertIn("call #1 failed:\nwrong", text)
        self.assertIn("  Op: CheckNumerics", text)

    def test_the_session_is_the_default_one_and_the_session_itself_otherwise(self):
        with typed("run", "run", "run", "run") as printed:
            with self.debugged() as session:
                self.assertIs(tf.get_default_session(), session)
                self.assertAllClose(self.sum.eval({self.x: [np.e]}), 1.0)
                call = session.make_callable(self.sum, [self.x])
                self.assertAllClose(call([np.e]), 1.0)
                self.assertIs(session.graph, tf.get_default_graph())
                with self.assertRaises(NotImplementedError):
                    session.partial_run_setup([self.sum], [self.x])
        self.assertEqual(printed.getvalue().count("ended"), 2)
        self.assertIsNone(tf.get_default_session())

    def test_a_hook_stops_at_the_steps_of_a_monitored_session(self):
        hook = troupe.debug.LocalCLIDebugHook(ui_type="readline")
        with tf.train.MonitoredSession(hooks=[hook]) as session:
            with typed("run", "pt log", "run -n") as printed:
                session.run(self.sum, {self.x: [np.e]})
                session.run(self.sum, {self.x: [np.e]})
        self.assertIn("array([1.], dtype=float32)", printed.getvalue())


if __name__ == "__main__":
    unittest.main()
