"""Examples and options as text: as protobuf prints them."""

import unittest

import troupe as tf

EXAMPLE = """features {
  feature {
    key: "bytes"
    value {
      bytes_list {
        value: "x\\n\\377"
      }
    }
  }
  feature {
    key: "floats"
    value {
      float_list {
        value: 0.1
        value: inf
      }
    }
  }
  feature {
    key: "ints"
    value {
      int64_list {
        value: 1
        value: -2
      }
    }
  }
  feature {
    key: "none"
    value {
    }
  }
}
"""

CONFIG = """device_count {
  key: "GPU"
  value: 0
}
device_filters: "/job:ps"
device_filters: "/job:worker"
gpu_options {
  per_process_gpu_memory_fraction: 0.4
  allow_growth: true
}
graph_options {
  optimizer_options {
    opt_level: -1
  }
}
experimental {
  placement: "cost"
}
"""


def example():
    train = tf.train
    return train.Example(
        features=train.Features(
            feature={
                "ints": train.Feature(int64_list=train.Int64List(value=[1, -2])),
                "floats": train.Feature(float_list=train.FloatList(value=[0.1, float("inf")])),
                "bytes": train.Feature(bytes_list=train.BytesList(value=[b"x\n\xff"])),
                "none": train.Feature(),
            }
        )
    )


class MessageTextsTest(unittest.TestCase):
    def test_examples_are_printed_as_text(self):
        self.assertEqual(str(example()), EXAMPLE)
        self.assertEqual(str(tf.train.Example.FromString(example().SerializeToString())), EXAMPLE)
        self.assertEqual(str(tf.train.Example()), "")
        self.assertEqual(str(tf.train.Int64List(value=[3])), "value: 3\n")

    def test_sequence_examples_are_printed_as_text(self):
        feature = example().features.feature["ints"]
        lists = tf.train.FeatureLists(feature_list={"l": tf.train.FeatureList(feature=[feature])})
        sequence = tf.train.SequenceExample(example().features, lists)
        text = str(sequence)
        self.assertTrue(text.startswith(EXAMPLE.replace("features {", "context {")))
        inner = 'feature_lists {\n  feature_list {\n    key: "l"\n    value {\n      feature {\n'
        self.assertIn(inner + "        int64_list {\n          value: 1\n", text)

    def test_options_are_printed_as_text(self):
        config = tf.ConfigProto(
            device_count={"GPU": 0}, device_filters=["/job:ps", "/job:worker"],
            gpu_options=tf.GPUOptions(per_process_gpu_memory_fraction=0.4, allow_growth=True),
        )  # fmt: skip
        config.graph_options.optimizer_options.opt_level = -1
        config.experimental.placement = "cost"
        _ = config.experimental.not_set  # a field that is only read is none
        self.assertEqual(str(config), CONFIG)
        self.assertEqual(str(tf.ConfigProto()), "")
        # A number of 64 bits keeps its digits.
        fraction = tf.GPUOptions(per_process_gpu_memory_fraction=0.123456789123)
        self.assertEqual(str(fraction), "per_process_gpu_memory_fraction: 0.123456789123\n")


if __name__ == "__main__":
    unittest.main()
