"""Notebooks of tutorials, whose cells are run as one program."""

from __future__ import annotations

from typing import Any, Dict, List

from libraries.shared import NUMBERS, one
from program import Edits, Program

_HVASS = "Hvass-Labs/TensorFlow-Tutorials"
_DIGITS: Edits = [
    (r"data_dir=\"data/MNIST/\"", 'data_dir="data/"'), (r"num_train = 55000", "num_train = 5000"),
    (r"num_test = 10000", "num_test = 300"), (r"num_val = 5000", "num_val = 600"),
    (r"num_iterations(_\w+)?=\d+", r"num_iterations\1=2"),
    NUMBERS,
]  # fmt: skip
# Pictures of the digits that are read wrongly, of which there may be less than nine.
_FEW: Edits = [(r"assert len\(images\) == len\(cls_true\) == 9", "if len(images) < 9: return")]

_TUTORIALS = "GoogleCloudPlatform/tf-estimator-tutorials"
_EPOCHS: Edits = [
    (r"((NUM_EPOCHS|NUM_EVAL|num_epochs|training_steps) *= *)\d+", r"\g<1>4"),
]  # fmt: skip
_INCOMES: Edits = [(r"data/adult\.(data|test)\.csv", r"adult.\1"),
                   (r"data/adult\.stats", "adult.stats")]  # fmt: skip


def _chapter(chapter: str, data: str, rows: Dict[str, Any]) -> List[Program]:
    """Notebooks of a chapter, each with its edits and with what is run before it."""
    found = []
    for name, (edits, before) in rows.items():
        found.append(one(
            _TUTORIALS, f"{chapter}/{name}.ipynb", "", [*_EPOCHS, *edits], data,
            name=f"GoogleCloudPlatform/{chapter}/{name}", tree=chapter, before=before,
        ))  # fmt: skip
    return found


NOTEBOOKS: List[Program] = [
    *(
        one(_HVASS, f"{name}.ipynb", "", [*_DIGITS, *edits], "packed digits",
            name=f"Hvass-Labs/{name}")
        for name, edits in (
            ("01_Simple_Linear_Model", _FEW),
            ("02_Convolutional_Neural_Network", _FEW),
            ("03B_Layers_API", []),
            ("03C_Keras_API", _FEW),
            ("12_Adversarial_Noise_MNIST", _FEW),
            ("13B_Visual_Analysis_MNIST", _FEW),
            ("17_Estimator_API", [(r"steps=2000", "steps=4")]),
        )
    ),
    one(_HVASS, "20_Natural_Language_Processing.ipynb", "",
        [(r"imdb\.maybe_download_and_extract\(\)", "pass"), (r"epochs=3", "epochs=1"),
         (r"num_words = 10000", "num_words = 17")],
        "films liked and not", name="Hvass-Labs/20_Natural_Language_Processing"),
    *_chapter("01_Regression", "pairs with targets", {
        "02.0 - TF Regression Model - Estimator APIs + Pandas": ([], ()),
        "04.0 - TF Regression Model - Dataset Input": ([], ()),
        "05.0 - TF Regression Model - Custom Estimator": ([], ()),
        "07.0 - TF Regression Model - DNN Wide & Deep + estimator.train_and_evaluate": (
            [], [["06.0 - Convert CSV to TFRecords.py"]],
        ),
        "08.0 - TF Regression Example - Housing Price Estimation + Features Scaling": ([], ()),
        "09 - TF Regression Example - Housing Price Estimation + Keras": ([], ()),
    }),
    *_chapter("02_Classification", "pairs with classes, incomes", {
        "03.0 - TF Classification Model - DNN Wide & Deep + Train_And_Evaluate + Dataset + "
        "TFRecords": ([], [["02.0 - Convert CSV to TFRecords.py"]]),
        "04.0 - TF Classification Model - Custom Estimator + Experiment + Dataset + CSV": ([], ()),
        "05.0 - Classification Example -  Census Income Prediction": (_INCOMES, ()),
        "06.0 - Classification Example -  Census Income Prediction - Custom Estimator + "
        "Exponential Decay Learning Rate": (_INCOMES, ()),
    }),
    *_chapter("03_Clustering", "points about centres", {
        "02.0 - TF k-means - Estimator API": ([], ()),
    }),
    *_chapter("04_Times_Series", "series", {
        "01.0 - TF ARRegressor - Estimator + Numpy": ([], ()),
        "02.0 - TF ARRegressor - Experiment + CSV": ([], ()),
    }),
    *_chapter("05_Autoencoding", "wide table", {
        "02.0 - Dimensionality Reduction - Autoencoding + Custom Estimator": ([], ()),
    }),
    *_chapter("06_Sequence_ Models", "series", {
        "01 - RNN with LSTM - Predicting the Next Values - Single Pattern": ([], ()),
        "03 - RNN with LSTM - Sequence Classification": ([], ()),
    }),
    *_chapter("08_Text_Analysis", "messages", {
        "02 - Text Classification - SMS Ham vs. Spam - Document Embedding": ([], ()),
        "03 - Text Classification - SMS Ham vs. Spam - Word Embeddings + CNN": ([], ()),
        "04 - Text Classification - SMS Ham vs. Spam - Word Embeddings + LSTM": ([], ()),
    }),
]  # fmt: skip
