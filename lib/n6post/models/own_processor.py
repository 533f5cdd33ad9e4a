"""`load(path, processor=...)`: a model with the post-processor that the script has made, instead of a matched one.

The protocol: a callable (model, inputs, outputs), which `predict` calls with the raw arrays and whose value it returns. If
it has an attribute `labels` that is None, `load` sets it to the model's labels.

    class Brightest:
        labels = None

        def __call__(self, model, inputs, outputs):
            best = int(np.argmax(outputs[0][0]))
            return self.labels[best] if self.labels else best

Imported on first use.
"""

from ..families.recognition import is_common
from ..tensors.options import name_list
from .matching import ModelSignature, look_up_classes, matching_families


def load_with(model_class, path, processor, options):
    """The model of this file with this processor attached; `load` has the parameters and errors."""
    _check(processor, options)
    wants_labels = getattr(processor, "labels", False) is None
    source = labels = None
    if wants_labels:
        from ..tensors.labels import labels_beside_model

        source, labels = labels_beside_model(path)
    try:
        model = model_class(path, postprocess=processor)
    except (OSError, RuntimeError) as error:
        from ..tensors.errors import model_refused

        raise model_refused(path, error) from None
    if not wants_labels:
        return model
    if labels is None:
        source, labels = "the model's labels", name_list("labels", getattr(model, "labels", None) or None)
    if labels is None:
        return model
    if getattr(processor, "_bind", None):
        _hand_over(processor, model, labels, source)
    else:
        processor.labels = labels
    return model


def _check(processor, options):
    name = getattr(processor, "__name__", "MyOwn") if isinstance(processor, type) else type(processor).__name__
    if isinstance(processor, type):
        # The firmware would make a new object for each frame, from (model, inputs, outputs).
        raise ValueError("processor: expected an object, got a class: write processor=%s() with brackets" % name)
    if not callable(processor):
        raise ValueError(
            "processor: expected a function or an object that can be called with (model, inputs, outputs), got %r"
            % (processor,)
        )
    if options:
        given = ", ".join(["%s=..." % option for option in sorted(options)])
        raise TypeError(
            "load() takes no options beside processor=: give them to the processor itself, processor=%s(%s)" % (name, given)
        )


def _hand_over(processor, model, labels, source):
    # To one of n6post's own families, which have more to say about labels. ValueError as `load` raises it.
    family = type(processor).__name__
    signature = ModelSignature(model, labels)
    if family not in [fit for fit, _ in matching_families(signature)]:
        processor.labels = labels  # a subclass, or other outputs: the first frame shows whether they fit
        return
    if signature.split and not is_common(family):
        signature.split = None  # the maps are those of another family
    if signature.labels_name_keypoints(family):
        return
    expected = signature.expected_labels(family, getattr(processor, "class_count", None))
    if expected:
        raise ValueError("%s: expected %s, got %d" % (source, expected, signature.label_count))
    processor.labels = labels
    try:
        look_up_classes(family, signature, processor)
    except ValueError:
        processor.labels = None
        raise
