"""What is refused, and with which sentence: wrong values of options, in constructor and assigned; things of a wrong kind."""

import n6post


def run(cases):
    """cases: [name of a class, name of an option, text of a wrong value]."""
    values = {"nan": float("nan"), "inf": float("inf")}
    for kind, name, text in cases:
        wrong = eval(text, values)
        made = getattr(n6post, kind)()
        for ask in (lambda: getattr(n6post, kind)(**{name: wrong}), lambda: setattr(made, name, wrong)):
            try:
                ask()
                print("taken", kind, name, text)
            except ValueError as error:
                print(kind, error)


def kinds(values):
    """values: texts of what is no model, mask, picture or list of detections. What each call says of each."""
    from n6post.mask import Grid

    mask = n6post.Mask(bytes(4), (0, 0, 2, 2), (0, 0, 2, 2), (0, 0, 8, 8), Grid(4.0, 0.0, 4.0, 0.0, (0, 0, 8, 8)))
    area = n6post.PolygonZone(((0, 0), (9, 0), (9, 9)))
    calls = (
        n6post.by_class, n6post.diagnose, n6post.processor_for, n6post.Stretch, n6post.Crop, n6post.Letterbox, mask.iou,
        area.share, lambda x: area.trigger(x, 40), n6post.LineZone((0, 0), (9, 9)).trigger, n6post.Tracker().update,
        n6post.Trail().update,
    )  # fmt: skip
    for text in values:
        wrong = eval(text)
        for i, call in enumerate(calls):
            try:
                call(wrong)
                print("taken", i, text)
            except ValueError as error:
                print(i, error)
