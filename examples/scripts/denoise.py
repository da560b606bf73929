"""Denoise a photograph with a bilateral filter and draw its edges.

The picture is scikit-image's photograph of a retina (1411 x 1411). The vessels show best in the
green channel, so that is the one used; sensor noise is added so that there is something to measure.

usage: denoise.py OUTPUT_FOLDER
"""

import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from PIL import Image

RADIUS = 5  # pixels
SIGMA_SPACE = 2.5  # pixels
SIGMA_RANGE = 0.12  # brightness, 0 to 1
NOISE = 0.05


def load_photo():
    package = Path(find_spec("skimage").origin).parent
    photo = np.asarray(Image.open(package / "data" / "retina.jpg"))
    return photo[:, :, 1] / 255.0


def bilateral(image, radius, sigma_space, sigma_range):
    """Every pixel becomes the mean of its neighbours, the near and similar ones counting most."""
    height, width = image.shape
    padded = np.pad(image, radius, mode="reflect")
    total = np.zeros_like(image)
    norm = np.zeros_like(image)
    for dy in range(2 * radius + 1):
        for dx in range(2 * radius + 1):
            distance2 = (dy - radius) ** 2 + (dx - radius) ** 2
            if distance2 > radius**2:
                continue
            shifted = padded[dy : dy + height, dx : dx + width]
            weight = np.exp(-distance2 / (2 * sigma_space**2) - (shifted - image) ** 2 / (2 * sigma_range**2))
            total += weight * shifted
            norm += weight
    return total / norm


def sobel(image):
    """Strength and direction of the edges."""
    p = np.pad(image, 1, mode="edge")
    gx = (p[:-2, 2:] + 2 * p[1:-1, 2:] + p[2:, 2:]) - (p[:-2, :-2] + 2 * p[1:-1, :-2] + p[2:, :-2])
    gy = (p[2:, :-2] + 2 * p[2:, 1:-1] + p[2:, 2:]) - (p[:-2, :-2] + 2 * p[:-2, 1:-1] + p[:-2, 2:])
    return np.sqrt(gx**2 + gy**2) / 4, np.arctan2(gy, gx)


def psnr(image, reference):
    return -10 * np.log10(np.mean((image - reference) ** 2))


def main():
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)

    clean = load_photo()
    rng = np.random.default_rng(7)
    noisy = np.clip(clean + NOISE * rng.standard_normal(clean.shape), 0, 1)
    denoised = bilateral(noisy, RADIUS, SIGMA_SPACE, SIGMA_RANGE)
    edges_noisy, _ = sobel(noisy)
    edges, direction = sobel(denoised)
    threshold = np.percentile(edges, 95)
    strong = edges > threshold

    print(f"picture         {clean.shape[0]} x {clean.shape[1]}, mean brightness {clean.mean():.5f}")
    print(f"noisy           {psnr(noisy, clean):.4f} dB, mean edge {edges_noisy.mean():.6f}")
    print(f"denoised        {psnr(denoised, clean):.4f} dB, mean edge {edges.mean():.6f}")
    print(f"edge pixels     {np.count_nonzero(strong)} above {threshold:.6f}")
    counts, _ = np.histogram(direction[strong], bins=8, range=(-np.pi, np.pi))
    print("edge directions", " ".join(str(n) for n in counts))

    np.savez(out / "denoise.npz", noisy=noisy, denoised=denoised, edges=edges, strong=strong)
    Image.fromarray((np.clip(edges / threshold, 0, 1) * 255).astype(np.uint8)).save(out / "edges.png")


if __name__ == "__main__":
    main()
