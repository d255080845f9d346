"""Published programs of research: models of texts, pictures and sounds, and libraries."""

from __future__ import annotations

from typing import Any, List, Sequence

from program import Edits, Program, Task


def _one(
    repository: str, path: str, arguments: str = "", edits: Edits = (), data: str = "",
    name: str = "", **options: Any,
) -> Program:  # fmt: skip
    """A program with all files of its repository; its data are separated by commas."""
    name = name or f"{repository}/{path.removesuffix('.py')}"
    options = {"tree": "", "tasks": [Task(arguments.split())], **options}
    makers = [each for each in data.split(", ") if each]
    return Program(name, repository, path, edits=edits, data=makers, **options)


_NEW_VALUES: Edits = [
    (r"saver\.restore\(sess, ckpt\)", "sess.run(tf.global_variables_initializer())"),
]
_SCIPY = (r"^import scipy\.misc$", "import scipy.ndimage, misc; scipy.misc = misc")
_NUMBERS = (r"np\.(float|int|bool)\b", r"\1")
_GANS = "--dataset {} --epoch 1 --iteration 2 --img_size 32 --print_freq 1 --save_freq 1 "

TEXTS = [
    _one(
        "openai/gpt-2", "src/generate_unconditional_samples.py",
        "--model_name tiny --nsamples 2 --length 10 --top_k 40", _NEW_VALUES,
        "vocabulary of bytes", tree="src",
    ),
    _one(
        "openai/gpt-2", "src/interactive_conditional_samples.py",
        "--model_name tiny --nsamples 1 --length 10 --top_p 0.9",
        [*_NEW_VALUES, (r"while True:\n(            raw_text = )input\(.*\)",
                        r"for _ in [0]:\n\1'a king'")],
        "vocabulary of bytes", tree="src",
    ),
    _one(
        "domluna/memn2n", "single.py", "--epochs 10",
        [(r"import cross_validation", "import model_selection as cross_validation"),
         (r"re\.split\('\(\\W\+\)\?', sent\)", r"re.split(r'(\\W+)', sent)")],
        "stories",
    ),
    _one(
        "Kyubyong/transformer", "train.py",
        "--train1 train.vi --train2 train.en --eval1 dev.vi --eval2 dev.en --eval3 dev.en --vocab "
        "vocab.all --vocab_size 13 --batch_size 32 --d_model 16 --d_ff 32 --num_blocks 2 "
        "--num_heads 2 --num_epochs 1 --maxlen1 20 --maxlen2 20", data="translations, language",
    ),
    _one(
        "abisee/pointer-generator", "run_summarization.py",
        "--mode=train --data_path=train_*.bin --vocab_path=vocab --log_root=log --exp_name=x "
        "--hidden_dim 8 --emb_dim 8 --batch_size 4 --max_enc_steps 20 --max_dec_steps 8 --coverage",
        [(r"^import pyrouge$", ""), (r"hps_dict\[key\] = val #", "hps_dict[key] = val.value #"),
         (r"while True: # repeats until interrupted", "for _ in range(5):"),
         (r"np\.asscalar\(loss\)", "loss.item()"),
         (r"(bytes_list\.value\[0\])", r"\1.decode()")],
        "articles", is_python_2=True,
    ),
    _one(
        "kimiyoung/transformer-xl", "tf/train_gpu.py",
        "--data_dir=data/ptb/tfrecords --record_info_dir=data/ptb/tfrecords/ --corpus_info_path="
        "data/ptb/corpus-info.json --model_dir=out --n_layer=2 --d_model=16 --d_embed=16 "
        "--n_head=2 --d_head=8 --d_inner=32 --tgt_len=6 --mem_len=6 --train_steps=6 --iterations=2 "
        "--save_steps=3 --train_batch_size=4 --num_core_per_host=1 --do_eval=False",
        data="language", tree="tf",
        before=["data_utils.py --data_dir=data/ptb --dataset=ptb --tgt_len=6 --num_passes=1 "
                "--per_host_train_bsz=4 --per_host_valid_bsz=4 --use_tpu=False".split()],
    ),
    _one(
        "google-research/albert", "run_classifier.py",
        "--task_name CoLA --do_train --do_eval --do_predict --data_dir . --vocab_file vocab.txt "
        "--albert_config_file bert_config.json --max_seq_length 32 --train_batch_size 8 "
        "--train_step 5 --output_dir out --save_checkpoints_steps 5 --spm_model_file=",
        # Training writes no graph beside its checkpoints.
        [(r"for ext in \[\"meta\", ", "for ext in ["), (r"^from albert import", "import"),
         (r"^import tensorflow_hub as hub$", "hub = None")],
        "sentences, judgements",
    ),
    _one(
        "google-research/albert", "create_pretraining_data.py",
        "--input_file text.txt --output_file text.tfrecord --vocab_file vocab.txt "
        "--max_seq_length 32",
        [(r"^from albert import", "import"), (r"^import tensorflow_hub as hub$", "hub = None")],
        "sentences",
    ),
    _one(
        "google-research/electra", "run_pretraining.py",
        edits=[(r"num_out_files=1000", "num_out_files=2"),
               (r"tf\.io\.gfile\.listdir\(args\.corpus_dir\)", "['text.txt']"),
               (r"os\.path\.join\(args\.corpus_dir, fname\)", "fname")],
        data="sentences",
        before=["build_pretraining_dataset.py --corpus-dir texts --vocab-file vocab.txt "
                "--output-dir data/pretrain_tfrecords --max-seq-length 32".split()],
        tasks=[Task(["--data-dir", "data", "--model-name", "tiny", "--hparams",
                     '{"num_train_steps": 4, "vocab_size": 64, "max_seq_length": 32, '
                     '"train_batch_size": 4, "embedding_size": 16, "generator_hidden_size": 0.5, '
                     '"save_checkpoints_steps": 2, "vocab_file": "vocab.txt", '
                     '"model_hparam_overrides": {"hidden_size": 16, "num_hidden_layers": 2, '
                     '"num_attention_heads": 2, "intermediate_size": 32}}'])],
    ),
    _one(
        "zihangdai/xlnet", "run_classifier.py",
        "--do_train --task_name=imdb --data_dir=imdb --model_dir=out --output_dir=tf --uncased "
        "--spiece_model_file=pieces.model --model_config_path=xlnet.json --max_seq_length=16 "
        "--train_batch_size=4 --train_steps=4 --num_hosts=1 --num_core_per_host=1 --iterations=2 "
        "--save_steps=2", data="sentences, pieces",
    ),
]  # fmt: skip

