"""Labels given as lists, dicts or text files, and classes given by name.

Imported on first use. Class numbers, and the names in label_sets.py, do not need it.
"""

_SHOWN = 10  # names that an error lists
_NEAREST = 5  # ... and of more
# A camera's str.strip() leaves other blanks, such as the wide space in PP-OCR's list of characters.
_BLANKS = " \t\n\r\v\f"
_LONGEST = 64  # letters of a name that is compared letter by letter: the time for that grows with the square


# --- labels ----------------------------------------------------------------------------------------------------------
def name_list(name, value):
    """Labels as a list of strings, from a list or tuple, a dict {0: "person", ...} or the path of a .txt file.

    Blank names at the end are dropped, like the last lines of a text file. If all names are blank, the result is None.
    ValueError for a blank name before others: in a file it would shift the names after it to the wrong classes.
    """
    if isinstance(value, str) and value.lower().endswith(".txt"):
        return _read(value)
    names = _in_order(name, value) if isinstance(value, dict) else value
    if not isinstance(names, (list, tuple)) or not names or [n for n in names if not isinstance(n, str)]:
        raise ValueError(
            "%s: expected a list of names, a dict {0: name, ...}, the path of a .txt file or None, got %r" % (name, value)
        )
    names = [n.strip(_BLANKS) for n in names]
    names[0] = names[0].lstrip("\ufeff")  # the byte order mark of a file that the firmware has read
    blank = _trim(names)
    if blank >= 0:
        raise ValueError("%s: expected a name for every class, got a blank one for class %d" % (name, blank))
    return names or None


def _in_order(name, value):
    # The values of a dict whose keys are 0, 1, 2, ... or, as in JSON, "0", "1", "2", ...
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
    # Drop the blank names at the end. Return the index of the first blank name before them, or -1.
    while names and not names[-1]:
        names.pop()
    return names.index("") if "" in names else -1


def _read(path):
    data = _content(path)
    names = data and _lines(path, data)
    if not names:
        raise ValueError("%s: expected one name per line, got %s" % (path, "no file" if data is None else "none at all"))
    return names


def labels_beside_model(path):
    """(path, names) of the .txt file beside a model, where the firmware looks for it; names is None if there are none.

    The file is named like the model up to its first dot: the labels of best_int8.v2.tflite are in best_int8.txt. ValueError
    for a file that cannot be used.
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
    except (OSError, ValueError):  # ValueError: CPython's for a path with "\0"
        return None


def _lines(path, data):
    # Line ends of any system, UTF-8 with or without a byte order mark.
    if data[:3] == b"\xef\xbb\xbf":
        data = data[3:]
    names = []
    for line in data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n"):
        try:
            names.append(str(line, "utf-8").strip(_BLANKS))
        except UnicodeError:
            raise ValueError("%s, line %d: expected text in UTF-8, got %r" % (path, len(names) + 1, line)) from None
    blank = _trim(names)
    if blank >= 0:
        raise ValueError("%s, line %d: expected a name, got a blank line" % (path, blank + 1))
    return names


# --- classes by their names ------------------------------------------------------------------------------------------
def class_filter(name, value):
    """The option `classes`, class numbers and names, as a tuple; ValueError for anything else."""
    try:
        fits = not isinstance(value, (str, bytes)) and len(value) <= 65536
        classes = tuple(value) if fits else ()
    except (TypeError, OverflowError):
        classes = ()
    if not classes:
        raise ValueError("%s: expected a list of class numbers and names, or None, got %r" % (name, value))
    for one in classes:
        if not isinstance(one, str) and (type(one) is not int or not 0 <= one <= 65535):
            raise ValueError("%s: expected class numbers from 0 to 65535 and names, got %r" % (name, one))
    return classes


def classes(name, chosen, count, name_of):
    """The numbers of the classes `chosen` by number or name, of a model with `count` classes.

    name_of     a function: the name of a class number

    A name that several classes have means all of them. ValueError for a class that the model does not have.
    """
    names = None
    numbers = []
    for one in chosen:
        if isinstance(one, str):
            if names is None:
                names = [name_of(i) for i in range(count)]
            numbers.extend(_numbers_of(name, one, names))
        elif one >= count:
            raise ValueError("%s: expected numbers below %d, got %d" % (name, count, one))
        else:
            numbers.append(one)
    return numbers


def class_number(name, class_name, names):
    """The number of the only class with that name; ValueError if several classes or none have it."""
    numbers = _numbers_of(name, class_name, names)
    if len(numbers) > 1:
        several = " and ".join([str(number) for number in numbers[:_NEAREST]] + ["others"] * (len(numbers) > _NEAREST))
        raise ValueError("%s: expected the name of one class, got %r, which %s have" % (name, class_name, several))
    return numbers[0]


def _numbers_of(name, class_name, names):
    numbers = [number for number, other in enumerate(names) if other == class_name]
    if not numbers:
        unnamed = names[-1] == str(len(names) - 1)
        give = " (the classes have no names: give labels, or write one per line to the .txt file beside the model)"
        raise_unknown_name(name, class_name, names, hint=give if unnamed else "")
    return numbers


def raise_unknown_name(name, unknown, names, everything="the model's labels", hint=""):
    """Raise the ValueError for a name that is not in `names`. It lists them; of more than ten, similar ones.

    everything  where to find all of them
    """
    if len(names) <= _SHOWN:
        known = ", ".join([repr(one) for one in names]) or "a known name"
    else:
        wanted = str(unknown).lower()
        order = sorted([(_distance(wanted, str(names[i]).lower()), i) for i in range(len(names))])
        near = ", ".join([repr(names[i]) for _, i in order[:_NEAREST]])
        known = "%d names, such as %s (all: %s)" % (len(names), near, everything)
    raise ValueError("%s: expected %s%s, got %r%s" % (name, "one of " if len(names) > 1 else "", known, unknown, hint))


def nearest(name, names, most=3):
    """The names that are spelled most like `name`, joined by "or"; "" if more than a third of its letters would change."""
    order = sorted([(_typos(name.lower(), names[i].lower()), i) for i in range(len(names))])
    limit = min(order[0][0] + 1, (len(name) + 2) // 3) if order and len(name) > 2 else -1
    return " or ".join([names[i] for distance, i in order[:most] if distance <= limit])


def _typos(one, other):
    # Letters that changed places are one mistake.
    return 1 if len(one) == len(other) and sorted(one) == sorted(other) else _distance(one, other)


def _distance(one, other):
    # Levenshtein distance: how many letters to change, add or remove; 0 if one is a part of the other.
    if one in other:
        return 0
    if max(len(one), len(other)) > _LONGEST:
        return max(len(one), len(other))
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        above = row
        row = [i]
        for j, other_letter in enumerate(other, 1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (letter != other_letter)))
    return row[-1]
