"""Losses and decoders of sequences whose labels are not aligned (CTC)."""
