"""Columns of `tf.contrib.layers`: their keys, what they parse, and which ones are refused."""

import copy
import unittest

import troupe as tf
import troupe.python  # makes modules at their places in TensorFlow's source
from troupe.contrib.layers.python.layers import feature_column as fc  # isort: skip

layers = tf.contrib.layers


class KeysTest(unittest.TestCase):
    def test_the_key_of_a_column_is_the_text_that_tensorflow_has(self):
        word = layers.sparse_column_with_hash_bucket("word", 10)
        text = (
            "_SparseColumnHashed(column_name='word', is_integerized=False, bucket_size=10, "
            "lookup_config=None, combiner='sum', dtype=tf.string)"
        )
        self.assertEqual((repr(word), word.key), (text, text))
        self.assertEqual(
            layers.embedding_column(word, 4).key,
            f"_EmbeddingColumn(sparse_id_column={text}, dimension=4, combiner=mean, "
            "ckpt_to_load_from=None, tensor_name_in_ckpt=None, shared_embedding_name=None, "
            "shared_vocab_size=None, max_norm=None, trainable=True)",
        )
        price = layers.real_valued_column("price", dimension=2)
        self.assertEqual(
            price.key,
            "_RealValuedColumn(column_name=price, dimension=2, default_value=None, "
            "dtype=<dtype: 'float32'>)",
        )
        keys = layers.sparse_column_with_keys("key", ["a", "b"])
        self.assertIn(
            "lookup_config=_SparseIdLookupConfig(vocabulary_file=None, keys=('a', 'b'), "
            "num_oov_buckets=0, vocab_size=2, default_value=-1)",
            layers.one_hot_column(keys).key,
        )
        self.assertEqual(
            layers.bucketized_column(price, [1.0, 1.0, 2.0]).key,
            "_BucketizedColumn(source_column=_RealValuedColumn(column_name='price', dimension=2, "
            "default_value=None, dtype=tf.float32, normalizer=None), boundaries=(1.0, 2.0))",
        )

    def test_names_say_what_columns_are_made_of(self):
        word = layers.sparse_column_with_hash_bucket("word", 10)
        age = layers.bucketized_column(layers.real_valued_column("age"), [1.0])
        weighted = layers.weighted_sparse_column(word, "weight")
        crossed = layers.crossed_column([word, age], 100)
        names = {
            "age_bucketized_X_word": crossed,
            "word_weighted_by_weight": weighted,
            "word_weighted_by_weight_one_hot": layers.one_hot_column(weighted),
            "age_bucketized_X_word_embedding": layers.embedding_column(crossed, 2),
            "text_scattered_embedding": layers.scattered_embedding_column("text", 9, 2, 1),
        }
        for name, column in names.items():
            self.assertEqual(column.name, name)
        nested = layers.crossed_column([crossed, layers.sparse_column_with_keys("b", ["x"])], 9)
        self.assertEqual(nested.name, "age_bucketized_X_word_X_b")

    def test_shared_embeddings_are_named_after_their_columns(self):
        words = [layers.sparse_column_with_keys(name, ["x", "y"]) for name in "dcab"]
        shared = layers.shared_embedding_columns(words, 3)
        self.assertIsInstance(shared, tuple)
        self.assertEqual(
            [column.name for column in shared], [f"{name}_shared_embedding" for name in "dcab"]
        )
        self.assertEqual(shared[0].shared_embedding_name, "a_b_c_plus_1_others_shared_embedding")
        two = layers.shared_embedding_columns(words[:2], 3)
        self.assertEqual(two[0].shared_embedding_name, "c_d_shared_embedding")
        one = layers.shared_embedding_columns(words[:1], 3, shared_embedding_name="own")
        self.assertEqual([each.shared_embedding_name for each in one], ["own"])

    def test_copies_are_equal_and_usable_as_keys(self):
        word = layers.sparse_column_with_hash_bucket("word", 10, hash_keys=[[1, 2]])
        other = copy.deepcopy(word)
        self.assertEqual((other, other.hash_keys, other.key), (word, [[1, 2]], word.key))
        self.assertEqual({word: 1}[other], 1)


