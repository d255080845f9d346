"""Options, with fields as in TensorFlow's messages."""

import unittest

import numpy as np

import troupe as tf


class ConfigTest(unittest.TestCase):
    def test_fields_are_set_by_keyword_or_by_attribute(self):
        config = tf.ConfigProto(log_device_placement=True, device_count={"CPU": 2})
        config.gpu_options.allow_growth = True
        config.graph_options.optimizer_options.opt_level = tf.OptimizerOptions.L0
        config.graph_options.rewrite_options.auto_parallel.enable = True
        config.device_filters.append("/job:ps")
        config.device_count["GPU"] = 0
        self.assertEqual(config.device_count, {"CPU": 2, "GPU": 0})
        self.assertEqual(tf.ConfigProto().device_filters, [])
        self.assertFalse(tf.ConfigProto().gpu_options.allow_growth)
        self.assertIn("opt_level=-1", repr(config))

    def test_an_unknown_field_is_an_error_that_names_it(self):
        with self.assertRaisesRegex(ValueError, 'ConfigProto has no "log_placement" field'):
            tf.ConfigProto(log_placement=True)
        with self.assertRaisesRegex(AttributeError, 'GPUOptions has no "growth" field'):
            tf.ConfigProto().gpu_options.growth = True

    def test_options_are_copied_and_merged(self):
        one = tf.ConfigProto(operation_timeout_in_ms=5, device_filters=["/job:ps"])
        copy = tf.ConfigProto()
        copy.CopyFrom(one)
        self.assertEqual(copy, one)
        copy.device_filters.append("/job:worker")
        self.assertEqual(one.device_filters, ["/job:ps"])
        more = tf.ConfigProto(device_filters=["/job:chief"], log_device_placement=True)
        one.MergeFrom(more)
        self.assertEqual(one.operation_timeout_in_ms, 5)
        self.assertEqual(one.device_filters, ["/job:ps", "/job:chief"])
        self.assertTrue(one.log_device_placement and one.HasField("log_device_placement"))
        self.assertFalse(one.HasField("gpu_options"))

    def test_pools_of_threads_are_added_one_by_one_and_merged(self):
        config, other = tf.ConfigProto(), tf.ConfigProto()
        config.session_inter_op_thread_pool.add().num_threads = 2
        other.session_inter_op_thread_pool.add(global_name="shared")
        config.MergeFrom(other)
        config.session_inter_op_thread_pool.add()
        pools = config.session_inter_op_thread_pool
        self.assertEqual([pool.num_threads for pool in pools], [2, 0, 0])
        self.assertEqual([pool.global_name for pool in pools], ["", "shared", ""])
        with tf.Session(config=config) as session:
            self.assertEqual(session.run(tf.constant(3)), 3)

    def test_graph_options_say_whether_element_wise_ops_are_fused(self):
        def is_fused(config):
            """Whether memory suffices, which single ops would need for several results at once."""
            limited = tf.ConfigProto(cpu_memory_limit=3 << 20)
            server = tf.train.Server.create_local_server(config=limited)
            with tf.Graph().as_default(), tf.Session(server.target, config=config) as session:
                x = tf.placeholder(tf.float32, [None])
                terms = [(x + i) * (x - i) for i in range(1, 3)]
                products = [terms[0] * terms[1]]
                terms = [(x + i) * (x - i) for i in range(3, 5)]
                products.append(terms[0] * terms[1])
                y = tf.maximum(products[0], products[1])
                try:
                    value = session.run(y, {x: np.ones(1 << 18, np.float32)})
                except tf.errors.ResourceExhaustedError:
                    return False
            self.assertEqual(value[0], 120.0)
            return True

        self.assertTrue(is_fused(tf.ConfigProto()))
        for name, value in (("remapping", 2), ("disable_meta_optimizer", True)):
            config = tf.ConfigProto()
            setattr(config.graph_options.rewrite_options, name, value)
            self.assertFalse(is_fused(config), name)
        config = tf.ConfigProto()
        config.graph_options.optimizer_options.opt_level = tf.OptimizerOptions.L0
        self.assertFalse(is_fused(config))

    def test_rewrites_that_are_off_are_passes_that_the_master_leaves_out(self):
        passes = {
            "materialize_shapes",
            "fold_constants",
            "spread_constants",
            "simplify_arithmetic",
            "merge_duplicates",
            "reduce_controls",
        }

        def enabled(config):
            options = config._for_session("")
            self.assertLessEqual(set(options["disabled_passes"]), passes)
            return passes - set(options["disabled_passes"]) if options["optimizes"] else set()

        self.assertEqual(enabled(tf.ConfigProto()), passes)
        config = tf.ConfigProto()
        config.graph_options.rewrite_options.constant_folding = 2
        config.graph_options.rewrite_options.arithmetic_optimization = 1
        self.assertEqual(enabled(config), passes - {"fold_constants", "spread_constants"})
        with tf.Session(config=config) as session:
            self.assertEqual(session.run(tf.constant(2.0) + 3.0), 5.0)
        config.graph_options.rewrite_options.common_subgraph_elimination = 2
        self.assertNotIn("merge_duplicates", enabled(config))
        config.graph_options.optimizer_options.opt_level = tf.OptimizerOptions.L0
        self.assertEqual(enabled(config), set())

    def test_mixed_precision_is_what_the_options_turn_on(self):
        config = tf.ConfigProto()
        self.assertFalse(config._for_session("")["mixes_precision"])
        config.graph_options.rewrite_options.auto_mixed_precision = 1
        config.graph_options.optimizer_options.opt_level = tf.OptimizerOptions.L0
        self.assertTrue(config._for_session("")["mixes_precision"])
        config.graph_options.rewrite_options.disable_meta_optimizer = True
        self.assertFalse(config._for_session("")["mixes_precision"])

    def test_a_session_without_a_target_uses_the_gpus_that_its_config_leaves(self):
        self.assertTrue(tf.ConfigProto()._for_session("")["uses_gpus"])
        self.assertFalse(tf.ConfigProto()._for_session("troupe://localhost:1")["uses_gpus"])
        config = tf.ConfigProto(device_count={"GPU": 0})
        self.assertFalse(config._for_session("")["uses_gpus"])
        config = tf.ConfigProto()
        config.gpu_options.per_process_gpu_memory_fraction = 0.4
        config.gpu_options.visible_device_list = "1"
        options = config._for_session("")
        self.assertEqual((options["gpus"], options["gpu_memory_fraction"]), ([1], 0.4))
        # Without a card, it is the processor that computes.
        with tf.Session(config=tf.ConfigProto()) as session:
            self.assertEqual(session.run(tf.constant(2.0) + 3.0), 5.0)

    @unittest.skipIf(tf.test.is_gpu_available(), "for machines without cards")
    def test_cards_that_are_listed_do_not_matter_where_there_are_none(self):
        config = tf.ConfigProto(gpu_options=tf.GPUOptions(visible_device_list="0"))
        with tf.Session(config=config) as session:
            self.assertEqual(session.run(tf.constant(2.0) + 3.0), 5.0)
        with tf.Graph().as_default():
            step = tf.train.get_or_create_global_step()
            with tf.train.MonitoredTrainingSession(config=config) as session:
                self.assertEqual(session.run(step), 0)
        server = tf.train.Server({"local": ["localhost:0"]}, config=config)
        with tf.Session(server.target) as session:
            self.assertEqual(session.run(tf.constant(2.0) + 3.0), 5.0)
        wrong = tf.GPUOptions(visible_device_list="0", per_process_gpu_memory_fraction=2.0)
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "fraction"):
            tf.Session(config=tf.ConfigProto(gpu_options=wrong)).run(tf.constant(1.0))


if __name__ == "__main__":
    unittest.main()
