"""What options are refused with: the sentence of every wrong value, in the constructor and assigned."""

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
