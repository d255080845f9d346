"""Programs that learn from graphs."""

from __future__ import annotations

from typing import List

from libraries.shared import one
from program import Edits, Program

# Lists, which functions of Python 2 gave.
_LISTS: Edits = [(r"walks\.append\(map\(conversion, line\.split\(\)\)\)",
                  "walks.append(list(map(conversion, line.split())))")]  # fmt: skip
_SAGE = ("--train_prefix ./example_data/friends --samples_1 4 --samples_2 3 --dim_1 8 --dim_2 8 "
         "--max_degree 5 --batch_size 32 --epochs 2 --validate_iter 10 --gpu 0")  # fmt: skip

GRAPHS: List[Program] = [
    *(
        one("williamleif/GraphSAGE", "graphsage/supervised_train.py",
            f"{_SAGE} --model {kind} --sigmoid", _LISTS, "friends", is_module=True,
            name=f"williamleif/supervised_train, {kind}")
        for kind in ("graphsage_mean", "gcn", "graphsage_seq", "graphsage_maxpool",
                     "graphsage_meanpool")
    ),
    *(
        one("williamleif/GraphSAGE", "graphsage/unsupervised_train.py",
            f"{_SAGE} --model {kind} --max_total_steps 60 --neg_sample_size 5", _LISTS, "friends",
            is_module=True, name=f"williamleif/unsupervised_train, {kind}")
        for kind in ("graphsage_mean", "n2v")
    ),
]  # fmt: skip
