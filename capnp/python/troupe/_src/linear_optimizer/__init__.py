"""Linear models that are learned by stochastic dual coordinate ascent."""
