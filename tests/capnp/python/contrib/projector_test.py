"""The file that tells a viewer which tensors are embeddings."""

import os
import tempfile
import unittest
from unittest import mock

import troupe as tf

projector = tf.contrib.tensorboard.plugins.projector


class ProjectorTest(tf.test.TestCase):
    def test_the_folder_of_a_writer_has_the_configuration(self):
        config = projector.ProjectorConfig(model_checkpoint_path="model.ckpt")
        embedding = config.embeddings.add()
        embedding.tensor_name, embedding.metadata_path = "words", "labels.tsv"
        embedding.sprite.image_path = "sprite.png"
        embedding.sprite.single_image_dim.extend([28, 28])
        with tempfile.TemporaryDirectory() as folder:
            projector.visualize_embeddings(tf.summary.FileWriter(folder), config)
            with open(os.path.join(folder, "projector_config.pbtxt")) as file:
                text = file.read()
        self.assertEqual(text, "\n".join([
            'model_checkpoint_path: "model.ckpt"', "embeddings {", '  tensor_name: "words"',
            '  metadata_path: "labels.tsv"', "  sprite {", '    image_path: "sprite.png"',
            "    single_image_dim: 28", "    single_image_dim: 28", "  }", "}", "",
        ]))  # fmt: skip
        self.assertEqual(projector.ProjectorConfig.FromString(config.SerializeToString()), config)

    def test_a_writer_has_a_folder(self):
        writer = mock.Mock(get_logdir=lambda: None)
        with self.assertRaisesRegex(ValueError, "must have a logdir"):
            projector.visualize_embeddings(writer, projector.ProjectorConfig())


if __name__ == "__main__":
    unittest.main()
