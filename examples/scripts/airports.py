"""Great-circle statistics of the 3,376 airports of the United States, and a map of their density.

The table is the one that vega-datasets ships. Distances are by the haversine formula, all pairs at
once; the density is a Gaussian kernel estimate on a grid over the contiguous states.

usage: airports.py OUTPUT_FOLDER
"""

import csv
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np

EARTH = 6371.0  # km
BANDWIDTH = 60.0  # km
STEP = 0.25  # degrees


def load_airports():
    package = Path(find_spec("vega_datasets").origin).parent
    with open(package / "_data" / "airports.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    codes = np.array([row["iata"] for row in rows])
    position = np.array([[float(row["latitude"]), float(row["longitude"])] for row in rows])
    return codes, position


def haversine(lat1, lon1, lat2, lon2):
    """Distance in km between points given in radians."""
    a = np.sin((lat2 - lat1) / 2) ** 2 + np.cos(lat1) * np.cos(lat2) * np.sin((lon2 - lon1) / 2) ** 2
    return 2 * EARTH * np.arcsin(np.sqrt(a))


def density_map(lat, lon, grid_lat, grid_lon, bandwidth):
    """Airports per 10,000 km2 at each point of the grid, one row of the grid at a time."""
    density = np.empty((grid_lat.size, grid_lon.size))
    for i in range(grid_lat.size):
        distance = haversine(grid_lat[i], grid_lon[:, None], lat[None, :], lon[None, :])
        density[i] = np.exp(-0.5 * (distance / bandwidth) ** 2).sum(axis=1)
    return density / (2 * np.pi * bandwidth**2) * 1e4


def main():
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    codes, position = load_airports()
    lat, lon = np.radians(position).T

    distance = haversine(lat[:, None], lon[:, None], lat[None, :], lon[None, :])
    mean_distance = distance.mean(axis=1)
    within_100 = (distance < 100).sum(axis=1) - 1
    farthest = np.unravel_index(distance.argmax(), distance.shape)
    np.fill_diagonal(distance, np.inf)
    nearest = distance.argmin(axis=1)
    nearest_distance = distance.min(axis=1)

    lonely = nearest_distance.argmax()
    central = mean_distance.argmin()
    crowded = within_100.argmax()
    print(f"airports         {codes.size}")
    print(f"mean distance    {mean_distance.mean():.4f} km")
    print(f"most central     {codes[central]}, {mean_distance[central]:.4f} km")
    print(f"farthest pair    {codes[farthest[0]]} {codes[farthest[1]]}")
    print(f"nearest airport  {nearest_distance.mean():.4f} km, median {np.median(nearest_distance):.4f} km")
    print(f"loneliest        {codes[lonely]}, {nearest_distance[lonely]:.3f} km to {codes[nearest[lonely]]}")
    print(f"most within 100 km  {codes[crowded]}: {within_100[crowded]}")

    grid_lat = np.radians(np.arange(24.5, 49.5, STEP))
    grid_lon = np.radians(np.arange(-125.0, -66.5, STEP))
    density = density_map(lat, lon, grid_lat, grid_lon, BANDWIDTH)
    row, column = np.unravel_index(density.argmax(), density.shape)
    print(
        f"densest place    {np.degrees(grid_lat[row]):.2f} N {-np.degrees(grid_lon[column]):.2f} W, "
        f"{density.max():.5f} airports per 10,000 km2"
    )

    np.savez(
        out / "airports.npz",
        nearest=nearest,
        nearest_distance=nearest_distance,
        mean_distance=mean_distance,
        within_100=within_100,
        density=density,
    )


if __name__ == "__main__":
    main()
