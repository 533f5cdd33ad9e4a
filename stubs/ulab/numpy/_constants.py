"""float32 constants as the board holds them (create_251..254)."""

pi = 3.1415927410125732
e = 2.7182817459106445
inf = float("inf")
nan = float("nan")
