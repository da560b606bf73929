"""The test suites of `make test`: how each is built and run, and how its results are counted."""
