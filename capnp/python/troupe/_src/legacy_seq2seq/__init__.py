"""The decoders and models over lists of time steps of the older module of sequences."""
