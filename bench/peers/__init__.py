"""The contenders: one module each, with its set-up and version. Nothing else imports a peer."""

import importlib
from dataclasses import dataclass


@dataclass
class Peer:
    """A contender: `names` is what its statements may use; `reason` says why it is absent."""

    name: str
    version: str = ""
    names: dict = None
    convert: callable = None
    reason: str = ""

    @property
    def present(self):
        return not self.reason


def load(name, threads):
    """The contender called `name`, set up for `threads` threads, or an absent one with its reason."""
    module = importlib.import_module(f"bench.peers.{name}_peer")
    try:
        return module.setup(threads)
    except ImportError as error:
        return Peer(name, reason=str(error))
