"""What stops trainings of estimators and evaluates in them, and estimators of others."""
