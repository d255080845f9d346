"""Variables that begin with values of a checkpoint."""
