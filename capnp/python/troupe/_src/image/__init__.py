"""Images: functions that are made of ops of images and of others."""