class SpecTest(unittest.TestCase):
    def test_examples_are_parsed_as_columns_need_them(self):
        word = layers.sparse_column_with_hash_bucket("word", 5)
        price = layers.real_valued_column("price", dimension=2, default_value=3)
        spec = layers.create_feature_spec_for_parsing([
            layers.weighted_sparse_column(word, "weight", dtype=tf.int64),
            layers.crossed_column([layers.bucketized_column(price, [1.0]), word], 9),
            layers.embedding_column(layers.sparse_column_with_integerized_feature("id", 9), 2),
            layers.scattered_embedding_column("text", 9, 2, 1),
            fc._real_valued_var_len_column("many", default_value=1),
            fc._real_valued_var_len_column("rare", is_sparse=True, dtype=tf.int64),
        ])  # fmt: skip
        self.assertEqual(spec, {
            "word": tf.VarLenFeature(tf.string),
            "weight": tf.VarLenFeature(tf.int64),
            "price": tf.FixedLenFeature([2], tf.float32, [3.0, 3.0]),
            "id": tf.VarLenFeature(tf.int64),
            "text": tf.VarLenFeature(tf.string),
            "many": tf.FixedLenSequenceFeature([], tf.float32, True, 1.0),
            "rare": tf.VarLenFeature(tf.int64),
        })  # fmt: skip
        with self.assertRaisesRegex(TypeError, "tf.feature_column"):
            layers.create_feature_spec_for_parsing([tf.feature_column.numeric_column("a")])

    def test_columns_are_parsed_and_transformed(self):
        price = layers.real_valued_column("price", normalizer=lambda x: x - 1.0)
        word = layers.sparse_column_with_keys("word", ["a", "b"])
        feature = {
            "price": tf.train.Feature(float_list=tf.train.FloatList(value=[3.0])),
            "word": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"b", b"z", b"a"])),
        }
        example = tf.train.Example(features=tf.train.Features(feature=feature))
        with tf.Graph().as_default(), tf.Session() as session:
            found = layers.parse_feature_columns_from_examples(
                [example.SerializeToString()], [price, word]
            )
            self.assertEqual(set(found), {"price", "word", price, word})
            session.run(tf.tables_initializer())
            self.assertEqual(session.run(found[price]).tolist(), [[2.0]])
            self.assertEqual(session.run(found[word].values).tolist(), [1, -1, 0])
            only = layers.transform_features({"price": tf.constant([[5.0]])}, [price])
            self.assertEqual(list(only), [price])
            self.assertEqual(session.run(only[price]).tolist(), [[4.0]])

    def test_placeholders_are_made_for_the_features_of_columns(self):
        with tf.Graph().as_default():
            word = layers.sparse_column_with_hash_bucket("word", 5)
            made = layers.make_place_holder_tensors_for_base_features(
                [word, layers.real_valued_column("price", dimension=3)]
            )
            self.assertIsInstance(made["word"], tf.SparseTensor)
            self.assertEqual(made["price"].name, "Placeholder_price:0")
            self.assertEqual(made["price"].shape.as_list(), [None, 3])

    def test_columns_are_inferred_for_dense_numbers(self):
        with tf.Graph().as_default():
            given = {"a": tf.zeros([2, 3, 4], tf.int32), "b": tf.placeholder(tf.float32, [None])}
            found = layers.infer_real_valued_columns(given)
            self.assertEqual(
                [(each.name, each.dimension, each.dtype) for each in found],
                [("a", 12, tf.int32), ("b", 1, tf.float32)],
            )
            self.assertEqual(layers.infer_real_valued_columns(tf.zeros([2, 3]))[0].name, "")
            for wrong, text in (
                (tf.constant(["x"]), "Non integer"),
                (tf.sparse_placeholder(tf.float32), "SparseTensor"),
                (tf.placeholder(tf.float32, [None, None]), "not known"),
            ):
                with self.assertRaisesRegex(ValueError, text):
                    layers.infer_real_valued_columns({"a": wrong})