PICTURES = [
    _one(
        "charlesq34/pointnet", "train.py", "--num_point 32 --max_epoch 1 --batch_size 8",
        [_NUMBERS, (r"'/gpu:'\+str\(GPU_INDEX\)", "'/cpu:0'")], "points",
    ),
    _one(
        "davidsandberg/facenet", "src/train_softmax.py",
        "--logs_base_dir logs --models_base_dir saved --data_dir faces --image_size 160 "
        "--model_def models.squeezenet --max_nrof_epochs 1 --batch_size 4 --epoch_size 3 "
        "--embedding_size 16 --random_crop --random_flip --optimizer ADAM --learning_rate 0.01 "
        "--center_loss_factor 0.1 --log_histograms --validation_set_split_ratio 0.2 "
        "--min_nrof_val_images_per_class 1",
        data="faces", tree="src", is_python_2=True,
    ),
    _one(
        "affinelayer/pix2pix-tensorflow", "pix2pix.py",
        "--mode train --input_dir pairs --output_dir out --max_steps 3 --ngf 4 --ndf 4 "
        "--summary_freq 2 --progress_freq 1 --display_freq 2 --trace_freq 2 --save_freq 3",
        data="pairs",
    ),
    _one(
        "openai/pixel-cnn", "train.py", "-i . -o . -q 1 -n 4 -m 2 -b 4 -u 4 -g 2 -x 1 -t 1",
        [(r"reshape\(\(10000,3,32,32\)\)", "reshape((-1,3,32,32))"),
         (r"np\.cast\[np\.float32\]", "np.float32"), (r"'/gpu:%d' % i", "'/cpu:0'"),
         (r"'/gpu:0'", "'/cpu:0'")],
        "small pictures",
    ),
    _one(
        "taki0112/UGATIT", "main.py",
        _GANS.format("two") + "--ch 4 --n_dis 3 --light True --decay_flag False", data="two kinds",
    ),
    _one(
        "taki0112/Self-Attention-GAN-Tensorflow", "main.py",
        _GANS.format("many") + "--batch_size 4 --z_dim 8 --sample_num 4", [_SCIPY],
        "two kinds, pictures of SciPy",
    ),
    _one(
        "carpedm20/BEGAN-tensorflow", "main.py",
        "--dataset faces --input_scale_size 16 --conv_hidden_num 64 --z_num 64 --max_step 4 "
        "--log_step 2 --save_step 2 --batch_size 4",
        [(r"os\.path\.join\(config\.data_dir, config\.dataset\)", "'faces/p0'"),
         (r"min_after_dequeue = 5000", "min_after_dequeue = 8")],
        "faces",
    ),
    _one(
        "tegg89/SRCNN-Tensorflow", "main.py", "--epoch 2 --batch_size 16",
        [_SCIPY, _NUMBERS, (r"ndimage\.interpolation", "ndimage")],
        "sharp pictures, pictures of SciPy",
    ),
    _one(
        "xhujoy/CycleGAN-tensorflow", "main.py",
        "--dataset_dir two --epoch 1 --load_size 40 --fine_size 32 --ngf 4 --ndf 4 --save_freq 1 "
        "--print_freq 1", [_SCIPY, _NUMBERS], "two kinds, pictures of SciPy",
    ),
    _one(
        "naturomics/CapsNet-Tensorflow", "main.py", "--epoch 1 --batch_size 32 --iter_routing 2",
        [(r"\b60000\b", "5600"), (r"\b10000\b", "300"), (r"\b55000:", "320:384"),
         (r"\b55000\b", "320"), (r"\b5000\b", "64"), _NUMBERS],
        "unpacked digits",
    ),
    _one(
        "YunYang1994/tensorflow-yolov3", "train.py", "",
        [_NUMBERS, (r"\./data/dataset/voc_\w+\.txt", "boxes.txt"),
         (r"(INPUT_SIZE .*= )\[320.*\]", r"\1[96, 128]"),
         (r"(BATCH_SIZE .*= )\d", r"\g<1>2"), (r"((STAGE|WARMUP)_EPOCHS .*= )\d+", r"\g<1>1")],
        "boxes",
    ),
    _one("sugyan/tensorflow-mnist", "mnist/convolutional.py", "",
         [(r"range\(20000\)", "range(200)")], tree="mnist"),
]  # fmt: skip

