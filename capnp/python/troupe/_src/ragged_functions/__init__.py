"""Functions of the package with ragged tensors."""
