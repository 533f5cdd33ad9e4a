"""Names as a script gives them: lists, dicts and text files of labels, and classes that are asked for by name.

Loaded when the first of them comes: numbers, and the names that labels.py knows, do without.
"""

_SHOWN = 10  # names that an error lists


# --- labels ----------------------------------------------------------------------------------------------------------
def name_list(name, value):
    """Labels as a list of strings: from a list or tuple, a dict {0: "person", ...} or the path of a .txt file.

    Blank names at the end are dropped, as a text file's last lines, and nothing but blank ones are None. A blank one
    between others is a ValueError: in a file it gives those behind it to the wrong classes.
    """
    if isinstance(value, str) and value.lower().endswith(".txt"):
        return _read(value)
    names = _in_order(name, value) if isinstance(value, dict) else value
    if not isinstance(names, (list, tuple)) or not names or [n for n in names if not isinstance(n, str)]:
        raise ValueError(
            "%s: expected a list of names, a dict {0: name, ...}, the path of a .txt file or None, got %r" % (name, value)
        )
    names = [n.strip() for n in names]
    names[0] = names[0].lstrip("\ufeff")  # a file's byte order mark, where the firmware has read it
    blank = _trim(names)
    if blank >= 0:
        raise ValueError("%s: expected a name for every class, got a blank one for class %d" % (name, blank))
    return names or None


def _in_order(name, value):
    # The values of a dict whose keys are 0, 1, 2, ... or, as JSON has them, "0", "1", "2", ...
    by_number = {}
    for key in value:
        number = int(key) if isinstance(key, str) and key.isdigit() else key
        if type(number) is not int or number < 0 or number in by_number:
            raise ValueError("%s: expected class numbers as the keys of a dict, each once, got %r" % (name, key))
        by_number[number] = value[key]
    missing = []
    number = 0
    for _ in range(len(by_number)):
        while number not in by_number and len(missing) < _SHOWN:
            missing.append(str(number))
            number += 1
        number += 1
    if missing:
        raise ValueError("%s: expected a name for every class from 0 on, got none for %s" % (name, ", ".join(missing)))
    return [by_number[i] for i in range(len(by_number))]


def _trim(names):
    # Drop the blank names at the end; return which one is blank before them, or -1.
    while names and not names[-1]:
        names.pop()
    return names.index("") if "" in names else -1


def _read(path):
    data = _content(path)
    names = data and _lines(path, data)
    if not names:
        raise ValueError("%s: expected one name a line, got %s" % (path, "no file" if data is None else "none at all"))
    return names


def beside(path):
    """(path, names) of the .txt beside a model, as the firmware looks for it; names are None where it has none to read.

    Its name ends at the model's first dot: best_int8.v2.tflite has its labels in best_int8.txt. ValueError names the file.
    """
    path = str(path)
    start = max(path.rfind("/"), path.rfind("\\")) + 1
    path = path[:start] + path[start:].split(".")[0] + ".txt"
    data = _content(path)
    return path, (data and _lines(path, data)) or None


def _content(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None


def _lines(path, data):
    # Line ends of any system, UTF-8 with or without a byte order mark.
    if data[:3] == b"\xef\xbb\xbf":
        data = data[3:]
    names = []
    for line in data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n"):
        try:
            names.append(str(line, "utf-8").strip())
        except UnicodeError:
            raise ValueError("%s, line %d: expected text in UTF-8, got %r" % (path, len(names) + 1, line)) from None
    blank = _trim(names)
    if blank >= 0:
        raise ValueError("%s, line %d: expected a name, got a blank line" % (path, blank + 1))
    return names


# --- classes by their names ------------------------------------------------------------------------------------------
def class_ids(name, value):
    """The option `classes`, class numbers and names, as a tuple."""
    try:
        wanted = () if isinstance(value, str) else tuple(value)
    except TypeError:
        wanted = ()
    if not wanted:
        raise ValueError("%s: expected a list of class numbers and names, or None, got %r" % (name, value))
    for one in wanted:
        if not isinstance(one, str) and (type(one) is not int or not 0 <= one <= 65535):
            raise ValueError("%s: expected class numbers from 0 to 65535 and names, got %r" % (name, one))
    return wanted


def classes(name, wanted, count, name_of):
    """The numbers of the classes wanted, by number or name, of a model with `count` of them that `name_of` names.

    A name that several classes have stands for all of them.
    """
    names = None
    numbers = []
    for one in wanted:
        if isinstance(one, str):
            if names is None:
                names = [name_of(i) for i in range(count)]
            numbers.extend(_called(name, one, names))
        elif one >= count:
            raise ValueError("%s: expected numbers below %d, got %d" % (name, count, one))
        else:
            numbers.append(one)
    return numbers


def class_number(name, wanted, names):
    """The number of the one class of that name."""
    numbers = _called(name, wanted, names)
    if len(numbers) > 1:
        several = " and ".join([str(number) for number in numbers])
        raise ValueError("%s: expected the name of one class, got %r, which %s have" % (name, wanted, several))
    return numbers[0]


def _called(name, wanted, names):
    numbers = [number for number, one in enumerate(names) if one == wanted]
    if not numbers:
        unnamed = names[-1] == str(len(names) - 1)
        unknown(name, wanted, names, hint=" (the classes have no names: give labels)" if unnamed else "")
    return numbers


def unknown(name, wanted, names, most=_SHOWN, hint=""):
    """Raise the ValueError for a name that is none of these. It lists them: of more than `most`, those spelt most alike."""
    if len(names) <= most:
        known = ", ".join([repr(one) for one in names])
    else:
        order = sorted([(_distance(wanted.lower(), names[i].lower()), i) for i in range(len(names))])
        known = "%d names, such as %s" % (len(names), ", ".join([repr(names[i]) for _, i in order[:_SHOWN]]))
    raise ValueError("%s: expected %s%s, got %r%s" % (name, "one of " if len(names) > 1 else "", known, wanted, hint))


def _distance(one, other):
    # Levenshtein's: how many letters to change, add or leave out; 0 for a part of the other.
    if one in other:
        return 0
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        above = row
        row = [i]
        for j, also in enumerate(other, 1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (letter != also)))
    return row[-1]
