"""Functions of networks: convolutions, pooling, normalization, losses."""
