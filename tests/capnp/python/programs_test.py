"""Flags, logging and files."""

import os
import subprocess
import sys
import unittest
from unittest import mock

from absl import flags as absl_flags

import troupe as tf
from troupe._src.platform import flags


class FlagsTest(unittest.TestCase):
    def setUp(self):
        self.values = flags.FlagValues(absl_flags.FlagValues())
        patch = mock.patch.object(flags, "FLAGS", self.values)
        patch.start()
        self.addCleanup(patch.stop)
        tf.app.flags.DEFINE_string("job_name", "worker", "")
        tf.flags.DEFINE_integer("task_index", 0, "")
        tf.flags.DEFINE_float("rate", 1, "")
        tf.flags.DEFINE_bool("sync", False, "")
        tf.flags.DEFINE_list("hosts", "a:1,b:2", "")
        tf.flags.DEFINE_enum("mode", "train", ["train", "eval"], "")

    def test_flags_have_their_defaults_and_what_the_command_line_says(self):
        line = ["program", "--task_index=3", "--sync", "--hosts", "c:3, d:4", "--other", "rest"]
        with mock.patch.object(sys, "argv", line):
            self.assertEqual(flags.FLAGS.task_index, 3)
        self.assertEqual([self.values.job_name, self.values.rate], ["worker", 1.0])
        self.assertEqual([self.values.sync, self.values.hosts], [True, ["c:3", "d:4"]])
        self.assertEqual(flags.parse_flags(line, self.values), ["program", "--other", "rest"])
        with self.assertRaisesRegex(flags.Error, "Unknown command line flag 'other'"):
            self.values(line)
        self.values(["program", "--nosync", "--rate=0.5"])
        self.assertEqual([self.values.sync, self.values.rate], [False, 0.5])

    def test_values_may_be_set_and_asked_for_by_name(self):
        with mock.patch.object(sys, "argv", ["program"]):
            flags.FLAGS.job_name = "ps"
            self.assertEqual(flags.FLAGS.job_name, "ps")
            self.assertEqual(flags.FLAGS.flag_values_dict()["mode"], "train")
            with self.assertRaisesRegex(AttributeError, "missing"):
                flags.FLAGS.missing

    def test_a_value_that_a_flag_cannot_have_is_refused(self):
        for wrong in ("--task_index=many", "--mode=other", "--sync=perhaps"):
            with self.assertRaisesRegex(flags.Error, wrong.split("=")[0]):
                self.values(["program", wrong])
        flags.DEFINE_string("needed", None, "")
        flags.mark_flag_as_required("needed")
        with self.assertRaisesRegex(flags.Error, "needed"):
            self.values(["program"])

    def test_dir_of_the_flags_gives_their_names(self):
        names = ["hosts", "job_name", "mode", "rate", "sync", "task_index"]
        self.assertEqual(dir(self.values), names)

    def test_flags_are_found_by_name(self):
        tf.flags.DEFINE_multi_integer("sizes", 3, "how many")
        tf.flags.DEFINE_multi_enum("kinds", None, ["a", "b"], "")
        tf.flags.DEFINE_spaceseplist("words", "one two", "")
        values = flags.FLAGS
        self.assertIn("sizes", values)
        values(["p", "--sizes=1", "--sizes", "2", "--rate=2"])
        self.assertEqual(values.__dict__["__flags"]["sizes"].value, [1, 2])
        self.assertEqual(getattr(values, "__flags")["rate"].value, 2.0)
        flag = values["sizes"]
        self.assertEqual((flag.default, flag.present), ([3], 2))
        self.assertIn("how many", flag.help)
        self.assertEqual((values.words, values.kinds), (["one", "two"], None))
        self.assertEqual(list(values)[:2], ["job_name", "task_index"])
        values.set_default("job_name", "ps")
        self.assertEqual(values.job_name, "ps")
        del values.words
        self.assertNotIn("words", values)
        tf.flags.DEFINE_string("words", "again", "")
        self.assertEqual(values.words, "again")

    def test_values_of_flags_are_checked(self):
        tf.flags.register_validator("rate", lambda value: value < 5, "too fast")
        with self.assertRaisesRegex(flags.Error, "--rate=6.0: too fast"):
            flags.FLAGS(["p", "--rate=6"])
        tf.flags.DEFINE_string("one", None, "")
        tf.flags.DEFINE_string("other", None, "")
        tf.flags.mark_flags_as_mutual_exclusive(["one", "other"], required=True)
        with self.assertRaisesRegex(flags.Error, "Exactly one of"):
            flags.FLAGS(["p", "--rate=1"])
        self.assertEqual(flags.FLAGS(["p", "--rate=1", "--one=1", "rest"]), ["p", "rest"])

    def test_main_gets_the_arguments_that_are_not_flags(self):
        with self.assertRaises(SystemExit) as caught:
            tf.app.run(lambda argv: argv[1:], ["program", "--task_index=3", "rest"])
        self.assertEqual(caught.exception.code, ["rest"])

    def test_flags_are_those_of_absl(self):
        tf.flags.DEFINE_integer(flag_name="ours", default_value=1, docstring="one")
        program = (
            "from absl import flags; import troupe as tf\n"
            "flags.DEFINE_integer('theirs', 1, 'of absl')\n"
            "tf.flags.DEFINE_string('ours', '', 'own')\n"
            "main = lambda argv: print(argv[1:], tf.flags.FLAGS.theirs, flags.FLAGS.ours)\n"
            "tf.app.run()"
        )
        run = lambda *line: subprocess.run(
            [sys.executable, "-c", program, *line], capture_output=True, text=True
        )
        found = run("--theirs=4", "--ours=x", "--other", "rest").stdout
        self.assertEqual(found, "['--other', 'rest'] 4 x\n")
        self.assertRegex(run("--help").stdout, "(?s)--ours:.*own.*--theirs:.*of absl")


