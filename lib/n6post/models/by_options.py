"""Finds the post-processor by the options that a script gives: those that few families have show which one is meant.

Also the error messages for outputs that do not show one family. Imported only if the outputs fit several families or none,
or if the family of the outputs has refused an option: all other starts do not pay for it.
"""

from ..families.recognition import family_names, is_common, more_readings, readings
from ..tensors.options import anchor_sizes
from .matching import ModelSignature, matching_families

# Options that most families have: a family without one of them may still be the right one. A script that passes `threshold`
# to a MoveNet gets an error, not a DeepLab.
_COMMON = ("threshold", "iou_threshold", "max_detections", "classes", "class_agnostic", "max_candidates", "labels")


def decide(signature, fits, options):
    """[(family, description of the model)] of the family that the options show, where the outputs fit several or none.

    fits    [(family, description of the model)] of the outputs alone

    ValueError if there are still several, or none. TypeError if some fit and none has all of the options.
    """
    if not signature.unsupported and [name for name in options if name != "labels"]:
        fits = narrowed(signature, options)
    if len(fits) != 1:
        raise _several_fit(signature, fits, options) if fits else _none_fits(signature)
    return fits


def family_with(model, labels, options, family, refusal):
    """(family, ModelSignature) of the only family that has these options, where `family` has raised `refusal`.

    Raises `refusal` again if `family` lacks no option, or only common ones, or if the labels show it. Otherwise the errors
    of `decide`.
    """
    if not _missing(family, _telling(options)):
        raise refusal
    signature = ModelSignature(model, labels)
    chosen = decide(signature, (), options)[0][0]
    if _labels_show(signature, family, chosen):
        raise refusal
    if signature.split and not is_common(chosen):
        signature.split = None  # the maps are those of another family
    return chosen, signature


def _labels_show(signature, family, other):
    # Whether the model's labels make `family` likelier than the other one. A FOMO with labels is no DeepLab.
    if not signature.label_count:
        return False
    ranks = dict([(name, rank) for rank, name, _ in _readings(signature)])
    return ranks.get(family, 0) > ranks.get(other, 0)


def narrowed(signature, options):
    """[(family, description of the model)]: the likeliest of the families that fit and have the options that are not common.

    [] if none fits at all. TypeError if some fit and none has all of the options. ValueError for anchors that are not
    pairs of numbers.
    """
    if options.get("anchors") is not None and not _are_maps(options["anchors"]):
        signature.anchors = len(anchor_sizes("anchors", options["anchors"])) // 2
    readings = _readings(signature)
    if readings and all([_missing(one[1], options) for one in readings]):
        raise _refused(readings, options)
    options = _telling(options)
    fits = [one for one in readings if not _missing(one[1], options)]
    highest = max([one[0] for one in fits] + [0])
    return [one[1:] for one in fits if one[0] == highest]


def _are_maps(anchors):
    # Whether these are anchors of an Ssd, a list of (columns, rows, sizes), and not pairs of width and height.
    first = anchors[0] if isinstance(anchors, (list, tuple)) and anchors else None
    return isinstance(first, (list, tuple)) and len(first) > 2 and isinstance(first[2], (list, tuple))


def decided(signature, processor):
    """[(family, description)] of a post-processor that its own options would choose, as anchors choose a YoloV2; or []."""
    values = processor._values
    attached = type(processor).__name__
    options = {}
    for name, default in processor._option.defaults:
        if values[name] is not default:
            options[name] = values[name]
    try:
        fits = narrowed(signature, options)
    except TypeError:
        fits = []
    by_outputs = [family for family, _ in matching_families(signature)]
    if [family for family, _ in fits] == [attached]:
        if not by_outputs or not _labels_show(signature, by_outputs[0], attached):
            return fits
    signature.anchors = 0  # what follows is about the family of the outputs alone
    return []


def _readings(signature):
    # (rank, family, description) of each family that fits, however unlikely.
    if signature.split:
        found = [(1,) + one for one in signature.split.fits]
    else:
        found = readings(signature)
    found.extend(more_readings(signature))
    from ..families.unsupported import recognized

    unsupported = recognized(signature)[0]
    return [one for one in found if one[0] >= unsupported]


def _several_fit(signature, fits, options):
    calls = []
    for family, _ in fits:
        given = ["%s=..." % name for name in sorted(options) if name != "labels" and name in _names(family)]
        calls.append("ml.Model(path, postprocess=n6post.%s(%s))" % (family, ", ".join(given)))
    return ValueError(
        "%s fits %s%s: give labels, one per class, or choose %s"
        % (
            signature.outputs_text(),
            " and ".join(["%s (%s)" % one for one in fits]),
            unless_unsupported(signature),
            " or ".join(calls),
        )
    )


def unless_unsupported(signature):
    """A part of messages: the network that n6post does not decode, if the outputs may be those of one; else ""."""
    from ..families.unsupported import recognized

    rank, name, remedy = recognized(signature)
    return ", unless they are those of %s, which no family decodes (%s)" % (name, remedy) if rank >= 0 else ""


def _none_fits(signature):
    got = "an input of (width, height) %s, got %s" % (signature.size, signature.outputs_text())
    if signature.unsupported:
        name, remedy = signature.unsupported
        return ValueError("no family of n6post decodes %s of %s: %s" % (name, got, remedy))
    return ValueError("expected the outputs of %s, for %s" % (" or ".join(family_names()), got))


def _names(family):
    return [name for name, _ in getattr(__import__("n6post"), family)._option.defaults]


def _telling(options):
    return [name for name in options if name not in _COMMON]


def _missing(family, options):
    # The options that a family does not have. Labels are for the readings: some families have none.
    names = _names(family)
    return [name for name in sorted(options) if name != "labels" and name not in names]


def _refused(readings, options):
    # The TypeError of the families that lack the fewest options.
    lacking = [(len(_missing(one[1], options)), -one[0], one[1]) for one in readings]
    best = [one for one in lacking if one[:2] == min(lacking)[:2]]
    from ..tensors.errors import unknown_option

    text = unknown_option
    return TypeError("; ".join([text(family, _missing(family, options)[0], _names(family)) for _, _, family in best]))
