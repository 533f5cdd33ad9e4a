"""Error messages: for wrong values of options, in the constructor and assigned, and for arguments of wrong types."""

import n6post


def run(cases):
    """cases: [name of a class, name of an option, text of a wrong value]."""
    values = {"nan": float("nan"), "inf": float("inf")}
    for kind, name, text in cases:
        wrong = eval(text, values)
        made = getattr(n6post, kind)()
        for action in (lambda: getattr(n6post, kind)(**{name: wrong}), lambda: setattr(made, name, wrong)):
            try:
                action()
                print("accepted", kind, name, text)
            except ValueError as error:
                print(kind, error)


def wrong_types(values):
    """values: source texts of values that are no model, mask, picture or list of detections."""
    from n6post.results.mask import MaskTransform

    mask = n6post.Mask(bytes(4), (0, 0, 2, 2), (0, 0, 2, 2), (0, 0, 8, 8), MaskTransform(4.0, 0.0, 4.0, 0.0, (0, 0, 8, 8)))
    area = n6post.PolygonZone(((0, 0), (9, 0), (9, 9)))
    calls = (
        n6post.to_openmv, n6post.diagnose, n6post.processor_for, n6post.Stretch, n6post.Crop, n6post.Letterbox, mask.iou,
        area.coverage, lambda x: area.trigger(x, elapsed_ms=40), n6post.LineZone((0, 0), (9, 9)).trigger,
        n6post.Tracker().update, n6post.Trail().update,
    )  # fmt: skip
    for text in values:
        wrong = eval(text)
        for i, call in enumerate(calls):
            try:
                call(wrong)
                print("accepted", i, text)
            except ValueError as error:
                print(i, error)
