"""Heads: what models make of their logits, for classifications and regressions."""
