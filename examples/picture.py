"""Draws what the demonstration's scripts computed, with their times, as one picture."""

from pathlib import Path

import numpy as np


def _denoise(axes, data):
    half = data["noisy"].shape[1] // 2
    axes.imshow(
        np.hstack([data["noisy"][:, :half], data["denoised"][:, half:]]), cmap="gray", vmin=0, vmax=0.6
    )
    axes.set_title("denoise: before | after")


def _airports(axes, data):
    axes.imshow(np.sqrt(data["density"][::-1]), cmap="magma", aspect=1.25)
    axes.set_title("airports: density")


def _implied_volatility(axes, data):
    axes.imshow(data["implied"][:, 4].T, cmap="viridis", aspect="auto")
    axes.set_title("implied volatility: day, strike")


def _kmeans_digits(axes, data):
    centres = data["centres"].reshape(2, 5, 8, 8)
    axes.imshow(centres.transpose(0, 2, 1, 3).reshape(16, 40), cmap="gray_r")
    axes.set_title("k-means: centres")


def _tsunami(axes, data):
    height = np.where(data["depth"] > 0, data["height"], np.nan)
    axes.imshow(height[::-1], cmap="RdBu_r", vmin=-0.5, vmax=0.5)
    axes.set_facecolor("0.75")
    axes.set_title("tsunami: height")


def _sunlight(axes, data):
    axes.imshow(data["light"], cmap="inferno")
    axes.set_title("sunlight: year's sum")


PANELS = {
    "airports": _airports,
    "denoise": _denoise,
    "implied_volatility": _implied_volatility,
    "kmeans_digits": _kmeans_digits,
    "sunlight": _sunlight,
    "tsunami": _tsunami,
}


def draw(folder, results, path):
    """Draws the arrays under `folder` (one folder a script) and the times of `results` into `path`."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, grid = pyplot.subplots(2, 4, figsize=(16, 8), layout="constrained")
    panels = iter(grid.flat)
    for result in (result for result in results if result.name in PANELS):
        axes = next(panels)
        axes.set_xticks([])
        axes.set_yticks([])
        with np.load(Path(folder) / result.name / f"{result.name}.npz") as data:
            PANELS[result.name](axes, data)
    axes = next(panels)
    rows = np.arange(len(results))
    axes.barh(rows - 0.2, [result.plain for result in results], 0.4, label="NumPy")
    axes.barh(rows + 0.2, [result.brio for result in results], 0.4, label="NumPy under brio run")
    axes.set_yticks(rows, [result.name for result in results])
    axes.invert_yaxis()
    axes.set_xlabel("seconds")
    axes.legend()
    for axes in panels:
        axes.set_axis_off()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=80)
    pyplot.close(figure)
    return path
