"""The rows, by domain. ROWS lists every row in the order in which a run takes them."""

from bench.harm import micro
from bench.workloads import arrays, calls, plain, startup

ROWS = [*arrays.ROWS, *plain.ROWS, *calls.ROWS, *micro.ROWS, *startup.ROWS]
