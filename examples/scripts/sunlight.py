"""Which slopes get the sun? A year of clear-sky light on the terrain of the Jacksboro fault.

The elevation model is the one that matplotlib ships (344 x 403 cells of about 90 m, Tennessee). For
every half hour of one day a fortnight the sun's direct light on each slope is added up.

usage: sunlight.py OUTPUT_FOLDER
"""

import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np

DAYS = np.arange(7, 365, 14)
HOURS = np.arange(4.0, 20.5, 0.5)  # solar time


def load_elevation():
    package = Path(find_spec("matplotlib").origin).parent
    dem = np.load(package / "mpl-data" / "sample_data" / "jacksboro_fault_dem.npz")
    latitude = 0.5 * (dem["ymin"] + dem["ymax"])
    dy = 111200 * dem["dy"]
    dx = 111200 * dem["dx"] * np.cos(np.radians(latitude))
    return dem["elevation"].astype(float), dx, dy, np.radians(latitude)


def sun_positions(latitude):
    """Sine of the altitude, and azimuth from north, of the sun whenever it is up."""
    day, hour = np.meshgrid(DAYS, HOURS, indexing="ij")
    declination = np.radians(-23.44) * np.cos(2 * np.pi * (day + 10) / 365)
    angle = np.radians(15 * (hour - 12))
    sine = np.sin(latitude) * np.sin(declination) + np.cos(latitude) * np.cos(declination) * np.cos(angle)
    azimuth = np.pi + np.arctan2(
        np.sin(angle), np.cos(angle) * np.sin(latitude) - np.tan(declination) * np.cos(latitude)
    )
    up = sine > 0.03
    return sine[up], azimuth[up]


def main():
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)

    elevation, dx, dy, latitude = load_elevation()
    down, right = np.gradient(elevation, dy, dx)
    slope = np.arctan(np.hypot(right, down))
    aspect = np.arctan2(-right, down)  # the direction it falls towards, from north over east

    altitudes, azimuths = sun_positions(latitude)
    flat, steep = np.cos(slope), np.sin(slope)
    light = np.zeros_like(elevation)
    lit = np.zeros(elevation.shape, dtype=int)
    for sine, azimuth in zip(altitudes, azimuths):
        cosine = np.sqrt(1 - sine**2)
        beam = 1361 * 0.7 ** ((1 / sine) ** 0.678)  # W/m2 through a clear sky
        incidence = sine * flat + cosine * steep * np.cos(azimuth - aspect)
        light += beam * np.maximum(incidence, 0)
        lit += incidence > 0
    light *= 14 * 0.5 / 1000  # kWh/m2 in a year
    hours = lit * 14 * 0.5
    facing = np.floor((np.degrees(aspect) + 202.5) % 360 / 45).astype(int)
    names = ["S", "SW", "W", "NW", "N", "NE", "E", "SE"]

    rows, columns = elevation.shape
    print(f"terrain      {rows} x {columns}, {elevation.min():.0f} to {elevation.max():.0f} m")
    print(f"slope        {np.degrees(slope.mean()):.5f} degrees, steepest {np.degrees(slope.max()):.4f}")
    print(f"sun          {altitudes.size} positions")
    print(f"light        {light.mean():.4f} kWh/m2 a year, {light.min():.4f} to {light.max():.4f}")
    print(f"hours of sun {hours.mean():.3f}, least {hours.min():.0f}")
    for index, name in enumerate(names):
        chosen = facing == index
        print(f"  facing {name:2s}  {np.count_nonzero(chosen):6d} cells  {light[chosen].mean():.5f} kWh/m2")

    np.savez(out / "sunlight.npz", light=light, hours=hours, slope=slope, aspect=aspect)


if __name__ == "__main__":
    main()
