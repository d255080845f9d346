"""Programs that came with papers, most of them in tensorflow/models."""

from __future__ import annotations

from typing import Any, List, Sequence, Tuple

from program import Edits, Program, Task

_MODELS = "tensorflow/models"


def _one(
    repository: str, path: str, arguments: str = "", edits: Edits = (), data: str = "",
    name: str = "", libraries: Sequence[Tuple[str, str]] = (), **options: Any,
) -> Program:  # fmt: skip
    """A program with all files of its folder, or of `tree`; its data are separated by commas."""
    name = name or f"{repository}/{path.removesuffix('.py')}"
    options = {"tree": path.rpartition("/")[0], "tasks": [Task(arguments.split())], **options}
    makers = [each for each in data.split(", ") if each]
    return Program(
        name, repository, path, edits=edits, data=makers, libraries=libraries, **options
    )


# Names that NumPy no longer has.
_NUMBERS = (r"\bnp\.(int|bool|float)\b", r"\1")

DIGITS = [
    *(
        _one(_MODELS, f"research/autoencoder/{kind}Runner.py", "",
             [(r"training_epochs = \d+", "training_epochs = 1")])
        for kind in ("AdditiveGaussianNoiseAutoencoder", "Autoencoder",
                     "MaskingNoiseAutoencoder", "VariationalAutoencoder")
    ),
    _one(_MODELS, "tutorials/image/mnist/convolutional.py", "--self_test"),
    _one(_MODELS, "tutorials/image/alexnet/alexnet_benchmark.py",
         "--batch_size 2 --num_batches 2"),
    _one(_MODELS, "research/adversarial_crypto/train_eval.py", "--batch_size 64",
         # Convolutions of three axes have been refused since TensorFlow 1.9.
         [(r"layers\.conv2d", "layers.conv1d"),
          (r"MAX_TRAINING_LOOPS = 850000", "MAX_TRAINING_LOOPS = 20"),
          (r"PRINT_EVERY = 200", "PRINT_EVERY = 10"),
          (r"LOSS_THRESH = [\d.]+", "LOSS_THRESH = 5.0"),
          (r"EVE_EXTRA_ROUNDS = 2000", "EVE_EXTRA_ROUNDS = 20"),
          (r"RETRAIN_EVE_ITERS = 10000", "RETRAIN_EVE_ITERS = 5")]),
    _one(_MODELS, "research/namignizer/names.py", "",
         [(r"max_max_epoch = 13", "max_max_epoch = 1"), (r"hidden_size = 200", "hidden_size = 20"),
          (r"epoch_size = 100", "epoch_size = 20")], "folder of models, names",
         is_python_2=True),
    _one(_MODELS, "research/transformer/cluttered_mnist.py", "",
         [(r"n_epochs = 500", "n_epochs = 2"), (r"\b10000\b", "400"),
          (r"iter_per_epoch = 100", "iter_per_epoch = 5")],
         "digits among strokes"),
]  # fmt: skip

_SPIKES = ("--data_dir=. --data_filename_stem=spikes --lfads_save_dir=out --co_dim=1 "
           "--factors_dim=4 --batch_size=8 --ic_dim=8 --ic_enc_dim=8 --gen_dim=8 "
           "--ci_enc_dim=8 --con_dim=8 --learning_rate_stop=0.0095 "
           "--learning_rate_n_to_compare=1 --learning_rate_decay_factor=0.5 --kind=")  # fmt: skip
_MAKE_SPIKES = ("synth_data/generate_chaotic_rnn_data.py --save_dir=. --datafile_name=spikes "
                "--T=0.2 --C=12 --N=10 --S=10 --nreplications=10 --noise_type=poisson")  # fmt: skip

