"""The commands `n6post build` and `n6post inspect`: images for a camera, and what a model file needs there."""
