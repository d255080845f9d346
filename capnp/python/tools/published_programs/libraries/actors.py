"""Programs that learn to act, with Keras."""

from __future__ import annotations

from typing import List

from libraries.shared import one
from program import Program

# TensorFlow 1.15 has no length of tensors, either; the models have one output.
_OUTPUTS = (r"if hasattr\((\w+)\.output, '__len__'\)", r"if isinstance(\1.output, list)")

ACTORS: List[Program] = [
    one("keras-rl/keras-rl", f"examples/{name}.py", "",
        [(r"^import wandb$", ""), _OUTPUTS,
         (r"nb_steps=\d+, visualize=(True|False)", "nb_steps=120, visualize=False"),
         (r"nb_episodes=5, (.*)visualize=True", r"nb_episodes=1, \1visualize=False"),
         (r"nb_steps_warmup(_\w+)?=\d+", r"nb_steps_warmup\1=20"),
         (r"limit=\d+", "limit=200")], "environments")
    for name in ("cem_cartpole", "dqn_cartpole", "duel_dqn_cartpole", "sarsa_cartpole",
                 "ddpg_pendulum", "naf_pendulum")
]  # fmt: skip