SIGNALS = [
    _one("mozilla/DeepSpeech", "DeepSpeech.py",
         "--train_files train.csv --dev_files dev.csv --test_files= --epochs 2 --n_hidden 8 "
         "--train_batch_size 2 --dev_batch_size 2 --checkpoint_dir saved --export_dir exported "
         "--summary_dir logs --noshow_progressbar --log_level 0",
         # Newer versions of pandas take no functions without this.
         [(r"lambda m: os\.path\.join\(csv_dir, m\.group\(1\)\)\)",
           r"lambda m: os.path.join(csv_dir, m.group(1)), regex=True)")], "sayings"),
    *(_one(_MODELS, "research/lfads/run_lfads.py", _SPIKES + kind,
         [(r"ndatasets = N/S", "ndatasets = N//S"), _NUMBERS,
          (r"np\.Inf\b", "np.inf"),
          (r"np\.fromstring\(f\.canvas\.tostring_rgb\(\), dtype=np\.uint8, sep=''\)",
           "np.ascontiguousarray(np.asarray(f.canvas.buffer_rgba())[..., :3])")],
         is_python_2=True, name=f"{_MODELS}/run_lfads, {kind}",
         before=[_MAKE_SPIKES.split(), *before])
    for kind, before in (
        ("train", ()),
        ("posterior_sample_and_average", [["run_lfads.py", *(_SPIKES + "train").split()]]),
        ("write_model_params", [["run_lfads.py", *(_SPIKES + "train").split()]]),
    )),
]  # fmt: skip

_OPINIONS = "--vocab_size=15 --embedding_dims=8 --rnn_cell_size=8 --batch_size=4 --data_dir=data "
_STUDY = ("--max_grad_norm=1.0 --num_timesteps=6 --keep_prob_emb=0.5 --learning_rate=0.001 "
          "--learning_rate_decay_factor=0.9999 --max_steps=4 --normalize_embeddings ")
_PREPARE = [
    f"{name} --output_dir=data --dataset=imdb --imdb_input_dir=opinions --lowercase=False".split()
    for name in ("gen_vocab.py", "gen_data.py")
]

TEXTS = [
    _one(_MODELS, "research/textsum/seq2seq_attention.py",
         "--mode=train --article_key=article --abstract_key=headline --data_path=train_*.bin "
         "--vocab_path=vocab --log_root=log --train_dir=log/train --max_run_steps=3",
         [(r"num_hidden=256", "num_hidden=8"), (r"emb_dim=128", "emb_dim=8"),
          (r"num_softmax_samples=4096", "num_softmax_samples=4"),
          (r"(bytes_list\.value\[0\])", r"\1.decode()"),
          (r"raise StopIteration\(.*$", "return")], "marked articles"),
    _one(_MODELS, "research/adversarial_text/pretrain.py",
         _OPINIONS + _STUDY + "--train_dir=first --num_candidate_samples=8", data="opinions",
         is_python_2=True, before=_PREPARE),
    *(
        _one(_MODELS, "research/adversarial_text/train_classifier.py",
             _OPINIONS + _STUDY + "--train_dir=second --pretrained_model_dir=first "
             f"--cl_num_layers=1 --cl_hidden_size=6 --adv_training_method={method}",
             data="opinions", is_python_2=True,
             name=f"{_MODELS}/train_classifier, {method}",
             before=[*_PREPARE, ["pretrain.py", "--train_dir=first", "--num_candidate_samples=8",
                                 *(_OPINIONS + _STUDY).split()]])
        for method in ("vat", "at")
    ),
    _one(_MODELS, "research/skip_thoughts/skip_thoughts/train.py",
         "--input_file_pattern=records/train-?????-of-00002 --train_dir=out",
         [(r"vocab_size=20000", "vocab_size=20"), (r"batch_size=128", "batch_size=4"),
          (r"dim=(620|2400)", "dim=8"), (r"number_of_steps=500000", "number_of_steps=4"),
          (r"input_queue_capacity=640000", "input_queue_capacity=20")], "stories in order",
         tree="research/skip_thoughts", before=[[
             "skip_thoughts/data/preprocess_dataset.py", "--input_files=stories.txt",
             "--output_dir=records", "--num_words=20", "--train_output_shards=2",
             "--num_validation_sentences=20"]], is_python_2=True),
]  # fmt: skip

