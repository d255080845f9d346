"""Published programs of models of texts, clicks, graphs and pictures, each with its folder."""

from __future__ import annotations

from typing import Any, List

from program import Edits, Program, Task


def _one(
    repository: str, path: str, arguments: str = "", edits: Edits = (), data: str = "",
    name: str = "", **options: Any,
) -> Program:  # fmt: skip
    """A program with all files of its folder; its data are separated by commas."""
    name = name or f"{repository}/{path.removesuffix('.py')}"
    folder = path.rpartition("/")[0]
    options = {"tree": folder, "tasks": [Task(arguments.split())], **options}
    makers = [each for each in data.split(", ") if each]
    return Program(name, repository, path, edits=edits, data=makers, **options)


# The tests of the models, which are not called.
_TESTED: Edits = [(r"^# ?test\(\)$", "test()")]
_TEXTS = "brightmart/text_classification"

CLASSIFIERS = [
    _one(_TEXTS, "a03_TextRNN/p8_TextRNN_model.py", "", [(r"range\(100\)", "range(5)")]),
    _one(_TEXTS, "a04_TextRCNN/p71_TextRCNN_model.py", "", _TESTED),
    _one(_TEXTS, "a05_HierarchicalAttentionNetwork/p1_HierarchicalAttention_model.py", "", _TESTED),
    _one(_TEXTS, "a06_Seq2seqWithAttention/a1_seq2seq_attention_model.py", ""),
    _one(_TEXTS, "aa4_TextCNN_with_RCNN/p72_TextCNN_with_RCNN_model.py", "", _TESTED),
]  # fmt: skip

LEARNERS = [
    _one(
        "LantaoYu/SeqGAN", "sequence_gan.py", "",
        [(r"open\('save/target_params\.pkl'\)", "open('save/target_params.pkl', 'rb')"),
         (r"^PRE_EPOCH_NUM = 120", "PRE_EPOCH_NUM = 1"), (r"^TOTAL_BATCH = 200", "TOTAL_BATCH = 1"),
         (r"^generated_num = 10000", "generated_num = 128"), (r"range\(50\)", "range(1)"),
         (r"vocab_size = 5000", "vocab_size = 50"), (r"samples, 16, discr", "samples, 1, discr")],
        "parameters of an LSTM",
    ),
    *(
        _one("zhougr1993/DeepInterestNetwork", f"{kind}/train.py", "",
             [(r"range\(50\)", "range(1)"), (r"step\.eval\(\) % 1000 ", "step.eval() % 4 ")],
             "purchases, folder of saves", is_python_2=True)
        for kind in ("base_model", "deepFM", "din", "pnn")
    ),
    _one(
        "wenxinxu/resnet-in-tensorflow", "cifar10_train.py",
        "--train_steps 3 --report_freq 2 --train_batch_size 4 --validation_batch_size 4 "
        "--num_residual_blocks 1",
        [(r"\b10000 \* NUM", "8 * NUM"), (r"\b10000 -", "8 -")],
        "small pictures in a folder",
    ),
    _one(
        "dalgu90/resnet-18-tensorflow", "train.py",
        "--train_dir out --train_dataset list.txt --train_image_root ./ --val_dataset list.txt "
        "--val_image_root ./ --num_classes 4 --batch_size 2 --max_steps 3 --val_interval 2 "
        "--val_iter 1 --checkpoint_interval 2 --num_train_instance 24",
        [(r"^from IPython import embed$", ""), (r"'/GPU:", "'/CPU:"),
         (r"map\((float|int),(.*)\)$", r"list(map(\1,\2))"),
         (r"cpu_count\(\) /", "cpu_count() //")],
        "list of pictures", is_python_2=True,
    ),
    _one("igormq/ctc_tensorflow_example", "ctc_tensorflow_example.py", "",
         [(r"num_epochs = 200", "num_epochs = 4"), (r"93638\)", "16044)")], "sentence aloud"),
    *(
        _one(
            "MarkPKCollier/NeuralTuringMachine", "run_tasks.py",
            "--experiment_name x --verbose no --num_train_steps 4 --steps_per_eval 2 "
            f"--num_units 8 --num_memory_locations 8 --memory_size 4 --batch_size 2 "
            f"--eval_batch_size 16 --max_seq_len 3 --mann {kind} --task {task} "
            f"--curriculum {curriculum}",
            name=f"MarkPKCollier/run_tasks, {kind}, {task}", is_python_2=True,
        )
        for kind, task, curriculum in (
            ("ntm", "copy", "none"), ("none", "associative_recall", "none"),
        )
    ),
    _one(
        "guillaumegenthial/sequence_tagging", "train.py", "",
        [(r"nepochs          = 15", "nepochs = 2"), (r"dim_(char|word) = \d+", r"dim_\1 = 8")],
        "word vectors", before=[["build_data.py"]],
    ),
    *(
        _one(
            "xiangwang1223/neural_graph_collaborative_filtering", f"NGCF/{kind}.py",
            "--data_path ./ --dataset likes --regs [1e-5,1e-5] --embed_size 8 --layer_size [8,8] "
            "--lr 0.001 --save_flag 1 --pretrain 0 --batch_size 16 --epoch 10 --verbose 1 "
            "--node_dropout [0.1] --mess_dropout [0.1,0.1] --Ks [2,4]",
            # A NumPy array of one element was a number.
            [*more, (r"np\.asfarray\(", "np.asarray(")], "likes",
        )
        for kind, more in (
            ("NGCF", [(r"np\.mat\(", "np.asmatrix("),
                      (r"loss \+= batch_(\w*)loss$", r"loss += np.squeeze(batch_\1loss)")]),
            ("BPRMF", ()),
        )
    ),
]  # fmt: skip

