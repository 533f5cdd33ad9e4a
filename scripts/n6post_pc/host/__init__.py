"""The command `n6post host`: camera scripts on this PC."""
