"""Writes the headers that kernels include at run time into one C file.

usage: texts.py OUTPUT SOURCE_ROOT NAME...   (names relative to SOURCE_ROOT)

The compiler at run time is C++: a compound literal of C, `(brio_x){...}`, becomes `brio_x{...}`.
"""

import hashlib
import re
import sys
from pathlib import Path

LITERAL = re.compile(r"\((brio_\w+)\)\{")


def quoted(text):
    """The text as C string literals, a line each."""
    lines = []
    for line in text.splitlines():
        escaped = line.replace("\\", "\\\\").replace('"', '\\"')
        lines.append(f'    "{escaped}\\n"')
    return "\n".join(lines)


def main():
    output, root, *names = sys.argv[1:]
    texts = {name: LITERAL.sub(r"\1{", (Path(root) / name).read_text()) for name in names}
    digest = hashlib.sha256("".join(name + texts[name] for name in names).encode()).hexdigest()
    parts = ['#include "backend/cuda/texts.h"\n']
    symbols = []
    for number, (name, text) in enumerate(texts.items()):
        parts.append(f"static const char text_{number}[] =\n{quoted(text)};\n")
        symbols.append((name.removeprefix("backend/cuda/device/"), f"text_{number}"))
    # What the headers ask of a C library is in prelude.cuh.
    empty = ["stdint.h", "string.h", "op/rules.h"]
    joined = ", ".join(f'"{name}"' for name in empty + [name for name, _ in symbols])
    parts.append(f"const char *const brio_texts_names[] = {{{joined}}};\n")
    joined = ", ".join(['""'] * len(empty) + [symbol for _, symbol in symbols])
    parts.append(f"const char *const brio_texts_contents[] = {{{joined}}};\n")
    parts.append(f"const int brio_texts_count = {len(empty) + len(symbols)};\n")
    parts.append(f'const char brio_texts_identity[] = "{digest[:32]}";\n')
    Path(output).write_text("\n".join(parts))


if __name__ == "__main__":
    main()
