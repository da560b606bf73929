"""`python -m brio [options] script.py`: the command `brio run` with this interpreter."""

import os
import subprocess
import sys
import sysconfig


def find_command():
    """The command that belongs to this installation, or None."""
    places = [sysconfig.get_path("scripts"), os.path.dirname(sys.executable)]
    places += os.environ.get("PATH", "").split(os.pathsep)
    for place in places:
        path = os.path.join(place, "brio")
        if os.access(path, os.X_OK):
            return path
    return None


def main(arguments):
    command = find_command()
    if command is None:
        print("brio: the command `brio` is not beside this interpreter nor on PATH", file=sys.stderr)
        return 127
    if arguments[:1] not in (["--version"], ["--help"], ["-h"], ["-V"]):
        given = arguments[1:] if arguments[:1] == ["run"] else arguments
        words = ["run", "--python", sys.executable]
        for flag in subprocess._args_from_interpreter_flags():
            words.append(f"--python-flag={flag}")
        arguments = words + given
    os.execv(command, [command, *arguments])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
