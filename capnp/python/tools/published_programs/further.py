"""More published programs, by what they do."""

from __future__ import annotations

from typing import Any, List

from program import Edits, Program, Task, loop, of, steps

_ACTS = "MorvanZhou/Reinforcement-learning-with-tensorflow"




def _acting(rows: Any) -> List[Program]:
    """Programs that learn to act, each with the module beside it that others have as well."""
    found = {}
    for path, edits in rows.items():
        found[path] = {"edits": edits, "data": ["environments"]}
        if path.split("/")[-1].startswith("run_"):
            found[path]["companions"] = ["RL_brain.py"]
    return of(_ACTS, "contents", found)


_MEMORY: Edits = [(r"MEMORY_SIZE = \d+", "MEMORY_SIZE = 200")]
_EPISODES: Edits = [*steps("EP_MAX", 5), *steps("EP_LEN", 40)]
# What it has learned is shown without an end.
_SHOWN_ONCE: Edits = [(r"while True:\n(        s = env.reset)", r"for _ in [0]:\n\1")]
_DDPG: Edits = [*steps("MAX_EPISODES", 6), *steps("MEMORY_CAPACITY", 100)]

ACTORS = _acting({
    "5.1_Double_DQN/run_Pendulum.py": [
        *_MEMORY, (r"total_steps - MEMORY_SIZE > 20000", "total_steps > 500"),
    ],
    "5.2_Prioritized_Replay_DQN/run_MountainCar.py": [*_MEMORY, *loop(20, 6)],
    "5.3_Dueling_DQN/run_Pendulum.py": [
        *_MEMORY, (r"total_steps-MEMORY_SIZE > 15000", "total_steps > 500"),
    ],
    "6_OpenAI_gym/run_CartPole.py": loop(100, 60),
    "7_Policy_gradient_softmax/run_CartPole.py": loop(3000, 20),
    "7_Policy_gradient_softmax/run_MountainCar.py": loop(1000, 10),
    "8_Actor_Critic_Advantage/AC_CartPole.py": steps("MAX_EPISODE", 10),
    "8_Actor_Critic_Advantage/AC_continue_Pendulum.py": steps("MAX_EPISODE", 10),
    "9_Deep_Deterministic_Policy_Gradient_DDPG/DDPG.py": _DDPG,
    "9_Deep_Deterministic_Policy_Gradient_DDPG/DDPG_update.py": _DDPG,
    "9_Deep_Deterministic_Policy_Gradient_DDPG/DDPG_update2.py": _DDPG,
    "10_A3C/A3C_discrete_action.py": steps("MAX_GLOBAL_EP", 20),
    "10_A3C/A3C_continuous_action.py": steps("MAX_GLOBAL_EP", 10),
    "10_A3C/A3C_RNN.py": steps("MAX_GLOBAL_EP", 10),
    "10_A3C/A3C_distributed_tf.py": [
        # The parameter servers never end.
        (r"(\[p\.join\(\) for p in ps\[2:\]\])", r"\1; [p.terminate() for p in ps[:2]]"),
    ],
    "12_Proximal_Policy_Optimization/DPPO.py": [*_EPISODES, *_SHOWN_ONCE],
    "12_Proximal_Policy_Optimization/discrete_DPPO.py": [*_EPISODES, *_SHOWN_ONCE],
    "12_Proximal_Policy_Optimization/simply_PPO.py": _EPISODES,
    "Curiosity_Model/Curiosity.py": loop(200, 8),
    "Curiosity_Model/Random_Network_Distillation.py": loop(200, 8),
})  # fmt: skip