# Of its two libraries it takes TensorFlow.
_SPINNING: Edits = [
    (r"^from spinup\.algos\.pytorch\.\w+\.\w+ import.*$", ""), (r"^import torch$", ""),
    (r"steps_per_epoch=4000", "steps_per_epoch=60"),
    (r"start_steps=10000", "start_steps=20"), (r"update_after=1000", "update_after=20"),
    (r"num_test_episodes=10", "num_test_episodes=1"),
    (r"^DEFAULT_DATA_DIR = .*$", "DEFAULT_DATA_DIR = 'data'"),
]  # fmt: skip
# Arrays of one element are no longer numbers for NumPy.
_ONE_NUMBER: Edits = [(r"_buf\[self\.ptr\] = (\w+)$", r"_buf[self.ptr] = np.squeeze(\1)")]

ACTORS = [
    *(
        _one("openai/spinningup", f"spinup/examples/tf1/pg_math/{name}.py", "",
             [(r"epochs=50", "epochs=2"), (r"batch_size=5000", "batch_size=100")], "environments")
        for name in ("1_simple_pg", "2_rtg_pg")
    ),
    *(
        _one(
            "openai/spinningup", f"spinup/algos/tf1/{name}/{name}.py",
            f"--env {world} --hid 16 --epochs 2{more}", [*_SPINNING, *edits],
            "environments, one process", tree="", is_module=True,
        )
        for name, world, more, edits in (
            ("vpg", "CartPole-v0", " --cpu 1 --steps 60", _ONE_NUMBER),
            ("ppo", "Pendulum-v0", " --cpu 1 --steps 60", _ONE_NUMBER),
            ("trpo", "CartPole-v0", " --cpu 1 --steps 60", _ONE_NUMBER),
            ("ddpg", "Pendulum-v0", "", ()), ("td3", "Pendulum-v0", "", ()),
            ("sac", "Pendulum-v0", "", ()),
        )
    ),
    *(
        _one("dennybritz/reinforcement-learning", f"PolicyGradient/a3c/{name}.py", arguments, (),
             "environments", tree="")
        for name, arguments in (
            ("train", "--model_dir out --max_global_steps 60 --parallelism 2 --eval_every 1"),
            ("estimator_test", ""), ("worker_test", ""),
        )
    ),
    *(
        _one("hill-a/stable-baselines", f"stable_baselines/{path}.py", arguments,
             [(r"np\.array\((\w+), copy=False\)", r"np.asarray(\1)")],
             "environments, one process", tree="", is_module=True)
        for path, arguments in (
            ("deepq/experiments/train_cartpole", "--max-timesteps 1200"),
            ("ppo1/experiments/train_cartpole", ""),
            *((f"{name}/run_atari", f"--env PongNoFrameskip-v4 --num-timesteps {steps}")
              for name, steps in (("a2c", 160), ("acer", 640), ("ppo2", 1024))),
        )
    ),
    _one(
        "hill-a/stable-baselines", "stable_baselines/acktr/run_atari.py",
        "--env PongNoFrameskip-v4 --num-timesteps 640", data="environments, one process", tree="",
        is_module=True, reason="it takes a sum in the graph of gradients for what comes before it, "
        "unless the static shape of the sum is unknown, as in TensorFlow",
    ),
]  # fmt: skip

