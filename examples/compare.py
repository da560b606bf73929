"""Compares what two runs of one program printed and wrote.

The rule: integers, booleans, strings, shapes, dtypes, memory orders, file names and all text between
the numbers must be equal; floating-point numbers must agree within the tolerance of their class.
Every function returns the differences as sentences; an empty list means equal.
"""

import re
from pathlib import Path

import numpy as np

# Largest relative difference by the bytes of one real number.
TOLERANCE = {2: 2e-3, 4: 1e-5, 8: 1e-10, 16: 1e-10}
# Printed decimals; far below what a script prints, so every wrong digit shows.
TEXT_TOLERANCE = 1e-9
# A pixel may be rounded to the neighbouring level, but only a few of them.
PIXEL_LEVELS = 1
PIXEL_SHARE = 1e-3

NUMBER = re.compile(r"(?<![\w.])[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.]*\w)")


def _is_integer(text):
    return not any(c in text for c in ".eE")


def _numbers_agree(a, b):
    if a == b:
        return True
    if _is_integer(a) or _is_integer(b):
        return False
    x, y = float(a), float(b)
    return abs(x - y) <= TEXT_TOLERANCE * max(abs(x), abs(y))


def compare_text(expected, actual, label="text", masks=()):
    """Compares two texts line by line; what matches one of the regular expressions `masks` is ignored."""
    for mask in masks:
        expected, actual = re.sub(mask, "<masked>", expected), re.sub(mask, "<masked>", actual)
    if expected == actual:
        return []
    lines_expected, lines_actual = expected.split("\n"), actual.split("\n")
    if len(lines_expected) != len(lines_actual):
        return [f"{label}: {len(lines_actual)} lines instead of {len(lines_expected)}"]
    differences = []
    for number, (a, b) in enumerate(zip(lines_expected, lines_actual), 1):
        numbers_a, numbers_b = NUMBER.findall(a), NUMBER.findall(b)
        same = len(numbers_a) == len(numbers_b) and NUMBER.split(a) == NUMBER.split(b)
        if not same or not all(map(_numbers_agree, numbers_a, numbers_b)):
            differences.append(f"{label}, line {number}: {b!r} instead of {a!r}")
    return differences


def _compare_floats(expected, actual, label):
    unlike = np.isnan(expected) != np.isnan(actual)
    if unlike.any():
        return [f"{label}: NaN in other places, {np.count_nonzero(unlike)} of {unlike.size}"]
    finite = np.isfinite(expected)
    unlike = (finite != np.isfinite(actual)) | (~finite & ~np.isnan(expected) & (expected != actual))
    if unlike.any():
        return [f"{label}: infinite in other places, {np.count_nonzero(unlike)} of {unlike.size}"]
    x, y = expected[finite], actual[finite]
    if x.size == 0:
        return []
    real_bytes = expected.dtype.itemsize // (2 if expected.dtype.kind == "c" else 1)
    tolerance = TOLERANCE[real_bytes]
    scale = np.sqrt(np.mean(np.abs(x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)) ** 2))
    error = np.abs(x - y)
    wrong = error > tolerance * np.maximum(np.abs(x), scale)
    if not wrong.any():
        return []
    share = f"{np.count_nonzero(wrong)} of {wrong.size}"
    return [f"{label}: {share} values differ, at most by {error.max():.3g} where values are {scale:.3g}"]


def compare_arrays(expected, actual, label="array"):
    """Compares two arrays: dtype, shape and memory order, then the values by the class of the dtype."""
    for what in ("dtype", "shape"):
        a, b = getattr(expected, what), getattr(actual, what)
        if a != b:
            return [f"{label}: {what} {b} instead of {a}"]
    for flag in ("c_contiguous", "f_contiguous"):
        if getattr(expected.flags, flag) != getattr(actual.flags, flag):
            return [f"{label}: {flag} is {getattr(actual.flags, flag)}"]
    if expected.dtype.names:
        pairs = [(f"{label}.{name}", expected[name], actual[name]) for name in expected.dtype.names]
        return [d for name, a, b in pairs for d in compare_arrays(a, b, name)]
    if expected.dtype.kind in "fc":
        return _compare_floats(expected, actual, label)
    unlike = expected != actual
    if np.any(unlike):
        return [f"{label}: {np.count_nonzero(unlike)} of {expected.size} values differ"]
    return []


def _compare_images(expected, actual, label):
    from PIL import Image

    with Image.open(expected) as first, Image.open(actual) as second:
        if (first.mode, first.size) != (second.mode, second.size):
            return [f"{label}: {second.mode} {second.size} instead of {first.mode} {first.size}"]
        apart = np.abs(np.asarray(first).astype(int) - np.asarray(second).astype(int))
    if apart.max() > PIXEL_LEVELS or np.count_nonzero(apart) > PIXEL_SHARE * apart.size:
        return [f"{label}: {np.count_nonzero(apart)} pixel values differ, at most by {apart.max()}"]
    return []


def _compare_npz(expected, actual, label):
    with np.load(expected) as first, np.load(actual) as second:
        if first.files != second.files:
            return [f"{label}: arrays {second.files} instead of {first.files}"]
        return [
            d for name in first.files for d in compare_arrays(first[name], second[name], f"{label}:{name}")
        ]


def _compare_file(expected, actual, label):
    suffix = expected.suffix.lower()
    if suffix == ".npz":
        return _compare_npz(expected, actual, label)
    if suffix == ".npy":
        return compare_arrays(np.load(expected), np.load(actual), label)
    if suffix in (".png", ".bmp", ".tif", ".tiff"):
        return _compare_images(expected, actual, label)
    first, second = expected.read_bytes(), actual.read_bytes()
    if suffix in (".txt", ".csv", ".json"):
        return compare_text(first.decode(), second.decode(), label)
    return [] if first == second else [f"{label}: bytes differ"]


def compare_folders(expected, actual):
    """Compares all files of two folders, by name and content."""
    expected, actual = Path(expected), Path(actual)
    names = [sorted(str(p.relative_to(f)) for p in f.rglob("*") if p.is_file()) for f in (expected, actual)]
    if names[0] != names[1]:
        return [f"files {names[1]} instead of {names[0]}"]
    return [d for name in names[0] for d in _compare_file(expected / name, actual / name, name)]
