"""Distributions of real numbers, beside those of `troupe.distributions`."""