_SONNET: Edits = [
    (r"\bcollections\.(Mapping|Iterable|Sequence)\b", r"__import__('collections.abc').abc.\1"),
    (r"inspect\.getargspec\(method\)", "inspect.getfullargspec(method)"),
]
_MESSAGES = "messages of modules, language"
_CLICKS: Edits = [(r"[./]*criteo_sample\.txt", "examples/criteo_sample.txt"),
                  (r"epochs=10", "epochs=1")]  # fmt: skip
_CNN = "--device=cpu --batch_size=4 --num_batches=6 --data_format=NHWC --num_warmup_batches=1 "
_SERVERS = (
    "--local_parameter_device=cpu --model=lenet --variable_update=parameter_server --ps_hosts="
    "localhost:2222 --worker_hosts=localhost:2223,localhost:2224 --job_name={} --task_index={}"
)


def _benchmark(name: str, tasks: Sequence[Task]) -> Program:
    folder = "scripts/tf_cnn_benchmarks"
    edits = [(r"^from google\.protobuf import text_format$", "")]
    return _one("tensorflow/benchmarks", f"{folder}/tf_cnn_benchmarks.py", edits=edits,
                name=f"tensorflow/benchmarks, {name}", tree=folder, tasks=tasks)  # fmt: skip


_COPIES = (
    "--num_gpus=4 --variable_update=replicated --model=trivial --local_parameter_device=cpu "
)

