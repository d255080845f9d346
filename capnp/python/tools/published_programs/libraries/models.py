"""Models of one repository each: of pictures, handwriting, texts and names in them."""

from __future__ import annotations

from typing import List

from libraries.shared import one
from program import Edits, Program

# What cuts texts into words in other languages, too.
_WORDS: Edits = [
    (r"^import spacy$", ""), (r"^nlp = spacy\.blank\(\"en\"\)$", ""),
    (r"doc = nlp\(sent\)\n    return \[token\.text for token in doc\]", "return sent.split()"),
    (r"^import ujson as json$", "import json"), (r"^from demo import Demo$", "Demo = None"),
    (r"\.tostring\(\)", ".tobytes()"),
    # A flag of that name is absl's own.
    (r'"log_dir"', '"logs_dir"'), (r"config\.log_dir", "config.logs_dir"),
]  # fmt: skip
_SQUAD = ("--glove_dim 8 --glove_word_size 10 --para_limit 20 --ques_limit 6 --test_para_limit 20 "
          "--test_ques_limit 6 --char_limit 6 --char_dim 4 --batch_size 4 --num_steps 2 "
          "--checkpoint 2 --period 1 --val_num_batches 1 --hidden 8 --train_file "
          "squad/train-v1.1.json --dev_file squad/dev-v1.1.json --test_file squad/dev-v1.1.json "
          "--glove_word_file glove/glove.6B.8d.txt --mode ")  # fmt: skip
_NEWS: Edits = [(r"num_epochs = 10", "num_epochs = 1"), (r"seq_length = 600", "seq_length = 20"),
                (r"print_per_batch = 100", "print_per_batch = 2")]  # fmt: skip
_NAMES: Edits = [
    (r"\.\./\.\./data/example", "data/example"), (r"'epochs': 25", "'epochs': 3"),
    (r"'dim': 300", "'dim': 8"), (r"run_every_secs=120", "run_every_secs=1"),
    (r"throttle_secs=120", "throttle_secs=1"),
]  # fmt: skip

PICTURES = [
    one("ericjang/draw", "draw.py", "--data_dir data",
        [(r"train_iters=10000", "train_iters=4"), (r"i%100==0", "i%2==0"),
         (r"np\.save\(out_file,(\[.*\])\)", r"np.save(out_file, np.array(\1, dtype=object))")],
        "packed digits"),
    one("vanhuyz/CycleGAN-TensorFlow", "train.py",
        "--X apple.tfrecords --Y orange.tfrecords --image_size 64 --ngf 4",
        [(r"while not coord\.should_stop\(\):", "while step < 3:"),
         (r"step % 100 == 0", "step % 2 == 0")], "two kinds",
        before=["build_data.py --X_input_dir datasets/two/trainA --Y_input_dir "
                "datasets/two/trainB --X_output_file apple.tfrecords --Y_output_file "
                "orange.tfrecords".split()]),
    *(
        one("taki0112/StarGAN-Tensorflow", "main.py",
            "--img_size 32 --ch 4 --n_res 1 --n_dis 3 --batch_size 2 --epoch 1 --iteration 3 "
            f"--print_freq 1 --save_freq 2 --n_critic 2 --gan_type {kind}",
            [(r"^import scipy\.misc$", "import misc; scipy = misc; scipy.misc = misc"),
             (r"if i < 2000 :", "if i < 4 :")],
            "celebrities, pictures of SciPy", name=f"taki0112/StarGAN, {kind}")
        for kind in ("wgan-gp", "dragan")
    ),
    one("hizhangp/yolo_tensorflow", "train.py", "",
        [(r"^MAX_ITER = 15000", "MAX_ITER = 2"), (r"^BATCH_SIZE = 45", "BATCH_SIZE = 1"),
         (r"^SUMMARY_ITER = 10", "SUMMARY_ITER = 1"), (r"^SAVE_ITER = 1000", "SAVE_ITER = 2"),
         (r"'--weights', default=\"YOLO_small\.ckpt\"", "'--weights', default=''"),
         (r"(1024|4096|512|256), ", "16, ")], "dogs of pascal"),
    one("DrSleep/tensorflow-deeplab-resnet", "train.py",
        "--batch-size 1 --num-steps 2 --input-size 65,65 --data-dir voc --data-list list.txt "
        "--save-pred-every 2 --save-num-images 1 --num-classes 3",
        [(r"^RESTORE_FROM = .*$", "RESTORE_FROM = None"), (r"c_i / group", "c_i // group")],
        "segments in a list",
        is_python_2=True),
    one("openai/supervised-reptile", "run_omniglot.py",
        "--shots 1 --inner-batch 2 --inner-iters 2 --meta-batch 2 --meta-iters 4 --eval-batch 2 "
        "--eval-iters 2 --eval-samples 4 --eval-interval 2 --checkpoint saved --transductive",
        [(r"num_train=1200", "num_train=12")], "drawn letters"),
    one("openai/supervised-reptile", "run_miniimagenet.py",
        "--shots 1 --inner-batch 2 --inner-iters 2 --meta-batch 2 --meta-iters 2 --eval-batch 2 "
        "--eval-iters 2 --eval-samples 2 --eval-interval 2 --checkpoint saved --foml",
        data="small photographs of kinds"),
]  # fmt: skip