class RefusalsTest(unittest.TestCase):
    def test_columns_of_wrong_options_are_refused(self):
        word = layers.sparse_column_with_hash_bucket("word", 5)
        price = layers.real_valued_column("price")
        for kind, make, text in (
            (ValueError, lambda: layers.sparse_column_with_hash_bucket("a", 0), "at least 1"),
            (ValueError, lambda: layers.sparse_column_with_hash_bucket("a", None), "bucket_size"),
            (ValueError, lambda: layers.sparse_column_with_hash_bucket("a", 5, dtype=tf.float32),
             "string or integer"),
            (ValueError, lambda: layers.sparse_column_with_hash_bucket("a", 5, hash_keys=[]),
             "non-empty list"),
            (ValueError, lambda: layers.sparse_column_with_hash_bucket("a", 5, hash_keys=[[1]]),
             "pair of integers"),
            (ValueError, lambda: layers.sparse_column_with_integerized_feature(
                "a", 5, dtype=tf.string), "must be an integer"),
            (ValueError, lambda: layers.sparse_column_with_vocabulary_file("a", "f"), "vocab_size"),
            (ValueError, lambda: layers.weighted_sparse_column(word, "w", tf.string), "float"),
            (TypeError, lambda: layers.real_valued_column("a", dimension=None), "an integer"),
            (ValueError, lambda: layers.real_valued_column("a", dimension=0), "greater than 0"),
            (ValueError, lambda: layers.real_valued_column("a", dtype=tf.string), "convertible"),
            (ValueError, lambda: layers.real_valued_column("a", 2, default_value=[1.0]), "length"),
            (TypeError, lambda: layers.real_valued_column("a", default_value=1.5, dtype=tf.int32),
             "compatible with dtype"),
            (TypeError, lambda: layers.bucketized_column(word, [1.0]), "_RealValuedColumn"),
            (ValueError, lambda: layers.bucketized_column(price, []), "non-empty"),
            (ValueError, lambda: layers.bucketized_column(price, [2.0, 1.0]), "sorted"),
            (TypeError, lambda: layers.crossed_column([word, price], 9), "crossed|_CrossedColumn"),
            (ValueError, lambda: layers.crossed_column([word], 9), "at least 2 elements"),
            (ValueError, lambda: layers.crossed_column([word, word], 1), "at least 2"),
            (ValueError, lambda: layers.embedding_column(word, 2, initializer=3), "callable"),
            (ValueError, lambda: layers.embedding_column(word, 2, ckpt_to_load_from="a"),
             "Must specify both"),
            (TypeError, lambda: layers.shared_embedding_columns("word", 2), "non-string"),
            (ValueError, lambda: layers.shared_embedding_columns([], 2), "one element"),
            (TypeError, lambda: layers.shared_embedding_columns([price], 2), "_SparseColumn"),
            (ValueError, lambda: layers.shared_embedding_columns(
                [word, layers.sparse_column_with_keys("b", ["x"])], 2), "not compatible"),
            (ValueError, lambda: layers.scattered_embedding_column("a", 0, 2, 1), "greater than 0"),
            (ValueError, lambda: layers.scattered_embedding_column("a", 9, 2, 1, "max"), "one of"),
            (ValueError, lambda: layers.check_feature_columns({"a": price}), "found dict"),
            (ValueError, lambda: layers.check_feature_columns([price, copy.copy(price)]),
             "Duplicate feature column key"),
        ):  # fmt: skip
            with self.subTest(text), self.assertRaisesRegex(kind, text):
                make()

    def test_columns_of_one_vocabulary_are_compatible(self):
        make = layers.sparse_column_with_keys
        one, other = make("one", ["a", "b"]), make("other", ["a", "b"])
        self.assertTrue(one.is_compatible(other))
        self.assertFalse(one.is_compatible(make("other", ["a", "c"])))
        self.assertTrue(one.is_compatible(layers.sparse_column_with_hash_bucket("other", 2)))
        weighted = layers.weighted_sparse_column(one, "weight")
        self.assertTrue(weighted.is_compatible(other))
        self.assertTrue(weighted.is_compatible(layers.weighted_sparse_column(other, "w")))
        ids = layers.sparse_column_with_integerized_feature("id", 2)
        self.assertFalse(one.is_compatible(ids))


if __name__ == "__main__":
    unittest.main()
