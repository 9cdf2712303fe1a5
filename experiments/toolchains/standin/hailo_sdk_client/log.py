"""Logs in the shapes of 5.3.0, noise included, and the files that the SDK leaves in its working directory."""

import os
import sys
import time

VERSION = "5.3.0+standin"
_COLOURS = {"info": "\x1b[32m", "warning": "\x1b[33m", "error": "\x1b[31m"}
_WIDTH = 120
_FILES = {"client": "hailo_sdk.client.log", "core": "hailo_sdk.core.log", "allocator": "allocator.log",
          "acceleras": "acceleras.log"}
_announced = False


def announce():
    """The first line of every log."""
    global _announced
    if not _announced:
        _announced = True
        say("info", f"hailo_sdk_client {VERSION}: this is a stand-in, no Hailo Dataflow Compiler is here")


def say(level, message, wrapped=False):
    """One message on the console and, with time and place, in hailo_sdk.client.log."""
    text = wrap(message) if wrapped else message
    write(f"{_COLOURS[level]}[{level}]\x1b[0m {text}\n")
    now = time.time()
    stamp = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(now))
    append("client", f"{stamp},{int(now * 1000) % 1000:03d} - {level.upper()} - runner.py:1 - {message}\n")


def write(text):
    sys.stdout.write(text)
    sys.stdout.flush()


def write_bytes(content):
    sys.stdout.flush()
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()


def append(which, text):
    """A working directory that cannot be written to costs the log file, never the compile."""
    try:
        with open(_FILES[which], "a", encoding="utf-8") as file:
            file.write(text)
    except OSError:
        pass


def wrap(message):
    """Broken at the console's width, as the real one does: between words, in the middle of a sentence."""
    lines, line = [], ""
    for word in message.split(" "):
        if line and len(line) + 1 + len(word) > _WIDTH:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return "\n".join([*lines, line])


def bar(title, steps):
    """A progress bar that redraws itself with carriage returns."""
    write("\x1b[?25l")
    for step in range(steps + 1):
        done = step * 20 // steps
        write(f"\r{title}: {step * 100 // steps:3d}%|{'█' * done}{' ' * (20 - done)}| {step}/{steps}")
    write("\x1b[?25h\n")


def table(header, rows):
    widths = [max(len(str(row[at])) for row in [header, *rows]) for at in range(len(header))]
    border = "+" + "+".join("-" * (width + 2) for width in widths) + "+\n"
    text = border
    for row in [header, *rows]:
        text += "|" + "|".join(f" {str(cell):<{width}} " for cell, width in zip(row, widths)) + "|\n" + border
    write(text)


def noise():
    """What a real log has between its lines: a spinner with its padding, and bytes that are not UTF-8."""
    write(f"\r| Partitioning{' ' * 60}\r/ Partitioning{' ' * 60}\r")
    write_bytes(b"2026-01-01 00:00:00.000000: I tensorflow/core/platform/cpu \xff\xfe\x80 guard\n")


def duration(seconds):
    whole = int(seconds)
    if whole >= 3600:
        return f"{whole // 3600}h {whole // 60 % 60}m {whole % 60}s"
    return f"{whole // 60}m {whole % 60:02d}s" if whole >= 60 else f"{whole}s"


def leave_files():
    """The other logs that the SDK makes, empty, so that their place is known."""
    for which in ("core", "allocator", "acceleras"):
        append(which, "")
    return [os.path.abspath(name) for name in _FILES.values()]
