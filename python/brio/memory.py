"""The host memory pool: what it holds, its limit, giving memory back."""

from brio._core import memory_stats as stats
from brio._core import memory_trim as trim
from brio._core import set_memory_limit as set_limit

__all__ = ["set_limit", "stats", "trim"]
