"""Keypoints and limbs in a frame: the active kernel. portable_poses.py describes it."""

from ..kernels import load

pose = load("poses").pose
