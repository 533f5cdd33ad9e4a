# What type checkers and editors see of lazy.py: the modules that it imports.

class _Later:
    from .. import firmware as firmware
    from ..drawing import captions as drawing_captions
    from ..drawing import depth as drawing_depth
    from ..drawing import draw as drawing_draw
    from ..drawing import earlier as drawing_earlier
    from ..drawing import heat_map as drawing_heat_map
    from ..drawing import legends as drawing_legends
    from ..drawing import mask_image as drawing_mask_image
    from ..drawing import masks as drawing_masks
    from ..drawing import oriented as drawing_oriented
    from ..drawing import painted_text as drawing_painted_text
    from ..drawing import per_detection as drawing_per_detection
    from ..drawing import poses as drawing_poses
    from ..drawing import zones as drawing_zones
    from ..inputs import firmware_scaling as inputs_firmware_scaling
    from ..inputs import resize as inputs_resize
    from ..kernels.params import drawing as kernels_params_drawing
    from ..kernels.portable import boxes as kernels_portable_boxes
    from ..kernels.portable import heads as kernels_portable_heads
    from ..kernels.portable import oriented as kernels_portable_oriented
    from ..models import region as models_region
    from ..pixels import colors as pixels_colors
    from ..pixels import pixel_edges as pixels_pixel_edges
    from ..pixels import polygons as pixels_polygons
    from ..pixels import text as pixels_text
    from ..results import bands as results_bands
    from ..results import dicts as results_dicts
    from ..results import json_parts as results_json_parts
    from ..results import mask as results_mask
    from ..results import mask_colors as results_mask_colors
    from ..results import mask_geometry as results_mask_geometry
    from ..results import mask_iou as results_mask_iou
    from ..results import mask_join as results_mask_join
    from ..results import mask_measures as results_mask_measures
    from ..results import oriented as results_oriented
    from ..results import pairs as results_pairs
    from ..results import parts as results_parts
    from ..results import places as results_places
    from ..results import scaled as results_scaled
    from ..results import sharpness as results_sharpness
    from ..tracking import coverage as tracking_coverage
    from ..tracking import occupancy as tracking_occupancy
    from ..tracking import one_euro as tracking_one_euro
    from ..tracking import plane_measures as tracking_plane_measures
    from ..tracking import reidentification as tracking_reidentification
    from . import anchor_sizes as tensors_anchor_sizes
    from . import errors as tensors_errors
    from . import keypoints as tensors_keypoints
    from . import labels as tensors_labels
    from . import options as tensors_options
    from . import shapes as tensors_shapes
    from . import skeletons as tensors_skeletons

later: _Later
