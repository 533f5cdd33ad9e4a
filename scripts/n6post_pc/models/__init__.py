"""Model files, pictures and results: reading, running and comparing them."""
