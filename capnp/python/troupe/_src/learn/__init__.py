"""Parts of `tf.contrib.learn`: the names of modes, and vocabularies of documents."""
