"""Class names of the datasets COCO and Pascal VOC, and how many names a model needs."""

_COCO = (
    b"person,bicycle,car,motorcycle,airplane,bus,train,truck,boat,traffic light,fire hydrant,stop sign,parking meter,"
    b"bench,bird,cat,dog,horse,sheep,cow,elephant,bear,zebra,giraffe,backpack,umbrella,handbag,tie,suitcase,frisbee,skis,"
    b"snowboard,sports ball,kite,baseball bat,baseball glove,skateboard,surfboard,tennis racket,bottle,wine glass,cup,"
    b"fork,knife,spoon,bowl,banana,apple,sandwich,orange,broccoli,carrot,hot dog,pizza,donut,cake,chair,couch,"
    b"potted plant,bed,dining table,toilet,tv,laptop,mouse,remote,keyboard,cell phone,microwave,oven,toaster,sink,"
    b"refrigerator,book,clock,vase,scissors,teddy bear,hair drier,toothbrush"
)
_VOC = (
    b"background,aeroplane,bicycle,bird,boat,bottle,bus,car,cat,chair,cow,diningtable,dog,horse,motorbike,person,"
    b"pottedplant,sheep,sofa,train,tvmonitor"
)


def class_name(class_id, classes, background=False):
    """The name of a class: COCO's if there are 80 classes, Pascal VOC's if 21 with a background, else its number as text."""
    names = _COCO if classes == 80 and not background else _VOC if classes == 21 and background else None
    if names is None:
        return str(class_id)
    # Cut out of one bytes object: a list of COCO's 80 names takes 4 KB and half a million instructions, because MicroPython
    # looks up every new string among all strings. Bytes, because in a str MicroPython counts characters up to an index.
    start = 0
    for _ in range(class_id):
        start = names.find(b",", start) + 1
    end = names.find(b",", start)
    return str(names[start:] if end < 0 else names[start:end], "utf-8")


def checked_names(names, classes):
    """`names` as a list; ValueError if there are not as many as classes."""
    if len(names) != classes:
        raise ValueError("expected %d labels, one per class, got %d" % (classes, len(names)))
    return list(names)


def without_background(names, classes, required):
    """The names of the classes, out of names that may begin with one for the background; None for None.

    ValueError for another number of names if that is `required`; otherwise they are returned as they are.
    """
    if names and len(names) == 1 + classes:
        return names[1:]
    if required and names and len(names) != classes:
        raise ValueError("expected %d labels, one per class, or one more for the background, got %d" % (classes, len(names)))
    return names
