"""Functions of small modules of contributed code, made of other ops."""
