"""The version of TensorFlow whose API the package has, and its own."""

TROUPE_VERSION = "0.1.0"

VERSION = "1.15.5"  # programs compare it with what they need
GIT_VERSION = f"troupe-{TROUPE_VERSION}"
COMPILER_VERSION = "GCC 12"
GRAPH_DEF_VERSION = 134
GRAPH_DEF_VERSION_MIN_CONSUMER = 0
GRAPH_DEF_VERSION_MIN_PRODUCER = 0
CXX11_ABI_FLAG = 1
MONOLITHIC_BUILD = 0
