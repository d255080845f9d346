"""How many of TensorFlow's public symbols the package has, for its README.

Usage: python counts.py --readme
"""

import pathlib
import sys

import troupe

README = pathlib.Path(__file__).parents[4] / "capnp/python/README.md"
BEGIN, END = "<!-- symbols -->", "<!-- end of symbols -->"


def recorded():
    """{module: [name]}"""
    text = pathlib.Path(__file__).with_name("names.txt").read_text()
    rows = (line.partition(":") for line in text.splitlines())
    return {module: names.split() for module, _, names in rows}


def is_there(module, name):
    owner = troupe
    try:
        for part in [*filter(None, module.split(".")), name]:
            owner = getattr(owner, part)
    except (AttributeError, ImportError):
        return False
    return True


def sentence():
    """What the README says."""
    names = recorded()
    total = sum(map(len, names.values()))
    count = sum(is_there(module, name) for module, found in names.items() for name in found)
    return (
        f"Of the {total:,} public symbols of `tensorflow.compat.v1`, without those of Keras and\n"
        f"`tf.layers`, the package has {count:,}."
    )


def text_of_readme():
    """The sentence that is between the marks of the README."""
    return README.read_text().partition(BEGIN)[2].partition(END)[0].strip()


def main():
    before, _, rest = README.read_text().partition(BEGIN)
    after = rest.partition(END)[2]
    README.write_text(f"{before}{BEGIN}\n{sentence()}\n{END}{after}")


if __name__ == "__main__":
    if sys.argv[1:] != ["--readme"]:
        sys.exit(__doc__)
    main()