PAINTERS = [
    _one(
        "tensorpack/tensorpack", "examples/basics/mnist-convnet.py", "",
        [(r"dir = get_dataset_path\(self\._DIR_NAME\)", "dir = 'data/mnist'"),
         (r"max_epoch=100", "max_epoch=1"), (r"np\.sctypes\.values\(\)", "[[np.generic]]")],
        "packed digits", tree="",
    ),
    _one(
        "tkarras/progressive_growing_of_gans", "train.py", "",
        [(r"^desc \+= '-celebahq'.*$", "dataset = EasyDict(class_name='dataset.SyntheticDataset', "
          "resolution=8, num_channels=3); G.fmap_base = D.fmap_base = 64"),
         (r"total_kimg = 12000", "total_kimg = 0.1; sched.lod_training_kimg = 0.03; "
          "sched.lod_transition_kimg = 0.03; sched.tick_kimg_base = 0.05; "
          "sched.tick_kimg_dict = {}; grid.layout = 'random'"),
         (r"4: 128, 8: 128, 16: 128", "4: 8, 8: 8, 16: 8"),
         (r"'/gpu:0'|'/gpu:%d' % \w+", "'/cpu:0'")],
    ),
    _one(
        "NVlabs/stylegan", "train.py", "",
        [(r"^    desc \+= '-ffhq'; .*$", "    dataset = EasyDict(class_name='training.dataset."
          "SyntheticDataset', resolution=8, num_channels=3); G.fmap_base = D.fmap_base = 64; "
          "G.mapping_layers = 2; G.latent_size = G.dlatent_size = G.mapping_fmaps = 16"),
         (r"num_gpus = 8; .*$", "num_gpus = 1; sched.minibatch_base = 4"),
         (r"^    train\.total_kimg = 25000", "    train.total_kimg = 0.08; sched.lod_training_kimg "
          "= sched.lod_transition_kimg = 0.03; sched.tick_kimg_base = 0.03; sched.tick_kimg_dict "
          "= {}; grid.size = '1080p'"),
         (r"metrics       = \[metric_base\.fid50k\]", "metrics = []"),
         (r"lod_initial_resolution = 8", "lod_initial_resolution = 4"),
         (r"['\"]/gpu:(0['\"]|%d['\"] % \w+)", "'/cpu:0'")],
        "layouts",
    ),
    _one(
        "wizyoung/YOLOv3_TensorFlow", "train.py", "",
        [(r"^( *)saver_to_restore\.restore\(.*$", r"\1pass"), (r"\[416, 416\]", "[96, 96]"),
         (r"total_epoches = 100", "total_epoches = 5"), (r"^batch_size = 6", "batch_size = 2"),
         (r"np\.Inf\b", "np.inf")],
        "annotations",
    ),
    _one(
        "balancap/SSD-Tensorflow", "train_ssd_network.py",
        "--train_dir out --dataset_dir records --dataset_name pascalvoc_2007 --dataset_split_name "
        "train --model_name ssd_300_vgg --batch_size 2 --max_number_of_steps 2 --num_readers 1 "
        "--num_preprocessing_threads 1 --clone_on_cpu",
        [(r"FastGFile\(filename, 'r'\)", "FastGFile(filename, 'rb')")], "photographs",
        before=["tf_convert_data.py --dataset_name=pascalvoc --dataset_dir=photographs/ "
                "--output_name=voc_2007_train --output_dir=records".split()],
    ),
    _one(
        "argman/EAST", "multigpu_train.py",
        "--gpu_list 0 --input_size 128 --batch_size_per_gpu 2 --checkpoint_path out/ "
        "--training_data_path photographs --num_readers 1 --max_steps 2",
        [(r"^from shapely\.geometry import Polygon$", "Polygon = None")], "photographs",
    ),
    _one(
        "anishathalye/neural-style", "neural_style.py",
        "--content photographs/0.jpg --styles photographs/1.jpg --output out.jpg --iterations 2 "
        "--network vgg.mat --print-iterations 1", data="photographs, narrow network",
    ),
    _one(
        "openai/glow", "train.py",
        "--problem celeba --data_dir records --image_size 16 --anchor_size 16 --n_test 4 "
        "--n_batch_train 4 --n_batch_test 4 --n_batch_init 8 --n_train 8 --epochs 2 --width 8 "
        "--depth 1 --n_levels 2 --logdir logs --epochs_full_valid 1 --fmap 1 --pmap 1 "
        "--gradient_checkpointing 0",
        data="small records, one worker", before=[["make_records.py"]],
    ),
    _one(
        "Kyubyong/tacotron", "train.py", "",
        [(r"data = \"/data/private/voice/LJSpeech-1.0\"", "data = 'speech'"),
         (r"embed_size = 256", "embed_size = 16"), (r"^    batch_size = 32", "    batch_size = 2"),
         (r"while 1:", "for _ in [0]:"), (r"n_iter = 50", "n_iter = 1"), (r"% 1000 ==", "% 2 =="),
         (r"librosa\.filters\.mel\(hp\.sr, hp\.n_fft, hp\.n_mels\)",
          "librosa.filters.mel(sr=hp.sr, n_fft=hp.n_fft, n_mels=hp.n_mels)"),
         (r"spectrogram, hp\.hop_length", "spectrogram, hop_length=hp.hop_length"),
         (r"X_t, hp\.n_fft, hp\.hop_length", "X_t, n_fft=hp.n_fft, hop_length=hp.hop_length"),
         (r"np\.array\((.*)\)\.tostring\(\)", r"np.array(\1).tobytes()")],
        "speech",
    ),
]  # fmt: skip

