"""Estimators of programs for TPUs, which run on the devices that there are."""
