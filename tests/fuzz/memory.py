"""How much memory a process has had at its most."""

from pathlib import Path


def peak_mb(process: int | str = "self") -> int:
    """Peak resident memory of a process since its program began, in MB.

    Not getrusage's: that also counts what the process was forked from.
    """
    status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    (line,) = (line for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) // 1024
