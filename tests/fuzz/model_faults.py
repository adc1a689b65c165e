"""What can be wrong with model files.

A fault is a name and a function that makes the bytes of a bad file. Damage comes from the world (a
bit, a cut) and leaves the checksum wrong; what is crafted comes from someone who computes it anew.
Nothing here uses the package to take files apart, so that its mistakes are not shared.
"""

import hashlib
import io
import json
import random
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from untie._persistence.formats import FORMAT  # or every fault would be that of another format

TEXT = "__text__"


@dataclass
class File:
    """A model file taken apart: the text and the arrays, as they stand in its archive."""

    text: str
    arrays: dict[str, np.ndarray]

    @classmethod
    def of(cls, whole: bytes) -> "File":
        """Take a file apart."""
        payload = whole.partition(b"\n")[2]
        with zipfile.ZipFile(io.BytesIO(payload)) as archive:
            members = {name[:-4]: np.load(archive.open(name)) for name in archive.namelist()}
        return cls(members.pop(TEXT).tobytes().decode(), members)

    def members(self) -> dict[str, bytes]:
        """Return what stands in the archive."""
        text = np.frombuffer(self.text.encode(), dtype=np.uint8)
        return {f"{name}.npy": npy(array) for name, array in {TEXT: text, **self.arrays}.items()}

    def sealed(self) -> bytes:
        """Return the file's bytes, with a checksum that is right."""
        return seal(zipped(self.members().items()))


def npy(array) -> bytes:
    """Return an array as numpy writes it, pickled if it must be."""
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, np.asarray(array), version=(1, 0))
    return buffer.getvalue()


