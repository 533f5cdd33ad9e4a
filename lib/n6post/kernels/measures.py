"""Bounding box, area and centroid of a mask: the active kernel. portable_measures.py describes it."""

from ..kernels import load

measure_mask = load("measures").measure_mask
