"""Time series: readers, models, state, and their estimators."""
