"""The results of public functions are those of TensorFlow, which values.json records."""

import json
import pathlib
import unittest

import numpy as np
from cases import GROUPS, evaluate, texts

import troupe as tf

RECORDED = json.loads(pathlib.Path(__file__).with_name("values.json").read_text())


class ValuesTest(unittest.TestCase):
    def check_group(self, group):
        for expression in GROUPS[group]:
            with self.subTest(expression):
                found, expected = evaluate(tf, expression), RECORDED[expression]
                self.assertEqual(len(found), len(expected))
                for array, record in zip(found, expected):
                    self.check_array(array, record)

    def check_array(self, array, record):
        self.assertEqual(list(array.shape), record["shape"])
        if record["dtype"] == "string":
            self.assertEqual(texts(array), record["values"])
            return
        self.assertEqual(str(array.dtype), record["dtype"])
        flat = array.reshape(-1)
        if array.dtype.kind == "c":
            flat = flat.view(array.real.dtype)
        values = np.array(record["values"], flat.dtype)
        np.testing.assert_allclose(flat, values, rtol=3e-5, atol=3e-5)

    def test_elements(self):
        self.check_group("elements")

    def test_text(self):
        self.check_group("text")

    def test_networks(self):
        self.check_group("networks")

    def test_losses_clipping_and_schedules(self):
        self.check_group("losses")

    def test_layers(self):
        self.check_group("layers")

    def test_images(self):
        self.check_group("images")

    def test_sparse_tensors(self):
        self.check_group("sparse")

    def test_embeddings_and_sampled_losses(self):
        self.check_group("embeddings")

    def test_all_calls_are_recorded_and_no_others(self):
        self.assertEqual(
            {call for calls in GROUPS.values() for call in calls}, RECORDED.keys()
        )


if __name__ == "__main__":
    unittest.main()
