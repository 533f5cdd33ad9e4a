"""Names, skeletons and colours: what a class or joint is called, which joints a limb connects, how each is painted."""

# One string, split when asked for: 80 names cost 0.6 KB this way and 4 KB as a tuple.
_COCO = (
    "person,bicycle,car,motorcycle,airplane,bus,train,truck,boat,traffic light,fire hydrant,stop sign,parking meter,"
    "bench,bird,cat,dog,horse,sheep,cow,elephant,bear,zebra,giraffe,backpack,umbrella,handbag,tie,suitcase,frisbee,skis,"
    "snowboard,sports ball,kite,baseball bat,baseball glove,skateboard,surfboard,tennis racket,bottle,wine glass,cup,"
    "fork,knife,spoon,bowl,banana,apple,sandwich,orange,broccoli,carrot,hot dog,pizza,donut,cake,chair,couch,"
    "potted plant,bed,dining table,toilet,tv,laptop,mouse,remote,keyboard,cell phone,microwave,oven,toaster,sink,"
    "refrigerator,book,clock,vase,scissors,teddy bear,hair drier,toothbrush"
)
_VOC = (
    "background,aeroplane,bicycle,bird,boat,bottle,bus,car,cat,chair,cow,diningtable,dog,horse,motorbike,person,"
    "pottedplant,sheep,sofa,train,tvmonitor"
)

# The skeletons: joint names, and limbs as pairs of joints. 17 is COCO's order, 13 that of ST's MoveNet.
_JOINTS_17 = (
    "nose,left eye,right eye,left ear,right ear,left shoulder,right shoulder,left elbow,right elbow,left wrist,"
    "right wrist,left hip,right hip,left knee,right knee,left ankle,right ankle"
)
_LIMBS_17 = (
    b"\x00\x01\x00\x02\x01\x03\x02\x04\x05\x06\x05\x07\x07\x09\x06\x08\x08\x0a"
    b"\x05\x0b\x06\x0c\x0b\x0c\x0b\x0d\x0d\x0f\x0c\x0e\x0e\x10"
)
_JOINTS_13 = (
    "head,left shoulder,right shoulder,left elbow,right elbow,left wrist,right wrist,left hip,right hip,left knee,"
    "right knee,left ankle,right ankle"
)
_LIMBS_13 = (
    b"\x0b\x09\x09\x07\x0c\x0a\x0a\x08\x07\x08\x01\x07\x02\x08\x01\x02\x01\x03"
    b"\x02\x04\x03\x05\x04\x06\x00\x01\x00\x02"
)


def default_names(classes, background=False):
    """COCO's names for 80 classes, Pascal VOC's for 21 with a background; None for any other count."""
    if background:
        return _VOC.split(",") if classes == 21 else None
    return _COCO.split(",") if classes == 80 else None


def checked_names(names, classes):
    """`names` as a list of at least `classes` strings, or ValueError."""
    if len(names) < classes:
        raise ValueError("expected %d labels, one a class, got %d" % (classes, len(names)))
    return list(names)


def joint_names(joints):
    """The names of 13 (ST MoveNet) or 17 (COCO) joints, numbers for any other count."""
    if joints == 17:
        return _JOINTS_17.split(",")
    if joints == 13:
        return _JOINTS_13.split(",")
    return [str(i) for i in range(joints)]


def limbs(joints):
    """Pairs of joints as flat bytes (a0, b0, a1, b1, ...); none for an unknown skeleton."""
    return _LIMBS_17 if joints == 17 else _LIMBS_13 if joints == 13 else b""


def joint_side(joints, joint):
    """-1 for a left joint, 1 for a right one, 0 for one in the middle (or an unknown skeleton)."""
    if joint == 0 or joints not in (13, 17):
        return 0
    return -1 if joint & 1 else 1  # both skeletons alternate behind the head


# Twenty colours that stay apart on a camera's screen, as 0xRRGGBB; class n takes n modulo 20.
_COLORS = (
    b"\xe6\x19\x4b\x3c\xb4\x4b\xff\xe1\x19\x43\x63\xd8\xf5\x82\x31\x91\x1e\xb4\x42\xd4\xf4\xf0\x32\xe6\xbf\xef\x45\xfa\xbe\xd4"
    b"\x46\x99\x90\xdc\xbe\xff\x9a\x63\x24\xff\xfa\xc8\x80\x00\x00\xaa\xff\xc3\x80\x80\x00\xff\xd8\xb1\x00\x00\x75\xa9\xa9\xa9"
)


def color(class_id):
    """(r, g, b) of a class, 0..255 each."""
    at = class_id % 20 * 3
    return _COLORS[at], _COLORS[at + 1], _COLORS[at + 2]
