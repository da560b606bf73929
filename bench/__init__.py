"""The benchmark suite: `python -m bench`. See README.md."""
