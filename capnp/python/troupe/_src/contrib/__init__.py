"""Parts of TensorFlow's contributed modules, composed of other functions of the package."""
