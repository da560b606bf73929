"""A wave crosses the sea off Vancouver Island and enters the Strait of Juan de Fuca.

Long waves run at a speed of sqrt(g * depth), so the sea bed shapes them. The relief is matplotlib's
sample of topography and bathymetry, of which the south-western part is refined to cells of 400 m;
the shallow-water wave equation is stepped with central differences. Land reflects, the rim absorbs.

usage: tsunami.py OUTPUT_FOLDER
"""

import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np

SOUTH, NORTH, WEST, EAST = 48.0, 49.25, -126.0, -122.9  # degrees
REFINE = 6
STEPS = 1000
GRAVITY = 9.81
SOURCE = (48.45, -125.55)
GAUGES = {
    "Barkley Sound": (48.78, -125.35),
    "Cape Flattery": (48.42, -124.75),
    "Clallam Bay": (48.27, -124.26),
}


def load_relief():
    package = Path(find_spec("matplotlib").origin).parent
    data = np.load(package / "mpl-data" / "sample_data" / "topobathy.npz")
    lat, lon = data["latitude"].astype(float), data["longitude"].astype(float) - 360
    rows, columns = (lat >= SOUTH) & (lat <= NORTH), (lon >= WEST) & (lon <= EAST)
    return data["topo"][np.ix_(rows, columns)].astype(float), lat[rows], lon[columns]


def refine(field, factor):
    """Bilinear interpolation onto a grid that is `factor` times as fine."""
    rows, columns = field.shape
    y = np.linspace(0, rows - 1, (rows - 1) * factor + 1)
    x = np.linspace(0, columns - 1, (columns - 1) * factor + 1)
    tall = np.array([np.interp(y, np.arange(rows), column) for column in field.T]).T
    return np.array([np.interp(x, np.arange(columns), row) for row in tall])


def sponge(shape, width):
    """1 inside, a little less towards the rim, where waves are to leave without an echo."""
    y = np.minimum(np.arange(shape[0]), np.arange(shape[0])[::-1])[:, None]
    x = np.minimum(np.arange(shape[1]), np.arange(shape[1])[::-1])[None, :]
    rim = np.clip(1 - np.minimum(x, y) / width, 0, 1)
    return 1 - 0.06 * rim**2


def main():
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)

    relief, lat, lon = load_relief()
    relief = refine(relief, REFINE)
    lat = np.linspace(lat[0], lat[-1], relief.shape[0])
    lon = np.linspace(lon[0], lon[-1], relief.shape[1])
    depth = np.maximum(-relief, 0)
    sea = depth > 0
    metres = 111195 * np.array([1, np.cos(np.radians(lat.mean()))])  # a degree of latitude, of longitude
    dy, dx = (lat[1] - lat[0]) * metres[0], (lon[1] - lon[0]) * metres[1]
    dt = 0.5 * min(dx, dy) / np.sqrt(GRAVITY * depth.max())

    # water passes between two cells through the shallower one's depth; nothing passes into land
    ky = GRAVITY * (dt / dy) ** 2 * np.minimum(depth[1:, 1:-1], depth[:-1, 1:-1])
    kx = GRAVITY * (dt / dx) ** 2 * np.minimum(depth[1:-1, 1:], depth[1:-1, :-1])
    damping = sponge(depth.shape, 40)[1:-1, 1:-1]

    # the source: a hump of water, 12 km wide
    north = (lat[:, None] - SOURCE[0]) * metres[0] / 1000
    east = (lon[None, :] - SOURCE[1]) * metres[1] / 1000
    height = 2.0 * np.exp(-(north**2 + east**2) / (2 * 12.0**2)) * sea
    before = height.copy()
    after = np.zeros_like(height)
    crest = np.zeros_like(height)
    gauges = {name: (np.abs(lat - y).argmin(), np.abs(lon - x).argmin()) for name, (y, x) in GAUGES.items()}
    record = np.zeros((STEPS, len(gauges)))

    for step in range(STEPS):
        inner = height[1:-1, 1:-1]
        after[1:-1, 1:-1] = damping * (
            2 * inner
            - before[1:-1, 1:-1]
            + ky[1:] * (height[2:, 1:-1] - inner)
            - ky[:-1] * (inner - height[:-2, 1:-1])
            + kx[:, 1:] * (height[1:-1, 2:] - inner)
            - kx[:, :-1] * (inner - height[1:-1, :-2])
        )
        before, height, after = height, after, before
        np.maximum(crest, height, out=crest)
        record[step] = [height[where] for where in gauges.values()]

    energy = (height[sea] ** 2).sum() * 0.5 * 1025 * GRAVITY * dx * dy
    rows, columns = depth.shape
    print(f"grid            {rows} x {columns}, cells of {dy:.2f} by {dx:.2f} m, steps of {dt:.4f} s")
    print(f"sea             {np.count_nonzero(sea)} cells, {depth[sea].mean():.3f} m deep on average")
    print(
        f"after {STEPS * dt / 60:.2f} min {height.min():.6f} to {height.max():.6f} m, energy {energy:.5e} J"
    )
    print(f"reached         {np.count_nonzero(crest > 0.05)} cells by more than 5 cm")
    for name, series in zip(gauges, record.T):
        peak = series.argmax()
        print(f"  {name:13s} {series[peak]:.5f} m after {peak * dt / 60:.2f} min")

    np.savez(out / "tsunami.npz", height=height, crest=crest, record=record, depth=depth)


if __name__ == "__main__":
    main()
