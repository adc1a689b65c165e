"""What the reference shows of a name: of a class our members, not those of scikit-learn."""

import inspect
from importlib import import_module


def own_methods(module, name):
    """Return the public methods of a class that are ours, its own before those of its bases."""
    cls = getattr(import_module(module), name)
    found = [
        key
        for base in cls.__mro__
        if base.__module__.startswith("untie")
        for key, member in vars(base).items()
        if not key.startswith("_") and _is_method(member)
    ]
    return list(dict.fromkeys(found))


def own_properties(module, name):
    """Return the public properties of a class that have a docstring."""
    cls = getattr(import_module(module), name)
    return [
        key
        for key, member in inspect.getmembers(cls, lambda m: isinstance(m, property))
        if not key.startswith("_") and member.fget.__module__.startswith("untie") and member.__doc__
    ]


def first_sentence(module, name):
    """Return what is said first of a name; of plain data, which says nothing, of its package."""
    package = import_module(module)
    thing = getattr(package, name)
    text = inspect.getdoc(thing if callable(thing) else package)
    return " ".join(text.partition("\n\n")[0].split())


def _is_method(member):
    return inspect.isfunction(member) or isinstance(member, classmethod | staticmethod)


def setup(app):
    """Let the templates of autosummary call the functions."""
    app.config.autosummary_context |= {
        "first_sentence": first_sentence,
        "own_methods": own_methods,
        "own_properties": own_properties,
    }
    return {"parallel_read_safe": True}