_CONVERSATION = 'LINES = ["hello my friend\\\\n", "\\\\n"]\n\n\ndef _get_user_input'

DIALOGUES = [
    _one(
        "chiphuyen/stanford-tensorflow-tutorials", "assignments/chatbot/chatbot.py", "--mode chat",
        [(r"^TESTSET_SIZE = 25000", "TESTSET_SIZE = 20"),
         (r"^BUCKETS = .*$", "BUCKETS = [(6, 8), (10, 12)]"),
         (r"^HIDDEN_SIZE = 256", "HIDDEN_SIZE = 16"), (r"^BATCH_SIZE = 64", "BATCH_SIZE = 4"),
         (r"^NUM_SAMPLES = 512", "NUM_SAMPLES = 8"), (r"return 30$", "return 3"),
         (r"while True:\n(\s+skip_step)", r"while iteration < 33:\n\1"),
         # What a user says, who may leave.
         (r"^def _get_user_input", _CONVERSATION),
         (r"return sys\.stdin\.readline\(\)", "return LINES.pop(0)"),
         # NumPy no longer makes numbers of arrays.
         (r"int\(np\.argmax\(logit, axis=1\)\)", "int(np.argmax(logit))")],
        "films", before=[["data.py"], ["chatbot.py"]],
    ),
    _one(
        "suriyadeepan/practical_seq2seq", "03-Twitter-chatbot.py", "",
        # A module that TensorFlow 1.0 had.
        [(r"contrib\.rnn\.core_rnn_cell", "contrib.rnn"), (r"^emb_dim = 1024", "emb_dim = 8"),
         # What only cuts texts into words.
         (r"^import nltk$", ""), (r"epochs=100000", "epochs=5"), (r"\(self\.epochs//100\)", "2")],
        "questions and answers",
    ),
]  # fmt: skip

VARIOUS: List[Program] = [*CLASSIFIERS, *LEARNERS, *ACTORS, *PAINTERS, *DIALOGUES]
