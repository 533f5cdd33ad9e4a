"""The commands of n6post on a PC: `n6post run | inspect | host | build | camera | demo`, or the scripts of a checkout.

Nothing in here goes onto a camera. In a checkout it works on the files beside it, installed from a wheel on those that
the wheel carries: places.py tells where they are.
"""
