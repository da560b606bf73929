"""What came of a suite: counts, and a line of text for everything that was not a plain success."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Outcome:
    passed: int = 0
    failures: list[str] = field(default_factory=list)
    skips: list[str] = field(default_factory=list)
    log: Path | None = None

    @property
    def failed(self) -> int:
        return len(self.failures)

    def __add__(self, other: "Outcome") -> "Outcome":
        return Outcome(self.passed + other.passed, self.failures + other.failures, self.skips + other.skips)

    def summary(self) -> str:
        text = f"{self.passed} passed, {self.failed} failed"
        return text + (f", {len(self.skips)} skipped" if self.skips else "")

    def skip_lines(self) -> list[str]:
        """The skips, those with one reason in one line."""
        return [
            f"{text} ({count} tests)" if count > 1 else text for text, count in Counter(self.skips).items()
        ]

    def tail(self, lines: int = 60) -> str:
        if self.log is None or not self.log.exists():
            return ""
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])
