"""Functions of sparse tensors."""
