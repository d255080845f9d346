"""Records the names of TensorFlow's public symbols in names.txt, a module in each line.

Usage: python record_names.py

Needs TensorFlow 2.x without Keras, whose `compat.v1` has those of 1.x and some newer ones, but for
those of Keras and `tf.layers`.
"""

import pathlib
import types


def symbols_of(module, name, seen):
    """{module: [name]} of what a module and those below it export."""
    seen.add(id(module))
    found = {name: []}
    try:
        exported = [each for each in dir(module) if not each.startswith("_")]
    except ImportError:  # what a package that is not installed has
        return {}
    for each in exported:
        try:
            value = getattr(module, each, None)
            place = getattr(value, "__name__", "")
        except ImportError:
            continue
        if not isinstance(value, types.ModuleType):
            found[name].append(each)
        elif id(value) not in seen and ".compat.v1." in place:
            found.update(symbols_of(value, f"{name}.{each}".lstrip("."), seen))
    return found


def main():
    import tensorflow

    found = symbols_of(tensorflow.compat.v1, "", set())
    lines = [f"{module}: {' '.join(sorted(names))}" for module, names in sorted(found.items())]
    pathlib.Path(__file__).with_name("names.txt").write_text("\n".join(lines) + "\n")
    print(sum(map(len, found.values())), "symbols")


if __name__ == "__main__":
    main()
