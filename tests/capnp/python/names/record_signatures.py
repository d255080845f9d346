"""Records the signatures of TensorFlow's functions and classes in signatures.json.

Usage: TF_USE_LEGACY_KERAS=1 python record_signatures.py

Needs TensorFlow 2.x, whose `compat.v1` has the signatures of 1.x but for those that
signatures_test.py lists, and tf_keras of the same version, which has `tf.layers`.
"""

import enum
import inspect
import json
import pathlib

MODULES = [
    "", "audio", "bitwise", "debugging", "dtypes", "image", "initializers", "io", "layers",
    "losses", "math", "metrics", "nn", "quantization", "queue", "ragged", "random", "sets",
    "sparse", "strings", "train",
]  # fmt: skip


def format_default(value):
    """Numbers, texts, lists and dtypes as they are; other objects as their class."""
    if isinstance(value, (tuple, list)):
        items = ", ".join(format_default(item) for item in value)
        return f"({items})" if isinstance(value, tuple) else f"[{items}]"
    if value is None or isinstance(value, (bool, int, float, str)):
        plain = value.value if isinstance(value, enum.Enum) else value
        return repr(plain)
    return (
        repr(value) if type(value).__name__ == "DType" else f"<{type(value).__name__}>"
    )


def format_signature(function):
    """ "x, axis=None, **kwargs"."""
    parameters = list(inspect.signature(function).parameters.values())
    if isinstance(function, type) and parameters and parameters[0].name == "self":
        parameters = parameters[1:]
    parts = []
    for each in parameters:
        stars = {each.VAR_POSITIONAL: "*", each.VAR_KEYWORD: "**"}.get(each.kind, "")
        has_default = each.default is not each.empty
        default = f"={format_default(each.default)}" if has_default else ""
        parts.append(f"{stars}{each.name}{default}")
    return ", ".join(parts)


def signatures_of(package):
    """{"module.name": signature} for what is callable in those modules."""
    found = {}
    for module in MODULES:
        owner = getattr(package, module) if module else package
        for name in dir(owner):
            value = None if name.startswith("_") else getattr(owner, name)
            if not callable(value):
                continue
            try:
                found[f"{module}.{name}".lstrip(".")] = format_signature(value)
            except (TypeError, ValueError):
                continue
    return found


def main():
    import tensorflow

    path = pathlib.Path(__file__).with_name("signatures.json")
    found = signatures_of(tensorflow.compat.v1)
    path.write_text(json.dumps(found, indent=0, sort_keys=True) + "\n")
    print(len(found), "signatures")


if __name__ == "__main__":
    main()
