"""Which pixels of an image a feature of a convolutional network depends on."""
