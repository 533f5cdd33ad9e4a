"""The command `n6post demo`: recorded outputs of real networks."""
