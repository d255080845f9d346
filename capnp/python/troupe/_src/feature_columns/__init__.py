"""Columns of features: what models make of the fields of examples."""
