"""`tf.contrib.learn`: the names of modes, and numbers for the words of documents."""

import copy
import json
import os
import unittest
import unittest.mock

import troupe as tf

learn = tf.contrib.learn


class LearnTest(tf.test.TestCase):
    def test_modes_have_names(self):
        modes = learn.ModeKeys
        self.assertEqual((modes.TRAIN, modes.EVAL, modes.INFER), ("train", "eval", "infer"))
        modes.validate("infer")
        with self.assertRaisesRegex(ValueError, "Invalid mode test"):
            modes.validate("test")

    def test_older_settings_are_those_of_estimators(self):
        config = learn.RunConfig(
            "grpc://one:1", save_checkpoints_steps=3, model_dir="m", gpu_memory_fraction=0.5,
            evaluation_master="grpc://two:1",
        )  # fmt: skip
        self.assertIsInstance(config, tf.estimator.RunConfig)
        self.assertEqual((config.master, config.evaluation_master, config.model_dir),
                         ("grpc://one:1", "grpc://two:1", "m"))  # fmt: skip
        self.assertEqual((config.save_checkpoints_steps, config.save_checkpoints_secs), (3, None))
        options = config.session_config.gpu_options
        self.assertEqual(options.per_process_gpu_memory_fraction, 0.5)
        config = learn.RunConfig()
        self.assertEqual((config.master, config.save_checkpoints_secs), ("", 600))
        with self.assertRaisesRegex(ValueError, "cannot be both set"):
            learn.RunConfig(save_checkpoints_steps=3, save_checkpoints_secs=4)

    def test_the_chief_is_the_first_worker_and_in_the_cloud_the_master(self):
        cluster = {"ps": ["a:1", "b:1"], "worker": ["c:1", "d:1"], "master": ["e:1"]}
        for environment, kind, index, is_chief in (
            ("local", "worker", 0, True), ("local", "worker", 1, False),
            ("local", "master", 0, False), ("cloud", "master", 0, True),
            ("cloud", "worker", 0, False), ("cloud", "ps", 1, False),
        ):  # fmt: skip
            config = self.config(cluster=cluster, environment=environment,
                                 task={"type": kind, "index": index})  # fmt: skip
            self.assertEqual((config.is_chief, config.task_type), (is_chief, kind))
            self.assertEqual((config.num_ps_replicas, config.num_worker_replicas), (2, 3))
            self.assertEqual(config.master, f"grpc://{cluster[kind][index]}")
            self.assertEqual(config.environment, environment)
        config = self.config(cluster={"ps": ["a:1"], "worker": ["b:1"]}, task={"type": "worker"})
        self.assertEqual((config.is_chief, config.task_id), (True, 0))
        for task, text in (({"type": "cook"}, "cook is not a valid task_type"),
                           ({"type": "ps", "index": 7}, "7 is not a valid task_id")):  # fmt: skip
            with self.assertRaisesRegex(ValueError, text):
                self.config(cluster=cluster, task=task)

    def config(self, *master, **environment):
        with unittest.mock.patch.dict(os.environ, TF_CONFIG=json.dumps(environment)):
            return learn.RunConfig(*master)

    def test_a_target_that_is_given_needs_no_place_in_the_cluster(self):
        config = self.config("grpc://x:1", cluster={"own": ["a:1", "b:1"]}, task={"type": "worker"})
        self.assertEqual(config.master, "grpc://x:1")

    def test_configurations_can_be_copied(self):
        config = self.config(cluster={"ps": ["a:1"], "worker": ["b:1"]}, task={"type": "worker"})
        other = copy.deepcopy(config)
        self.assertEqual((other.cluster_spec, other.uid()), (config.cluster_spec, config.uid()))

    def test_configurations_of_one_task_and_model_have_one_text(self):
        config = learn.RunConfig(model_dir="m")
        self.assertEqual(config.uid(), learn.RunConfig(model_dir="m", tf_random_seed=3).uid())
        self.assertNotEqual(config.uid(), learn.RunConfig(model_dir="n").uid())
        other = learn.RunConfig(model_dir="m", tf_random_seed=3)
        self.assertNotEqual(config.uid(whitelist=[]), other.uid(whitelist=[]))

    def test_hooks_stay_hooks(self):
        hook = tf.train.StopAtStepHook(3)
        self.assertEqual(learn.monitors.replace_monitors_with_hooks([hook], None), [hook])
        self.assertEqual(learn.monitors.replace_monitors_with_hooks(None, None), [])
        with self.assertRaises(TypeError):
            learn.monitors.replace_monitors_with_hooks(["monitor"], None)

    def test_words_have_numbers_in_the_order_in_which_they_come(self):
        processor = learn.preprocessing.VocabularyProcessor(4)
        rows = list(processor.fit_transform(["to be or", "not to be, that's it"]))
        self.assertAllEqual(rows, [[1, 2, 3, 0], [4, 1, 2, 5]])
        self.assertEqual(len(processor.vocabulary_), 7)
        self.assertAllEqual(next(processor.transform(["be what"])), [2, 0, 0, 0])
        self.assertEqual(list(processor.reverse(rows)), ["to be or <UNK>", "not to be that's"])

    def test_rare_words_are_unknown_and_frequent_ones_come_first(self):
        processor = learn.preprocessing.VocabularyProcessor(3, min_frequency=1)
        processor.fit(["c a b", "b a", "b d"])
        self.assertAllEqual(list(processor.transform(["a b c"])), [[2, 1, 0]])
        vocabulary = learn.preprocessing.CategoricalVocabulary()
        for word in "xxxyyz":
            vocabulary.add(word)
        vocabulary.trim(0, max_frequency=3)
        self.assertEqual([vocabulary.reverse(at) for at in range(3)], ["<UNK>", "y", "z"])

    def test_words_are_found_in_texts_of_several_kinds(self):
        found = list(learn.preprocessing.tokenizer(["it's well-known: ABCFile", "été 42"]))
        self.assertEqual(found, [["it's", "well-known", "ABC", "File"], ["été", "42"]])

    def test_a_processor_is_saved_and_restored(self):
        path = os.path.join(self.get_temp_dir(), "vocabulary")
        learn.preprocessing.VocabularyProcessor(2).fit(["a b"]).save(path)
        restored = learn.preprocessing.VocabularyProcessor.restore(path)
        self.assertAllEqual(list(restored.transform(["b a"])), [[2, 1]])

    def test_another_function_may_find_the_words(self):
        processor = learn.preprocessing.VocabularyProcessor(
            2, tokenizer_fn=lambda texts: (list(text) for text in texts)
        )
        self.assertAllEqual(list(processor.fit_transform(["ab", "b"])), [[1, 2], [2, 0]])

    def test_a_vocabulary_without_a_way_back_says_so(self):
        vocabulary = learn.preprocessing.CategoricalVocabulary(support_reverse=False)
        with self.assertRaisesRegex(ValueError, "support_reverse"):
            vocabulary.reverse(0)


if __name__ == "__main__":
    unittest.main()
