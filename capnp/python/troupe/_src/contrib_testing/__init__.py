"""What tests of written summaries use."""