LIBRARIES = [
    *(
        _benchmark(
            f"copies, {name}", [Task((_CNN + _COPIES + f"--all_reduce_spec={name}").split())]
        )
        for name in ("nccl", "xring", "pscpu")
    ),
    _benchmark("trivial", [Task((_CNN + "--model=trivial").split())]),
    _benchmark("lenet", [Task((_CNN + "--model=lenet --optimizer=momentum --train_dir=out "
                               "--summary_verbosity=1 --save_summaries_steps=2").split())]),
    _benchmark("parameter server", [
        Task((_CNN + _SERVERS.format(job, index)).split(), ends=job != "ps")
        for job, index in (("ps", 0), ("worker", 0), ("worker", 1))
    ]),
    _one(
        "deepmind/dnc", "train.py",
        "--num_training_iterations 6 --report_interval 3 --checkpoint_dir out "
        "--checkpoint_interval 3 --hidden_size 16", _SONNET, _MESSAGES,
        libraries=[("deepmind/sonnet", "sonnet")],
    ),
    _one("deepmind/sonnet", "sonnet/examples/module_with_build_args.py", "", _SONNET, _MESSAGES,
         is_module=True),
    _one(
        "deepmind/sonnet", "sonnet/examples/rnn_shakespeare.py",
        "--num_training_iterations=4 --report_interval=2 --lstm_depth=2 --batch_size=4 "
        "--num_embedding=4 --num_hidden=8 --truncation_length=8 --sample_length=10 "
        "--checkpoint_dir=out --checkpoint_interval=2", _SONNET, _MESSAGES, is_module=True,
    ),
    _one(
        "deepmind/sonnet", "sonnet/examples/brnn_ptb.py",
        "--data_path=data/ptb --embedding_size=8 --hidden_size=8 --n_layers=1 --batch_size=4 "
        "--num_training_epochs=1 --unroll_steps=5 --high_lr_epochs=1 --print_every_batches=20 "
        "--logbasedir=logs", _SONNET, _MESSAGES, is_module=True,
    ),
    _one("shenweichen/DeepCTR", "examples/run_classification_criteo.py", "", _CLICKS),
    _one("shenweichen/DeepCTR", "examples/run_din.py"),
    _one("shenweichen/DeepCTR", "examples/run_dsin.py"),
    _one(
        "tensorflow/tensor2tensor", "tensor2tensor/bin/t2t_trainer.py",
        "--generate_data --problem=algorithmic_identity_binary40 --data_dir=data --tmp_dir=tmp "
        "--output_dir=out --model=transformer --hparams_set=transformer_tiny --train_steps=4 "
        "--eval_steps=1 --hparams=batch_size=64",
        [(r"^from tensorboard\.backend\.event_processing import event_(\w+)$", r"event_\1 = None"),
         (r"^from (googleapiclient import discovery|oauth2client.client import \w+)$", ""),
         (r"inspect\.getargspec\((\w+)\)", r"inspect.getfullargspec(\1)[:4]")],
        "environments", is_module=True,
    ),
    _one(
        "ibab/tensorflow-wavenet", "train.py",
        "--data_dir sounds --num_steps 3 --checkpoint_every 2 --sample_size 4000 "
        "--silence_threshold 0", data="sounds",
    ),
    _one(
        "carpedm20/NTM-tensorflow", "main.py",
        "--epoch 3 --is_train True --max_length 3 --test_max_length 3 --controller_dim 8 "
        "--checkpoint_dir pre_trained",
        # The names that legacy_seq2seq has given since TensorFlow 1.1.
        [(r"def softmax_loss_function\(labels, inputs\)",
          "def softmax_loss_function(labels, logits)"), (r"logits=inputs", "logits=logits")],
        "checkpoint folders", is_python_2=True,
    ),
]  # fmt: skip

# Arrays of one element are no longer numbers for NumPy.
_SCALARS = {
    "deepq": [(r"float\(done\)", "float(np.squeeze(done))")],
    "trpo_mpi": [
        (r"^        acs\[i\] = ac", "        acs[i] = ac = np.squeeze(ac)"),
        (r"((vpred|prevac|rew|new)s)\[i\] = \2", r"\1[i] = np.squeeze(\2)"),
    ],
}
_RUN = "--alg={} --env=CartPole-v0 --network=mlp --num_timesteps={}"

ACTORS = [
    _one(
        "openai/baselines", "baselines/deepq/experiments/train_cartpole.py",
        edits=[("100000", "600")], data="environments", is_module=True,
    ),
    *(
        _one(
            "openai/baselines", "baselines/run.py", _RUN.format(kind, rest),
            _SCALARS.get(kind, ()), "environments", f"openai/baselines, {kind}", is_module=True,
        )
        for kind, rest in (
            ("a2c", "200"), ("acer", "400"), ("acktr", "200"), ("deepq", "400"),
            ("ppo2", "600 --nsteps=64 --num_env=1"), ("trpo_mpi", "200 --timesteps_per_batch=64"),
        )
    ),
    _one(
        "openai/baselines", "baselines/run.py",
        "--alg=ppo2 --env=PongNoFrameskip-v4 --num_timesteps=64 --network=cnn --nsteps=16 "
        "--num_env=1", data="environments", name="openai/baselines, ppo2 of pictures",
        is_module=True,
    ),
    _one(
        "google/dopamine", "dopamine/atari/train.py",
        "--agent_name=dqn --base_dir=out --gin_files=dopamine/agents/dqn/configs/dqn.gin "
        "--gin_bindings=Runner.num_iterations=1 --gin_bindings=Runner.training_steps=60 "
        "--gin_bindings=Runner.evaluation_steps=20 --gin_bindings=Runner.max_steps_per_episode=40 "
        "--gin_bindings=DQNAgent.min_replay_history=20 "
        "--gin_bindings=WrappedReplayBuffer.replay_capacity=200 "
        "--gin_bindings=WrappedReplayBuffer.batch_size=4",
        [(r"^import atari_py$", ""), (r"\bblacklist=", "denylist="),
         (r"^import gin\.tf\.external_configurables", "import configurables")],
        "environments, configurables", is_module=True,
    ),
]  # fmt: skip

RESEARCH: List[Program] = [*TEXTS, *PICTURES, *LIBRARIES, *ACTORS]
