"""The commits of the repositories from which programs come."""

COMMITS = {
    "MorvanZhou/Reinforcement-learning-with-tensorflow": "93e333484be0e262d28b65507b6a1d002424a056",
    "MorvanZhou/Tensorflow-Tutorial": "42dc32de532d146725aeef965d87871142a542d6",
    "NVIDIA/tensorflow": "7cbba04a2ee16d21309eefad5be6585183a2d5a9",
    "PetarV-/GAT": "5af87e7fce2b90ae1cbd621cd58059036a3c7436",
    "aymericdamien/TensorFlow-Examples": "6dcbe14649163814e72a22a999f20c5e247ce988",
    "blei-lab/edward": "352596c3bc77e1cb5c01f77ac3283a53c74dbf21",
    "carpedm20/DCGAN-tensorflow": "62c9a2a7f74505cad30858bf40307c93e5bd9293",
    "cbfinn/maml": "a7f45f1bcd7457fe97b227a21e89b8a82cc5fa49",
    "chiphuyen/stanford-tensorflow-tutorials": "51e53daaa2a32cfe7a1966f060b28dbbd081791c",
    "deepmind/scalable_agent": "6c0c8a701990fab9053fb338ede9c915c18fa2b1",
    "dennybritz/cnn-text-classification-tf": "18762b459e21d9c70e5c242f8d43fc4e6db37a0d",
    "google-research/bert": "eedf5716ce1268e56f0a50264a88cafad334ac61",
    "hunkim/DeepLearningZeroToAll": "60c707e02af7bd950401faeadcc6c0e1b39b2978",
    "hwalsuklee/tensorflow-generative-model-collections": (
        "3abde8a9bcfe31815da50347d14641ec95096f62"
    ),
    "hwalsuklee/tensorflow-mnist-VAE": "e7903ac398aa5fc3eec8470177abf6ef78d9cac1",
    "igul222/improved_wgan_training": "fa66c574a54c4916d27c55441d33753dcc78f6bc",
    "ischlag/distributed-tensorflow-example": "4e81805ab3310ab289363ff169ca7b935105933c",
    "jakeret/tf_unet": "0dcdf2ff1ebcc2ee59997d127a0c0be847168884",
    "kubeflow/tf-operator": "47a74b738920edbf4207160cec7e1dff9cdab3f2",
    "lambdaji/tf_repos": "b531ff12cdab65acc9551025f73fade2b6f425a7",
    "nlintz/TensorFlow-Tutorials": "d6bdab7df46492446c48537fcf37e20ba44e8168",
    "rishizek/tensorflow-deeplab-v3": "a5d7ff2a14ebafb8a9b783271e4add82488528d3",
    "sherjilozair/char-rnn-tensorflow": "4bff62d34ba6d536f052145cd3f8f79b6fa11365",
    "tensorflow/nmt": "0be864257a76c151eef20ea689755f08bc1faf4e",
    "tflearn/tflearn": "db5176773299b67a2a75c5889fb2aba7fd0fea8a",
    "tkipf/gae": "0ebbe9b9a8f496eb12deb9aa6a62e7016b5a5ac3",
    "tkipf/gcn": "39a4089fe72ad9f055ed6fdb9746abdcfebc4d81",
    "tmulc18/Distributed-TensorFlow-Guide": "8e7fec757112a3ab5dccff93e848e7617ef7ed3e",
}
