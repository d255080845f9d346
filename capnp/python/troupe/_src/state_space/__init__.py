"""State space models of time series: a Kalman filter, and the models that it filters."""
