"""Cluster scikit-learn's handwritten digits by k-means, written out in NumPy.

1,797 pictures of 8 x 8 pixels, ten clusters, several starts; the best one is compared with the labels.

usage: kmeans_digits.py OUTPUT_FOLDER
"""

import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np

CLUSTERS = 10
STARTS = 30
ITERATIONS = 60


def load_digits():
    package = Path(find_spec("sklearn").origin).parent
    table = np.loadtxt(package / "datasets" / "data" / "digits.csv.gz", delimiter=",")
    return table[:, :-1], table[:, -1].astype(int)


def squared_distances(points, centres):
    return ((points[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)


def plus_plus(points, k, rng):
    """k-means++: each further centre is drawn in proportion to its squared distance from the others."""
    centres = [points[rng.integers(len(points))]]
    for _ in range(k - 1):
        nearest = squared_distances(points, np.array(centres)).min(axis=1)
        centres.append(points[rng.choice(len(points), p=nearest / nearest.sum())])
    return np.array(centres)


def kmeans(points, k, rng):
    centres = plus_plus(points, k, rng)
    for iteration in range(ITERATIONS):
        distances = squared_distances(points, centres)
        labels = distances.argmin(axis=1)
        updated = np.array([points[labels == j].mean(axis=0) for j in range(k)])
        if np.allclose(updated, centres):
            break
        centres = updated
    inertia = distances.min(axis=1).sum()
    return centres, labels, inertia, iteration + 1


def silhouette(points, labels):
    """Mean silhouette: how much nearer each point is to its own cluster than to the next one."""
    norms = (points**2).sum(axis=1)
    squared = norms[:, None] + norms[None, :] - 2 * points @ points.T
    distances = np.sqrt(np.maximum(squared, 0))
    member = labels[:, None] == np.arange(CLUSTERS)
    sizes = member.sum(axis=0)
    to_cluster = distances @ member
    own = to_cluster[member] / np.maximum(sizes[labels] - 1, 1)
    other = np.where(member, np.inf, to_cluster / sizes).min(axis=1)
    return ((other - own) / np.maximum(own, other)).mean()


def main():
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    points, digit = load_digits()
    rng = np.random.default_rng(3)

    best = None
    for start in range(STARTS):
        result = kmeans(points, CLUSTERS, rng)
        print(f"start {start:2d}  inertia {result[2]:.3f}  after {result[3]} iterations")
        if best is None or result[2] < best[2]:
            best = result
    centres, labels, inertia, _ = best

    table = np.zeros((CLUSTERS, 10), dtype=int)
    np.add.at(table, (labels, digit), 1)
    print(f"best inertia {inertia:.3f}, silhouette {silhouette(points, labels):.6f}")
    print(f"purity {table.max(axis=1).sum() / len(points):.5f}")
    for row in table:
        print(" ".join(f"{n:4d}" for n in row))

    np.savez(out / "kmeans_digits.npz", centres=centres, labels=labels, table=table)


if __name__ == "__main__":
    main()
