"""Makes functions of the package take ragged tensors when it is imported."""

from troupe._src.framework.dispatch import install

install()