_BATCHES = ("--data_dir=prepared --batch_size=4 --hidden_size=4 --char_out_size=4 --nodump_pickle "
            "--out_channel_dims=4 --device_type=cpu --word_count_th=0 --char_count_th=0 --mode=")
_ANSWERS = {
    # What cuts texts into words, of which the data are not here.
    # The first two are of names that TensorFlow has changed in 1.5 and 1.14.
    "edits": [(r"tensorflow\.python\.ops\.rnn_cell_impl import _linear",
               "tensorflow.contrib.rnn.python.ops.core_rnn_cell import _linear"),
              (r"self\._cell\(inputs, state, scope\)$", "self.cell(inputs, state, scope)"),
              (r"^        import nltk$", ""), (r"= nltk\.sent_tokenize", "= lambda text: [text]"),
              (r"nltk\.word_tokenize\(tokens\)", "tokens.split()"),
              (r"random\.sample\(self\.valid_idxs,", "random.sample(list(self.valid_idxs),"),
              (r"config\.__flags", "config.flag_values_dict()")],
    "data": "asked and answered", "tree": "", "is_module": True,
}  # fmt: skip
_PREPARED = ("-m squad.prepro --source_dir=squad --target_dir=prepared --glove_dir=glove "
             "--glove_vec_size=8").split()  # fmt: skip
_STUDIED = f"{_BATCHES}train --noload --num_steps=4 --eval_period=2 --save_period=2 --log_period=2"

ANSWERS = [
    _one("allenai/bi-att-flow", "basic/cli.py", _STUDIED, before=[_PREPARED],
         name="allenai/bi-att-flow, train", **_ANSWERS),
    _one("allenai/bi-att-flow", "basic/cli.py", f"{_BATCHES}test",
         before=[_PREPARED, ["-m", "basic.cli", *_STUDIED.split()]],
         name="allenai/bi-att-flow, test", **_ANSWERS),
]  # fmt: skip

_SEGMENTS = "--dataset_dir=records --dataset=pascal_voc_seg --model_variant=mobilenet_v2 "
_RECORDS = ("research/deeplab/datasets/build_voc2012_data.py --image_folder=voc/photos "
            "--semantic_segmentation_folder=voc/kinds --list_folder=voc/lists "
            "--output_dir=records --image_format=jpg").split()
_SEGMENT = ["research/deeplab/train.py", *(_SEGMENTS + "--train_split=train --train_logdir=out "
            "--train_batch_size=2 --training_number_of_steps=2 --train_crop_size=33 "
            "--train_crop_size=33").split()]
_DEEPLAB = {
    "tree": None,
    # The weights of another network, from which it may go on.
    "edits": [(r"collections\.Iterable", "(list, tuple)"),
              (r"^  flags\.mark_flag_as_required\('tf_initial_checkpoint'\)$", "")],
    "data": "segments, folder of records",
    "libraries": [(_MODELS, f"research/{name}/") for name in ("deeplab", "slim")],
    "imported_from": ("research", "research/slim"),
}