SEQUENCES = [
    one("hunkim/word-rnn-tensorflow", "train.py",
        "--num_epochs 1 --seq_length 8 --rnn_size 16 --batch_size 20 --save_every 20", (),
        "text, folder of words"),
    *(
        one("snowkylin/ntm", "copy_task.py", f"--model {kind}",
            [(r"default=1000000", "default=3"), (r"('--rnn_size', default=)128", r"\g<1>8"),
             (r"('--max_seq_length', default=)15", r"\g<1>3"),
             (r"('--memory_size', default=)128", r"\g<1>8"), (r"b % 5000 == 0", "b % 2 == 0")],
            "folders of copies",
            name=f"snowkylin/copy_task, {kind}")
        for kind in ("NTM", "LSTM")
    ),
    one("sjvasquez/handwriting-synthesis", "rnn.py", "",
        [(r"num_training_steps=100000", "num_training_steps=3"),
         (r"min_steps_to_checkpoint=2000", "min_steps_to_checkpoint=1"),
         (r"batch_sizes=\[32, 64, 64\]", "batch_sizes=[4, 4, 4]"),
         (r"validation_batch_size=32", "validation_batch_size=4"),
         (r"log_interval=20", "log_interval=1"), (r"lstm_size=400", "lstm_size=8"),
         # Functions that TensorFlow has renamed in 1.5 and 1.12.
         (r"import _concat, _like_rnncell", "import _concat\n_like_rnncell = lambda cell: True"),
         (r"context\.in_graph_mode\(\)", "not context.executing_eagerly()"),
         # What NumPy did with tensors before TensorFlow 1.15.
         (r"np\.ones_like\(es\)", "tf.ones_like(es)"), (r"str\(np\.sum\(", "str(sum("),
         (r"mixture_components=(20|10)", "mixture_components=2")], "strokes",
        is_python_2=True),
    *(
        one("gaussic/text-classification-cnn-rnn", f"run_{kind}.py", mode, _NEWS, "news",
            name=f"gaussic/run_{kind}, {mode}", before=before)
        for kind in ("cnn", "rnn")
        for mode, before in (("train", ()), ("test", [[f"run_{kind}.py", "train"]]))
    ),
    *(
        one("guillaumegenthial/tf_ner", f"models/{kind}/main.py", "", _NAMES, "names in texts",
            tree=f"models/{kind}", libraries=[("guillaumegenthial/tf_metrics", "tf_metrics")])
        for kind in ("lstm_crf", "lstm_crf_ema", "chars_lstm_lstm_crf", "chars_conv_lstm_crf_ema")
    ),
    one("NLPLearn/QANet", "config.py", f"{_SQUAD}train --ans_limit 4", _WORDS,
        "asked and answered",
        before=[["config.py", *f"{_SQUAD}prepro --ans_limit 4".split()]]),
    one("HKUST-KnowComp/R-Net", "config.py", f"{_SQUAD}train --nouse_cudnn",
        [(r"band_part\(outer, 0, 15\)", "band_part(outer, 0, 4)"),
         *(each for each in _WORDS if "Demo" not in each[0])],
        "asked and answered", before=[["config.py", *f"{_SQUAD}prepro --nouse_cudnn".split()]]),
]  # fmt: skip

MODELS: List[Program] = [*PICTURES, *SEQUENCES]
