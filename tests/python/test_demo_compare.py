"""The comparer that the demonstration rests on must see what is wrong and nothing else."""

import numpy as np
import pytest

from examples import compare

pytestmark = pytest.mark.plain_build  # about the tools alone: one run is enough

# -- text


@pytest.mark.parametrize(
    "expected, actual",
    [
        ("", ""),
        ("mean 1.25 of 30\n", "mean 1.25 of 30\n"),
        ("energy 1.2345678901e+12", "energy 1.2345678902e+12"),
        ("a 0.12345678901 b", "a 0.12345678902 b"),
        ("nan inf", "nan inf"),
    ],
)
def test_text_that_agrees(expected, actual):
    assert compare.compare_text(expected, actual) == []


@pytest.mark.parametrize(
    "expected, actual",
    [
        ("mean 1.2345", "mean 1.2346"),
        ("mean 1.2345", "mean 1.234"),
        ("mean 1.2345", "mean -1.2345"),
        ("count 1000000000000", "count 1000000000001"),
        ("count 3", "count 3.0"),
        ("count 3", "count  3"),
        ("yes 1.0", "no 1.0"),
        ("1.0 2.0", "2.0 1.0"),
        ("1.0", "nan"),
        ("1e-3", "1e-4"),
        ("one\ntwo", "one"),
        ("one\n", "one"),
        ("numpy 2.5.1", "numpy 2.5.2"),
        ("run8.5x", "run8.6x"),
    ],
)
def test_text_that_differs(expected, actual):
    assert len(compare.compare_text(expected, actual)) == 1


def test_masked_text_is_ignored_and_only_that():
    masks = (r"took [\d.]+ s",)
    assert compare.compare_text("took 1.5 s, sum 3.25", "took 2.5 s, sum 3.25", masks=masks) == []
    assert compare.compare_text("took 1.5 s, sum 3.25", "took 2.5 s, sum 3.5", masks=masks) != []


def test_a_difference_names_its_line():
    (difference,) = compare.compare_text("a\nb 1.0\nc", "a\nb 2.0\nc", "output")
    assert difference.startswith("output, line 2:")


# -- arrays

VALUES = np.array([[1.0, -2.5, 1e3], [0.0, 1e-3, 7.25]])


def test_equal_arrays_agree():
    for dtype in (bool, np.int8, np.uint64, np.float16, np.float32, np.float64, np.complex128, "U8", "M8[D]"):
        array = VALUES.astype(int).astype(dtype) if dtype == "M8[D]" else VALUES.astype(dtype)
        assert compare.compare_arrays(array, array.copy()) == []


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex128])
def test_last_bits_are_tolerated(dtype):
    array = VALUES.astype(dtype)
    assert compare.compare_arrays(array, array * (1 + 4 * np.finfo(dtype).eps)) == []


@pytest.mark.parametrize(
    ("dtype", "relative"), [(np.float32, 1e-4), (np.float64, 1e-8), (np.complex128, 1e-8)]
)
def test_a_wrong_digit_is_seen(dtype, relative):
    array = VALUES.astype(dtype)
    wrong = array.copy()
    wrong[0, 2] *= 1 + relative
    assert "1 of 6 values differ" in compare.compare_arrays(array, wrong)[0]


@pytest.mark.parametrize(
    ("actual", "word"),
    [
        (VALUES.astype(np.float32), "dtype"),
        (VALUES.astype(">f8"), "dtype"),
        (VALUES.ravel(), "shape"),
        (VALUES.T, "shape"),
        (np.asfortranarray(VALUES), "contiguous"),
        (VALUES[::-1].copy(), "values differ"),
        (np.where(VALUES == 0, np.nan, VALUES), "NaN in other places"),
        (np.where(VALUES == 0, np.inf, VALUES), "infinite in other places"),
    ],
)
def test_what_else_is_seen(actual, word):
    assert word in compare.compare_arrays(VALUES, actual)[0]


def test_special_values_have_their_places():
    special = np.array([np.nan, np.inf, -np.inf, 1.0])
    assert compare.compare_arrays(special, special.copy()) == []
    assert compare.compare_arrays(special, special[[0, 2, 1, 3]]) != []
    assert compare.compare_arrays(special, special[[1, 0, 2, 3]]) != []


def test_one_wrong_integer_or_flag_is_seen():
    counts = np.arange(1000)
    wrong = counts.copy()
    wrong[500] += 1
    assert compare.compare_arrays(counts, wrong) == ["array: 1 of 1000 values differ"]
    assert compare.compare_arrays(counts > 3, wrong > 500) != []


def test_fields_of_records_are_compared():
    records = np.zeros(3, dtype=[("n", int), ("x", float)])
    wrong = records.copy()
    wrong["x"][1] = 1
    assert compare.compare_arrays(records, records.copy()) == []
    assert "array.x" in compare.compare_arrays(records, wrong)[0]


# -- files


def _write(folder, **changes):
    content = {
        "x": VALUES,
        "text": "sum 1.5\n",
        "pixels": np.full((40, 40), 7, np.uint8),
        "blob": b"\x00\x01",
    } | changes
    from PIL import Image

    folder.mkdir()
    np.savez(folder / "result.npz", x=content["x"])
    np.save(folder / "x.npy", content["x"])
    (folder / "log.txt").write_text(content["text"])
    (folder / "blob.bin").write_bytes(content["blob"])
    Image.fromarray(content["pixels"]).save(folder / "picture.png")
    return folder


def test_equal_folders_agree(tmp_path):
    assert compare.compare_folders(_write(tmp_path / "a"), _write(tmp_path / "b")) == []


def test_one_pixel_rounded_otherwise_is_tolerated(tmp_path):
    pixels = np.full((40, 40), 7, np.uint8)
    pixels[3, 3] = 8
    assert compare.compare_folders(_write(tmp_path / "a"), _write(tmp_path / "b", pixels=pixels)) == []


@pytest.mark.parametrize(
    "changes",
    [
        {"x": VALUES * 1.001},
        {"x": VALUES.astype(np.float32)},
        {"text": "sum 1.6\n"},
        {"blob": b"\x00\x02"},
        {"pixels": np.full((40, 40), 8, np.uint8)},
        {"pixels": np.full((40, 41), 7, np.uint8)},
        {"pixels": np.full((40, 40, 3), 7, np.uint8)},
        {"pixels": np.pad(np.full((39, 40), 7, np.uint8), ((1, 0), (0, 0)))},
    ],
)
def test_a_changed_file_is_seen(tmp_path, changes):
    assert compare.compare_folders(_write(tmp_path / "a"), _write(tmp_path / "b", **changes)) != []


def test_a_missing_file_is_seen(tmp_path):
    _write(tmp_path / "a")
    (_write(tmp_path / "b") / "log.txt").unlink()
    assert compare.compare_folders(tmp_path / "a", tmp_path / "b") != []
