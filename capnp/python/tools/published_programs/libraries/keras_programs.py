"""Programs and libraries that others have published for Keras, the package of its own."""

from __future__ import annotations

from typing import List

from libraries.keras_examples import MADE
from libraries.shared import one
from program import Edits, Program

# The version of Keras that they were written for.
OLDER = [("keras-team/keras@2.2.4", "keras")]
_NARROW = r"max(1, \1 // 16)"

CAPSULES = [
    one("XifengGuo/CapsNet-Keras", "capsulenet.py", arguments,
        [MADE, (r"filters=256", "filters=8"), (r"n_channels=32", "n_channels=2"),
         (r"Dense\((512|1024)", "Dense(16")], "few examples",
        name=f"XifengGuo/capsulenet, {kind}", libraries=OLDER)
    for kind, arguments in (("train", "--epochs 1 --debug"), ("test", "-t"))
]  # fmt: skip

UNET = [
    one("zhixuhao/unet", "main.py", "",
        [(r"input = inputs, output = conv10", "inputs=inputs, outputs=conv10"),
         (r"Conv2D\((64|128|256|512|1024),", rf"Conv2D({_NARROW},"),
         (r"\(256,256(,1)?\)", r"(64,64\1)"), (r"steps_per_epoch=300", "steps_per_epoch=3"),
         (r"num_image = 30", "num_image = 4"),
         (r"predict_generator\(testGene,30", "predict_generator(testGene,4")],
        "membranes, a part of skimage", libraries=OLDER),
]  # fmt: skip

# YOLO with fewer filters, on pictures of 64 and 96 pixels.
_DARKNET: Edits = [
    (r"resblock_body\(x, (\d+),", rf"resblock_body(x, {_NARROW},"),
    (r"DarknetConv2D_BN_Leaky\((\d+), \(3,3\)", rf"DarknetConv2D_BN_Leaky({_NARROW}, (3,3)"),
    (r"make_last_layers\((x|darknet\.output), (\d+),",
     r"make_last_layers(\1, max(1, \2 // 16),"),
    (r"\(416, ?416\)", "(96, 96)"),
    (r"freeze_body=2, weights_path='model_data/(tiny_)?yolo_weights\.h5'",
     "load_pretrained=False"),
    (r"batch_size = 32", "batch_size = 2"), (r"epochs=50,", "epochs=1,"),
    (r"epochs=100,", "epochs=2,"), (r"initial_epoch=50", "initial_epoch=1"),
]  # fmt: skip
_DETECTING: Edits = [
    (r"while True:\n +img = input\(.*\)", "for img in ['JPEGImages/0.jpg']:"),
    (r"r_image\.show\(\)", "r_image.save('seen.png')"),
    (r"ImageFont\.truetype\((?s:.*?)'int32'\)\)", "ImageFont.load_default()"),
    (r"'--(model|anchors|classes)', type", r"'--\1', dest='\1_path', type"),
    (r"draw\.textsize\(label, font\)", "(40, 10)"), (r"\"score\" : 0\.3", '"score" : 0.0'),
]  # fmt: skip

YOLO = [
    one("qqwweee/keras-yolo3", "train.py", "", _DARKNET, "boxes of Keras", libraries=OLDER),
    one("qqwweee/keras-yolo3", "train.py", "",
        [*_DARKNET, (r"model_data/yolo_anchors\.txt", "model_data/tiny_yolo_anchors.txt")],
        "boxes of Keras", name="qqwweee/keras-yolo3/train, tiny", libraries=OLDER),
    one("qqwweee/keras-yolo3", "yolo_video.py",
        "--image --model logs/000/trained_weights_final.h5 --classes model_data/voc_classes.txt",
        [*_DARKNET, *_DETECTING], "boxes of Keras", before=[["train.py"]],
        libraries=OLDER),
    one("experiencor/keras-yolo3", "train.py", "-c config.json",
        [(r"'filter': *(\d+)", rf"'filter': {_NARROW}"), (r'"0,1"', '"0"'),
         (r'template_model\.load_weights\("backend\.h5", by_name=True\)', "pass"),
         (r'("min_input_size": +)288', r"\g<1>64"), (r'("max_input_size": +)448', r"\g<1>64"),
         (r'"kangaroo"', '"dog"'), (r"/home/andy/Desktop/github/kangaroo/images/", "JPEGImages/"),
         (r"/home/andy/Desktop/github/kangaroo/annots/", "Annotations/"),
         (r'("train_times": +)8', r"\g<1>1"), (r'("batch_size": +)16', r"\g<1>2"),
         (r'("nb_epochs": +)100', r"\g<1>1"), (r'("warmup_epochs": +)3', r"\g<1>1"),
         (r"net_([hw])=416", r"net_\1=64")],
        "boxes of Keras"),
]  # fmt: skip

_LONG = (r"2 \*\* i for i in range\(9\)", "2 ** i for i in range(4)")
_CONVOLUTIONS = {
    "adding_problem/main": ([(r"n=(20|4)0000, seq_length=600", "n=64, seq_length=40"),
                             (r"epochs=500", "epochs=2"), _LONG], ""),
    "copy_memory/main": ([(r"601, 10, (30|6)000", "40, 10, 64"), (r"epochs=1000", "epochs=2"),
                          _LONG], ""),
    "imdb_tcn": ([MADE, (r"maxlen = 100", "maxlen = 30"), (r"nb_filters=64", "nb_filters=8")],
                 "few examples"),
    "mnist_pixel/main": ([MADE, (r"epochs=100", "epochs=1"), _LONG,
                          (r"load_data\(\)", "load_data(32, 32)")], "few examples"),
    "multi_length_sequences": ([(r"^size = 1000", "size = 10")], ""),
    "save_reload_sequential_model": ([], ""),
}  # fmt: skip

CONVOLUTIONS = [
    one("philipperemy/keras-tcn", f"tasks/{name}.py", "", edits, data)
    for name, (edits, data) in _CONVOLUTIONS.items()
]

# Names of metrics, since Keras 2.3, are those that compile was given.
_CIFAR: Edits = [
    MADE, (r"^(\s*(nb_)?epochs?) = \d+", r"\1 = 1"),
    (r"cifar10\.load_data\(\)", "cifar10.load_data(64, 64)"),
]  # fmt: skip
_COMMUNITY = {
    "cifar10_clr": _CIFAR,
    "cifar10_densenet": [*_CIFAR, (r"^depth = 40", "depth = 13"),
                         (r"weights=None\)", "weights=None, pooling='avg')"),
                         (r"testY, batch", "Y_test, batch")],
    "cifar10_wide_resnet": [*_CIFAR, (r"depth=28, width=8", "depth=10, width=1")],
    "improved_wgan": [MADE, (r"for epoch in range\(100\)", "for epoch in range(1)"),
                      (r"Dense\(1024", "Dense(64"),
                      (r"Convolution2D\((64|128), \(5", "Convolution2D(8, (5")],
    "jaccard_loss": [],
}  # fmt: skip

COMMUNITY = [
    one("keras-team/keras-contrib", f"examples/{name}.py",
        "--output_dir ." if name == "improved_wgan" else "", edits, "few examples",
        libraries=OLDER if name == "cifar10_wide_resnet" else ())
    for name, edits in _COMMUNITY.items()
]  # fmt: skip

KERAS_PROGRAMS: List[Program] = [*CAPSULES, *UNET, *YOLO, *CONVOLUTIONS, *COMMUNITY]
