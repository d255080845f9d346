"""Profiles of graphs: parameters, floating-point operations, times."""

import contextlib
import io
import pathlib

import troupe as tf

Builder = tf.profiler.ProfileOptionBuilder


def network():
    """A convolution with a bias, a pool and a product; the sizes of all are known."""
    x = tf.placeholder(tf.float32, [8, 28, 28, 1])
    w = tf.get_variable("w", [3, 3, 1, 16], initializer=tf.zeros_initializer())
    b = tf.get_variable("b", [16], initializer=tf.zeros_initializer())
    tf.get_variable("steps", [], tf.int32, tf.zeros_initializer(), trainable=False)
    with tf.name_scope("net"):
        y = tf.nn.bias_add(tf.nn.conv2d(x, w, [1, 1, 1, 1], "SAME"), b)
        y = tf.nn.max_pool(tf.nn.relu(y), [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
        k = tf.get_variable("d/k", [14 * 14 * 16, 10], initializer=tf.zeros_initializer())
        z = tf.matmul(tf.reshape(y, [8, -1]), k)
    return x, tf.reduce_mean(tf.nn.softmax(z))


def found(record):
    """{name: operations} of all records below one."""
    own = {record.name: record.float_ops} if record.float_ops else {}
    for child in record.children:
        own.update(found(child))
    return own


class ProfileTest(tf.test.TestCase):
    def test_operations_are_those_that_tensorflow_counts(self):
        network()
        options = Builder(Builder.float_operation()).with_empty_output().build()
        profile = tf.profiler.profile(tf.get_default_graph(), options=options)
        # As counted by TensorFlow 2.21 for this graph.
        expected = {
            "net/Conv2D": 1806336,
            "net/MatMul": 501760,
            "net/BiasAdd": 100352,
            "net/MaxPool": 100352,
            "Softmax": 400,
            "Mean": 80,
        }
        self.assertEqual(found(profile), expected)
        self.assertEqual(profile.total_float_ops, sum(expected.values()))
        self.assertEqual(profile.children[0].name, "net")  # most first

    def test_gradients_and_steps_of_optimizers_are_counted(self):
        x, loss = network()
        tf.gradients(loss, tf.trainable_variables())
        options = Builder(Builder.float_operation()).with_empty_output().build()
        by_op = tf.profiler.profile(options=options, cmd="op")
        counts = {child.name: child.total_float_ops for child in by_op.children}
        self.assertEqual(counts["Conv2DBackpropFilter"], 2 * 8 * 28 * 28 * 144)
        self.assertEqual(counts["MatMul"], 3 * 501760)
        self.assertEqual(counts["MaxPoolGrad"], 5 * 8 * 14 * 14 * 16)

    def test_unknown_sizes_are_not_counted(self):
        x = tf.placeholder(tf.float32, [None, 4])
        tf.matmul(x, tf.ones([4, 4]))
        options = Builder(Builder.float_operation()).with_empty_output().build()
        self.assertEqual(tf.profiler.profile(options=options).total_float_ops, 0)

    def test_parameters_of_trainable_variables_are_shown(self):
        network()
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            profile = tf.profiler.profile(options=Builder.trainable_variables_parameter())
        self.assertEqual(profile.total_parameters, 144 + 16 + 31360)
        lines = output.getvalue().splitlines()
        self.assertEqual(lines[:2], ["node name | # params", "_TFProfRoot (--/31.52k params)"])
        self.assertIn("    d/k (31.36k/31.36k params)", lines)

    def test_names_choose_what_is_counted(self):
        network()
        options = (
            Builder(Builder.float_operation())
            .with_node_names(show_name_regexes=["net/.*"], hide_name_regexes=[".*MatMul"])
            .with_min_float_operations(10**6)
            .with_empty_output()
            .build()
        )
        self.assertEqual(found(tf.profiler.profile(options=options)), {"net/Conv2D": 1806336})

    def test_times_of_a_step_are_those_of_its_metadata(self):
        x, loss = network()
        metadata = tf.RunMetadata()
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            session.run(
                loss,
                {x: [[[[1.0]] * 28] * 28] * 8},
                tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE),
                metadata,
            )
        profiler = tf.profiler.Profiler()
        profiler.add_step(0, metadata)
        path = pathlib.Path(self.get_temp_dir(), "profile")
        options = Builder(Builder.time_and_memory()).with_file_output(str(path)).build()
        profile = profiler.profile_name_scope(options)
        self.assertGreater(profile.total_exec_micros, 0)
        self.assertIn("net", [child.name for child in profile.children])
        self.assertTrue(path.read_text().startswith("node name | # micros\n_TFProfRoot"))

    def test_the_older_module_prints_the_same(self):
        network()
        analyzer, shown = tf.contrib.tfprof.model_analyzer, []
        for options in (
            analyzer.TRAINABLE_VARS_PARAMS_STAT_OPTIONS,
            {**analyzer.FLOAT_OPS_OPTIONS, "dump_to_file": ""},
        ):
            with contextlib.redirect_stdout(io.StringIO()) as out:
                found = analyzer.print_model_analysis(
                    tf.get_default_graph(), tfprof_options=options
                )
            shown.append((found.total_parameters, found.total_float_ops, bool(out.getvalue())))
        with contextlib.redirect_stdout(io.StringIO()):
            first = tf.profiler.profile(options=Builder.trainable_variables_parameter())
            second = tf.profiler.profile(options=Builder.float_operation())
        self.assertEqual(shown[0], (first.total_parameters, first.total_float_ops, True))
        self.assertEqual(shown[1], (second.total_parameters, second.total_float_ops, True))

    def test_wrong_options_are_refused(self):
        with self.assertRaisesRegex(ValueError, "'scope', 'graph' or 'op', not 'code'"):
            tf.profiler.profile(cmd="code")
        with self.assertRaisesRegex(ValueError, "not to 'pprof'"):
            tf.profiler.profile(options={**Builder().build(), "output": "pprof:outfile=x"})


if __name__ == "__main__":
    tf.test.main()