PICTURES = [
    _one(_MODELS, "research/im2txt/im2txt/train.py",
         "--input_file_pattern=train-?????-of-00001 --train_dir=out --train_inception=false "
         "--number_of_steps=2 --inception_checkpoint_file=first.ckpt",
         [(r"vocab_size = 12000", "vocab_size = 12"), (r"batch_size = 32", "batch_size = 2"),
          (r"image_(height|width) = 299", r"image_\1 = 151"), (r"= 512$", "= 8"),
          (r"values_per_input_shard = 2300", "values_per_input_shard = 6")], "captions",
         tree="research/im2txt", before=[["make_captions.py"]]),
    _one(_MODELS, "research/video_prediction/prediction_train.py",
         "--data_dir=pushes --output_dir=out --event_log_dir=out --num_iterations=2 "
         "--sequence_length=4 --train_val_split=0.75 --batch_size=2",
         [(r"ORIGINAL_WIDTH = 640", "ORIGINAL_WIDTH = 80"),
          (r"ORIGINAL_HEIGHT = 512", "ORIGINAL_HEIGHT = 64")], "pushes",
         before=[["make_pushes.py"]]),
    _one(_MODELS, "research/learning_to_remember_rare_events/train.py",
         "--memory_size=64 --batch_size=4 --num_episodes=4 --validation_frequency=2 "
         "--validation_length=2 --episode_length=10 --episode_width=3 --rep_dim=16",
         [(r"^from scipy\.(ndimage|misc) import \w+$", "")], "letters of alphabets",
         is_python_2=True),
    _one(_MODELS, "research/deeplab/train.py", " ".join(_SEGMENT[1:]), before=[_RECORDS],
         **_DEEPLAB),
    _one(_MODELS, "research/deeplab/eval.py",
         _SEGMENTS + "--eval_split=val --checkpoint_dir=out --eval_logdir=eval --eval_crop_size=65 "
         "--eval_crop_size=65 --max_number_of_evaluations=1", before=[_RECORDS, _SEGMENT],
         **_DEEPLAB),
    _one(_MODELS, "research/deeplab/vis.py",
         _SEGMENTS + "--vis_split=val --checkpoint_dir=out --vis_logdir=vis --vis_crop_size=65 "
         "--vis_crop_size=65 --max_number_of_iterations=1 --eval_interval_secs=0",
         before=[_RECORDS, _SEGMENT], **_DEEPLAB),
    _one(_MODELS, "research/deeplab/export_model.py",
         "--checkpoint_path=out/model.ckpt-2 --export_path=frozen.pb --crop_size=65 "
         "--crop_size=65 --model_variant=mobilenet_v2", before=[_RECORDS, _SEGMENT], **_DEEPLAB),
]  # fmt: skip

# What loads files of a storage, of which the tests need none.
_NO_STORAGE = (r"^from google\.(api_core\.exceptions|cloud) import .*$",
               "InternalServerError = ServiceUnavailable = storage = None")  # fmt: skip
# The tests, which a program calls by their names.
_CALLED = (r"\n\nfor name in [name for name in globals() if name.startswith('test_')]:\n"
           r"    tf.reset_default_graph()\n    globals()[name]()\n")  # fmt: skip

ACTORS = [
    *(
        _one("openai/maddpg", "experiments/train.py",
             f"--scenario {scenario} --max-episode-len 5 --num-episodes 30 --batch-size 8 "
             f"--num-units 8 --exp-name x --save-dir policy/ --plots-dir ./ --save-rate 10 {more}",
             [(r"^if os\.getenv\('SUPPRESS_MA_PROMPT'\) != '1':$", "if False:")],
             libraries=[("openai/multiagent-particle-envs", "multiagent")], data="environments",
             name=f"openai/maddpg, {scenario}", tree="")
        for scenario, more in (("simple_spread", ""), ("simple_adversary", "--num-adversaries 1"),
                               ("simple_tag", "--num-adversaries 3 --adv-policy ddpg"))
    ),
    *(
        _one("openai/lm-human-preferences", f"lm_human_preferences/{path}.py", "",
             # One test trains a model that it does not save, and then loads it.
             [_NO_STORAGE, (r"def test_reward_training", "def reward_training"),
              (r"\bnp\.bool\b", "bool"), (r"collections\.Mapping", "dict"), *more],
             data="one process", tree="", is_module=True)
        for path, more in (
            *((f"test_train_{kind}", [
                (rf"^(from lm_human_preferences import train_{kind}\n(?s:.*))\Z",
                 rf"import tensorflow as tf\n\1{_CALLED}"),
            ]) for kind in ("policy", "reward")),
            ("language/test_model", ()), ("language/test_sample", ()),
            ("utils/test_core_utils", ()),
        )
    ),
]  # fmt: skip

PAPERS: List[Program] = [*DIGITS, *SIGNALS, *TEXTS, *ANSWERS, *PICTURES, *ACTORS]