# It copies nodes as TensorFlow made them before 1.7, and knows variables by the names of tensors.
_INFERENCE: Edits = [
    (r"^from tensorflow\.python\.framework\.ops import set_shapes_for_outputs\n", ""),
    (
        r"(?s:    # Copy other arguments needed for initialization\..*?    return new_op\n)",
        "    inputs, control_inputs = (\n"
        "        [tf.convert_to_tensor(y) if not isinstance(y, tf.Operation) else y\n"
        "         for y in (copy(x, dict_swap, scope, True, copy_q, False) for x in xs)]\n"
        "        for xs in (op.inputs, op.control_inputs))\n"
        "    with tf.control_dependencies(control_inputs):\n"
        "      return graph.create_op(op.type, inputs, [x.dtype for x in op.outputs], None,\n"
        "                             new_name + '/', node_def.attr)\n",
    ),
    (
        r"list\(six\.iterkeys\(tf\.get_default_graph\(\)\._nodes_by_name\)\)",
        "[op.name for op in tf.get_default_graph().get_operations()]",
    ),
    (r"node_dict = \{node\.name: node for", "node_dict = {node.op.outputs[0].name: node for"),
    (
        r"^  # If instance is a tf\.Variable, return it",
        "  if getattr(org_instance, 'dtype', None) == tf.resource:\n"
        "    return org_instance\n\\g<0>",
    ),
    (r"\bnp\.(float|int|bool|str)\b(?!_)", r"\1"),
]

# The sizes of the files of MNIST, which are those of fewer digits here.
_FEW_DIGITS: Edits = [(r"\b60000\b", "5600"), (r"\b10000\b", "300")]
# Functions for pictures that SciPy no longer has, and an alias of NumPy.
_PICTURES: Edits = [
    (r"^import scipy\.misc$", "import types; scipy = types.SimpleNamespace(misc=types."
     "SimpleNamespace(imsave=lambda path, image: None))"),
    (r"np\.(float|int)\b", r"\1"),
]  # fmt: skip
_KINDS = ["GAN", "CGAN", "infoGAN", "ACGAN", "EBGAN", "BEGAN", "WGAN", "WGAN_GP", "DRAGAN",
          "LSGAN", "VAE", "CVAE"]  # fmt: skip

PAINTERS = [
    *(
        Program(
            f"hwalsuklee/main, {kind}", "hwalsuklee/tensorflow-generative-model-collections",
            "main.py",
            edits=[
                *_FEW_DIGITS, *_PICTURES,
                (r"self\.num_batches = .*$", "self.num_batches = 12"),
            ],
            tasks=[Task(["--gan_type", kind, "--dataset", "mnist", "--epoch", "1"])],
            tree="", data=["packed digits"],
        )
        for kind in _KINDS
    ),
    *of("hwalsuklee/tensorflow-mnist-VAE", "", {
        "run_main.py": {
            "edits": [
                *_FEW_DIGITS, (r"^VALIDATION_SIZE = 5000", "VALIDATION_SIZE = 600"),
                (r"^from scipy\.misc import ims?a?v?e?r?e?s?i?z?e?$", "imsave = print"),
                (r"^from scipy import ndimage$", ""),
                (r"imresize\(image, size=\(w_, ?h_\), interp='bicubic'\)", "image"),
                (r"plt\.cm\.get_cmap", "plt.get_cmap"),
            ],
            "tasks": [Task(["--dim_z", "2", "--num_epochs", "1"])],
            "companions": ["mnist_data.py", "plot_utils.py", "vae.py"], "data": ["packed digits"],
        },
    }),
    *of("carpedm20/DCGAN-tensorflow", "", {
        "main.py": {
            "edits": [
                *_FEW_DIGITS, *_PICTURES,
            ],
            "tasks": [Task(["--dataset", "mnist", "--train", "--epoch", "1", "--input_height=28",
                            "--output_height=28", "--train_size", "128"])],
            "companions": ["model.py", "ops.py", "utils.py"], "data": ["unpacked digits"],
        },
    }),
    *of("jakeret/tf_unet", "scripts", {
        "launcher.py": {
            "edits": [
                (r"features_root=16", "features_root=4"), (r"epochs=5", "epochs=1"),
                (r"training_iters=32", "training_iters=3"),
            ],
            "tree": "",
        },
    }),
]  # fmt: skip

# A function's place in SciPy.
_EIGENVALUES = (r"from scipy\.sparse\.linalg\.eigen\.arpack", "from scipy.sparse.linalg")

