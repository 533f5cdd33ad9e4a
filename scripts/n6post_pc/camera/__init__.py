"""The command `n6post camera`: a camera on a USB port."""
