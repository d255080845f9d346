"""Forests of decision trees that grow while examples come."""