class LoggingTest(unittest.TestCase):
    def test_some_of_many_messages_are_shown(self):
        with self.assertLogs("troupe", "INFO") as logs:
            for number in range(5):
                tf.logging.log_first_n(tf.logging.INFO, "first %d", 2, number)
                tf.logging.log_every_n(tf.logging.WARN, "every %d", 3, number)
                tf.logging.log_if(tf.logging.INFO, "last %d", number == 4, number)
            tf.logging.vlog(1, "unseen")
            tf.logging.fatal("end")
        texts = [line.split(":", 2)[2] for line in logs.output]
        self.assertEqual(
            sorted(texts), ["end", "every 0", "every 3", "first 0", "first 1", "last 4"]
        )


class FilesTest(tf.test.TestCase):
    def test_files_have_the_functions_of_tensorflow(self):
        folder = os.path.join(self.get_temp_dir(), "a", "b")
        tf.gfile.MakeDirs(folder)
        tf.gfile.MakeDirs(folder)
        tf.gfile.MakeDirs("")  # the folder of a file's name without one
        path = os.path.join(folder, "one")
        with tf.gfile.GFile(path, "w") as file:
            file.write("text")
        tf.gfile.Copy(path, path + "2")
        with self.assertRaises(tf.errors.AlreadyExistsError):
            tf.gfile.Rename(path, path + "2")
        tf.gfile.Rename(path, path + "2", overwrite=True)
        self.assertEqual(tf.gfile.ListDirectory(folder), ["one2"])
        self.assertEqual(tf.gfile.Glob(os.path.join(folder, "*")), [path + "2"])
        self.assertEqual(tf.gfile.Stat(path + "2").length, 4)
        self.assertTrue(tf.gfile.IsDirectory(folder) and not tf.gfile.Exists(path))
        tf.gfile.DeleteRecursively(os.path.dirname(folder))
        self.assertFalse(tf.gfile.Exists(folder))


if __name__ == "__main__":
    unittest.main()