GRAPHS = [
    *of("tkipf/gcn", "", {
        "gcn/train.py": {
            "tasks": [Task(["--epochs", "5"])],
            "edits": [(r"^from gcn\.", "from "), _EIGENVALUES], "tree": "gcn",
            "data": ["citations"],
        },
    }),
    *of("tkipf/gae", "", {
        "gae/train.py": {
            "tasks": [Task(["--epochs", "3"])],
            "edits": [(r"^from gae\.", "from ")], "tree": "gae", "data": ["citations"],
        },
    }),
    *of("PetarV-/GAT", "", {
        "execute_cora.py": {
            "edits": [
                *steps("nb_epochs", 3),
                _EIGENVALUES,
            ],
            "tree": "", "data": ["citations", "checkpoint folders"],
        },
    }),
]  # fmt: skip

_CLICKS = ["--task_type", "train", "--num_epochs", "1", "--field_size", "6", "--feature_size", "60",
           "--data_dir", ".", "--model_dir", "model", "--deep_layers", "8,8", "--dropout",
           "0.5,0.5", "--batch_norm", "True"]  # fmt: skip
_LISTS: Edits = [(r"= *map\((.*)\)$", r"= list(map(\1))")]

OTHERS = [
    *of("lambdaji/tf_repos", "deep_ctr/Model_pipeline", {
        f"{name}.py": {"edits": edits, "tasks": [Task(_CLICKS)], "data": ["clicks"]}
        for name, edits in (("DeepFM", _LISTS), ("DCN", ()), ("NFM", _LISTS))
    }),
    *of("cbfinn/maml", "", {
        "main.py": {
            "tasks": [Task(["--datasource", "sinusoid", "--logdir", "logs", "--norm", "None",
                            "--metatrain_iterations", "30"])],
            "companions": ["data_generator.py", "maml.py", "special_grads.py", "utils.py"],
        },
    }),
    *of("tensorflow/nmt", "", {
        "nmt/nmt.py": {
            "tasks": [Task([
                "--src=vi", "--tgt=en", "--vocab_prefix=vocab", "--train_prefix=train",
                "--dev_prefix=dev", "--test_prefix=test", "--out_dir=out", "--num_train_steps=20",
                "--steps_per_stats=5", "--num_layers=2", "--num_units=16", "--metrics=bleu",
                "--attention=scaled_luong",
            ])],
            "tree": "", "is_module": True, "data": ["translations"],
        },
    }),
    *of("deepmind/scalable_agent", "", {"vtrace_test.py": {"companions": ["vtrace.py"]}}),
    *of("igul222/improved_wgan_training", "", {
        "gan_toy.py": {
            "edits": [(r"^ITERS = \d+", "ITERS = 3"), (r"^CRITIC_ITERS = \d+", "CRITIC_ITERS = 1")],
            "tree": "",
        },
    }),
    *of("tflearn/tflearn", "examples/basics", {
        f"{name}.py": {"edits": [(r"Image\.ANTIALIAS", "Image.LANCZOS")], "tree": ""}
        for name in ("linear_regression", "logical", "multiple_regression")
    }),
    *of("blei-lab/edward", "examples", {
        "normal_normal.py": {"edits": _INFERENCE, "tree": ""},
        "normal.py": {"edits": _INFERENCE, "tree": ""},
        "invgamma_normal_mh.py": {"edits": _INFERENCE, "tree": ""},
        "dirichlet_categorical.py": {
            "edits": [*_INFERENCE, (r"n_iter=1500, n_samples=30", "n_iter=300, n_samples=10")],
            "tree": "",
        },
        "beta_bernoulli.py": {
            "edits": [*_INFERENCE, (r"(?s:  ed\.ppc_stat_hist_plot\(.*?bins=10\)\n)", "")],
            "tree": "",
        },
        "bayesian_linear_regression.py": {
            "edits": [
                *_INFERENCE, (r"^import seaborn as sns\n", ""), (r"num=N / 2", "num=N // 2"),
                (r"sns\.jointplot", "plt.scatter"),
            ],
            "tree": "",
        },
    }),
    *of("rishizek/tensorflow-deeplab-v3", "", {
        "train.py": {
            "tree": "", "reason": "it goes on from the weights of another network",
        },
    }),
]  # fmt: skip

FURTHER: List[Program] = [*ACTORS, *PAINTERS, *GRAPHS, *OTHERS]