def header_of(descr: str, shape: str) -> bytes:
    """Return what stands before the numbers of an array, whatever it says."""
    text = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}".encode()
    text += b" " * (-(len(text) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text


def zipped(members, method=zipfile.ZIP_DEFLATED) -> bytes:
    """Return an archive of names and bytes; a name may come twice."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in members:
            archive.writestr(zipfile.ZipInfo(name), content, method)
    return buffer.getvalue()


def seal(payload: bytes, number: int = FORMAT) -> bytes:
    """Return a payload behind a first line that is right."""
    words = f"UNTIE {number} 0.1.0"
    digest = hashlib.sha256(f"{words}\n".encode() + payload).hexdigest()
    return f"{words} {digest}\n".encode() + payload


Fault = tuple[str, Callable[[], bytes]]


def damage(whole: bytes, draws: random.Random, n: int) -> Iterator[Fault]:
    """Yield what disks and networks do to files; every one of these must be refused."""
    for _ in range(n):
        place, bit = draws.randrange(len(whole)), draws.randrange(8)
        yield f"bit {bit} of byte {place}", lambda p=place, b=bit: flipped(whole, p, b)
        cut = draws.randrange(len(whole))
        yield f"cut at {cut}", lambda c=cut: whole[:c]
        start = draws.randrange(len(whole))
        yield f"64 zeros at {start}", lambda s=start: overwritten(whole, s, b"\0" * 64)
        yield f"a gap at {start}", lambda s=start: whole[:s] + whole[s + 1 :]
    yield "more at the end", lambda: whole + b"\0"
    yield "twice", lambda: whole + whole


def flipped(content: bytes, place: int, bit: int) -> bytes:
    """Return bytes with one bit turned round."""
    return overwritten(content, place, bytes([content[place] ^ (1 << bit)]))


def overwritten(content: bytes, place: int, new: bytes) -> bytes:
    """Return bytes with others in the place of some."""
    changed = content[:place] + new + content[place + len(new) :]
    return changed if changed != content else content + b"\0"


def crafted(whole: bytes, draws: random.Random, n: int) -> dict[str, list[Fault]]:
    """Return by kind what someone makes who knows the format: the checksum is right."""
    file = File.of(whole)
    payload = whole.partition(b"\n")[2]
    return {
        "bits": list(_odd_bits(payload, draws, n)),
        "archives": list(_odd_archives(file, payload)),
        "members": list(_odd_members(file, draws)),
        "texts": list(_odd_texts(file)),
        "arrays": [fault for name in file.arrays for fault in _odd_arrays(file, name, draws)],
        "entries": list(_odd_entries(file, draws)),
    }


def _odd_bits(payload: bytes, draws: random.Random, n: int) -> Iterator[Fault]:
    for _ in range(n):
        place, bit = draws.randrange(len(payload)), draws.randrange(8)
        yield f"sealed bit {bit} of {place}", lambda p=place, b=bit: seal(flipped(payload, p, b))
        cut = draws.randrange(len(payload))
        yield f"sealed cut at {cut}", lambda c=cut: seal(payload[:c])


def _odd_archives(file: File, payload: bytes) -> Iterator[Fault]:
    members = file.members()
    yield "no archive", lambda: seal(b"")
    yield "a pickle", lambda: seal(b"\x80\x04N.")
    yield "one array alone", lambda: seal(npy(np.ones(3)))
    yield "format 0", lambda: seal(payload, 0)
    yield "format 7", lambda: seal(payload, 7)
    yield "lzma", lambda: seal(zipped(members.items(), zipfile.ZIP_LZMA))
    yield "encrypted", lambda: seal(encrypted(payload))
    for n in (2**29, 3_200_000_000):
        yield f"a bomb of {n}", lambda n=n: seal(bomb(payload, "bomb.npy", zeros(n), n))
        yield f"a text of {n}", lambda n=n: seal(bomb(payload, f"{TEXT}.npy", zeros(n), n))
    yield (
        "a text of 2**26",
        lambda: seal(zipped({**members, f"{TEXT}.npy": text_of(2**26)}.items())),
    )
    yield "a size that is none", lambda: seal(bomb(payload, "bomb.npy", zeros(2**20), 500))
    for size in (2**33, 2**61, 2**63, 2**64):
        yield f"an array of {size}", lambda s=size: with_header(file, "'<f8'", f"({s},)")
    yield "an array of 0 x 2**62", lambda: with_header(file, "'<f8'", f"(0, {2**62})")
    yield "an array of -1", lambda: with_header(file, "'<f8'", "(-1,)")
    yield "objects", lambda: with_header(file, "'|O'", "(1,)", b"\x80\x04N.")
    yield "a deep header", lambda: with_header(file, "(" * 900, "()")
    yield "a long shape", lambda: with_header(file, "'<f8'", "(" + "1" * 900 + "x)")
    yield "an expression", lambda: with_header(file, "__import__('os').abort()", "()")


def with_header(file: File, descr: str, shape: str, numbers: bytes = b"\0" * 8) -> bytes:
    """Return a file of which one array says something else of itself."""
    members = file.members()
    name = list(members)[-1]
    return seal(zipped({**members, name: header_of(descr, shape) + numbers}.items()))


def zeros(n: int) -> bytes:
    """Return about as many zeros behind the header of an array, packed to a thousandth."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    start = packer.compress(header_of("'|u1'", f"({n},)")) + packer.flush(zlib.Z_FULL_FLUSH)
    piece = packer.compress(bytes(2**20)) + packer.flush(zlib.Z_FULL_FLUSH)
    return start + piece * (n // 2**20) + packer.flush()


def text_of(n: int) -> bytes:
    """Return a text that becomes many small lists."""
    return npy(np.frombuffer(b"[" + b"[]," * (n // 3) + b"[]]", dtype=np.uint8))


def bomb(payload: bytes, name: str, packed: bytes, n: int) -> bytes:
    """Return an archive with one more member, that says to be this large when unpacked."""
    buffer = io.BytesIO(payload)
    with zipfile.ZipFile(buffer, "a") as archive:
        start = archive.start_dir
        archive.writestr(zipfile.ZipInfo(name), packed)
        directory = archive.start_dir
    whole = bytearray(buffer.getvalue())
    entry = whole.rindex(b"PK\x01\x02", directory)  # of the last member
    for method, size in ((start + 8, start + 22), (entry + 10, entry + 24)):
        struct.pack_into("<H", whole, method, zipfile.ZIP_DEFLATED)
        struct.pack_into("<I", whole, size, n)
    return bytes(whole)


def encrypted(payload: bytes) -> bytes:
    """Return an archive that says of its first member that it is encrypted."""
    place = payload.index(b"PK\x01\x02") + 8
    return payload[:place] + b"\x01\x00" + payload[place + 2 :]


def _odd_members(file: File, draws: random.Random) -> Iterator[Fault]:
    members = file.members()
    text, *names = members
    yield "a part more", lambda: seal(zipped([*members.items(), ("extra.npy", npy(np.ones(2)))]))
    yield "an archive inside", lambda: seal(zipped([*members.items(), ("a.zip", zipped([]))]))
    yield "a path", lambda: seal(zipped([*members.items(), ("../../a.npy", npy(np.ones(2)))]))
    yield "no text", lambda: seal(zipped([(n, members[n]) for n in names]))
    yield "two texts", lambda: seal(zipped([*members.items(), (text, members[text])]))
    for name in names:
        yield f"no {name}", lambda k=name: seal(zipped(p for p in members.items() if p[0] != k))
        yield f"{name} twice", lambda k=name: seal(zipped([*members.items(), (k, members[k])]))
        other = draws.choice(names)
        if members[name] != members[other]:
            swapped = {**members, name: members[other], other: members[name]}
            yield f"{name} and {other} swapped", lambda s=swapped: seal(zipped(s.items()))


def _odd_texts(file: File) -> Iterator[Fault]:
    for depth in (100, 900, 3_000, 100_000):
        yield f"{depth} lists", lambda d=depth: with_text(file, "[" * d + "]" * d)
        yield f"{depth} dicts", lambda d=depth: with_text(file, '{"tuple":[' * d + "]}" * d)
    for text in ("", "{}", "[]", "null", "NaN", "1e999", '{"":[]}', '{"type": "encoder"}'):
        yield f"the text {text!r}", lambda t=text: with_text(file, t)
    broken = npy(np.frombuffer(b'"\xff"', dtype=np.uint8))
    yield "no UTF-8", lambda: seal(zipped({**file.members(), f"{TEXT}.npy": broken}.items()))
    yield "a long number", lambda: with_text(file, "1" * 9_000)
    kinds = ("pipeline", "encoder", "untie", "clusterer", "preparer", "kmodes", "wizard", "")
    for kind in kinds:
        if f'"type": "{kind}"' not in file.text:
            yield f"a {kind}", lambda k=kind: with_text(file, _with_kind(file.text, k))


def _with_kind(text: str, kind: str) -> str:
    before, _, rest = text.partition('"type": "')
    return f'{before}"type": "{kind}"{rest[rest.index(chr(34)) + 1 :]}'


def with_text(file: File, text: str) -> bytes:
    """Return a file with another text."""
    return File(text, file.arrays).sealed()


def _odd_arrays(file: File, name: str, draws: random.Random) -> Iterator[Fault]:
    array = file.arrays[name]
    changes = {
        "longer": lambda: np.concatenate([array, array[-1:]]),
        "shorter": lambda: array[:-1],
        "flat": lambda: array.ravel() if array.ndim != 1 else array[:, None],
        "turned": lambda: array.T.reshape(array.shape[::-1]) if array.ndim > 1 else array[None],
        "empty": lambda: array[:0],
        "one number": lambda: np.array(1.0),
        "text": lambda: np.full(array.shape, "x"),
        "complex": lambda: array.astype(complex),
        "objects": lambda: array.astype(object),
        "dates": lambda: np.zeros(array.shape, "M8[s]"),
        "long doubles": lambda: array.astype(np.longdouble),
        "records": lambda: np.zeros(array.shape, [("a", "f8")]),
    }
    for what, change in changes.items():
        if array.ndim or what in ("text", "objects"):
            yield f"{name}: {what}", lambda c=change: _with_array(file, name, c())
    odd = (np.nan, np.inf, -np.inf) if array.dtype.kind == "f" else (2**33, -(2**33), 2**63 - 1)
    shape = file.arrays.get(name.replace("indices", "shape")) if "indices" in name else None
    width = array.size if shape is None else int(shape[1])
    for number in (*odd, -1, width, width + 1):
        for place in {0, max(array.size - 1, 0), draws.randrange(max(array.size, 1))}:
            if array.size and array.dtype.kind in "iuf":
                yield (
                    f"{name}: {number} at {place}",
                    lambda n=number, p=place: _with_array(file, name, _put(array, p, n)),
                )


def _put(array: np.ndarray, place: int, number: float) -> np.ndarray:
    # As wide as it needs to be: a stranger is not bound to the type that we write.
    wide = array.astype(np.int64 if array.dtype.kind in "iu" else float)
    wide.flat[place] = number
    return wide


def _with_array(file: File, name: str, array: np.ndarray) -> bytes:
    return File(file.text, {**file.arrays, name: array}).sealed()


ODD = (
    *(None, True, -1, 0, 7, 2**70, 1.5, float("nan"), float("inf"), "x", "", [], ["x"], [[]]),
    *({"": []}, {"": [["a", 1]]}, {"tuple": []}, {"tuple": [1]}, {"decimal": "NaN"}),
    *({"nothing": 1}, {"number type": "O"}, {"Timestamp": ["x"]}, {"gaussian": "x"}),
)
"""What stands in the place of an entry."""

LONG = 40
"""A list with more items than this is that of a column's values."""


def _odd_entries(file: File, draws: random.Random) -> Iterator[Fault]:
    places = list(_places(json.loads(file.text)))
    for place in draws.sample(places, min(len(places), 150)):
        where = "/".join(map(str, place))
        for odd in draws.sample(ODD, 4):
            yield f"{where} = {odd!r}", lambda p=place, o=odd: _changed(file, p, lambda _: [o])
        yield f"{where} removed", lambda p=place: _changed(file, p, lambda _: [])
        yield f"{where} twice", lambda p=place: _changed(file, p, lambda old: [old, old])


def _places(value, keys=()) -> Iterator[tuple]:
    """Yield where the items of all lists and the entries of all dictionaries are."""
    items = list(enumerate(value) if isinstance(value, list) else getattr(value, "items", tuple)())
    # Of a long list, such as the values of a column, the ends stand for the rest.
    for key, item in items if len(items) <= LONG else items[:2] + items[-2:]:
        yield (*keys, key)
        yield from _places(item, (*keys, key))


def _changed(file: File, keys, change) -> bytes:
    content = json.loads(file.text)
    inner = content
    for key in keys[:-1]:
        inner = inner[key]
    changed, last = change(inner[keys[-1]]), keys[-1]
    if isinstance(inner, list):
        inner[last : last + 1] = changed
        return with_text(file, json.dumps(content))
    inner[last] = changed[0] if changed else None
    if not changed:
        del inner[last]
    text = json.dumps(content)
    if len(changed) == 2:  # no dictionary has an entry twice, but a text has
        entry = f"{json.dumps(last)}: {json.dumps(changed[0])}"
        text = text.replace(entry, f"{entry}, {entry}")
    return with_text(file, text)
