"""Where `tf.keras` of TensorFlow 1.15 differs from the package `keras` that it is made of.

`_src/api/keras_modules.py` loads the files of that package a second time, as `troupe.keras`, with
the lines of `corrections` replaced and what `additions` has for a module put into it. `import
keras` stays as its authors made it.
"""
