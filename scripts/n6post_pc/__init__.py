"""The commands of n6post on a PC, `n6post run | inspect | optimize | host | build | camera | collect | demo`, or the scripts
of a checkout.

Nothing in this package is copied to a camera. It uses the library and the stand-ins of the checkout, or, if it is installed
from a wheel, the copies in the wheel; see paths.py.
"""
