"""The tests of libraries of modules and losses, which are programs as well."""

from __future__ import annotations

from typing import List

from libraries.shared import one
from program import Program

TESTS: List[Program] = [
    *(
        one("deepmind/trfl", f"trfl/{name}_test.py")
        for name in (
            "action_value_ops", "clipping_ops", "discrete_policy_gradient_ops", "dist_value_ops",
            "distribution_ops", "indexing_ops", "pixel_control_ops", "policy_gradient_ops",
            "retrace_ops", "sequence_ops", "target_update_ops", "value_ops", "vtrace_ops",
        )
    ),
    *(
        one("asyml/texar", f"texar/tf/{path}_test.py", "",
            [(r"\bcollections\.(Mapping|Sequence|Iterable)\b",
              r"__import__('collections.abc').abc.\1")])
        for path in (
            "agents/seq_pg_agent", "core/layers", "core/optimization", "losses/adv_losses",
            "losses/mle_losses", "losses/rewards", "modules/classifiers/bert_classifier",
            "modules/classifiers/conv_classifiers", "modules/classifiers/rnn_classifiers",
            "modules/connectors/connectors", "modules/decoders/gpt2_decoder",
            "modules/decoders/rnn_decoder_helpers", "modules/decoders/rnn_decoders",
            "modules/decoders/transformer_decoders", "modules/encoders/conv_encoders",
            "modules/encoders/hierarchical_encoders", "modules/encoders/rnn_encoders",
            "modules/memory/memory_network", "modules/networks/conv_networks",
        )
    ),
]  # fmt: skip
