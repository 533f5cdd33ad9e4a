"""Joints and limbs into a frame: the kernel active here; portable_poses.py says what it does."""

from ..kernels import load

pose = load("poses").pose
