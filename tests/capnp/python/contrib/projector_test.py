"""Settings of TensorBoard's projector."""

import os
import tempfile
import unittest

import troupe as tf
from troupe.contrib.tensorboard.plugins import projector

WRITTEN = """\
model_checkpoint_path: "model.ckpt-3"
embeddings {
  tensor_name: "words"
  metadata_path: "words.tsv"
  sprite {
    image_path: "words.png"
    single_image_dim: 28
    single_image_dim: 28
  }
}
"""


class ProjectorTest(unittest.TestCase):
    def test_the_settings_are_a_text_file_beside_the_events(self):
        config = projector.ProjectorConfig(model_checkpoint_path="model.ckpt-3")
        words = config.embeddings.add()
        words.tensor_name = "words"
        words.metadata_path = "words.tsv"
        words.sprite.image_path = "words.png"
        words.sprite.single_image_dim.extend([28, 28])
        with tempfile.TemporaryDirectory() as folder:
            with tf.summary.FileWriter(os.path.join(folder, "logs")) as writer:
                tf.contrib.tensorboard.plugins.projector.visualize_embeddings(writer, config)
            with open(os.path.join(folder, "logs", "projector_config.pbtxt")) as file:
                self.assertEqual(file.read(), WRITTEN)

    def test_a_writer_without_a_folder_is_a_value_error(self):
        class Writer:
            def get_logdir(self):
                return None

        with self.assertRaisesRegex(ValueError, "logdir"):
            projector.visualize_embeddings(Writer(), projector.ProjectorConfig())


if __name__ == "__main__":
    unittest.main()
