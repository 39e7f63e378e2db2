"""`make wheels`: asks the package index whether every run-time package has a wheel for a 64-bit Pi.

Nothing is installed. Without a network it says so and is content.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from packaging.requirements import Requirement

LOCKS = tuple(Path(__file__).parents[2] / f"requirements-{part}.lock" for part in ("run", "hub"))
SYSTEMS = {"3.11": "Raspberry Pi OS 12 (bookworm)", "3.13": "Raspberry Pi OS 13 (trixie)"}
GLIBC_MINOR = 36  # glibc 2.36 is bookworm's; wheels for it and for older ones serve on both
PLATFORMS = (*(f"manylinux_2_{minor}_aarch64" for minor in range(17, GLIBC_MINOR + 1)), "manylinux2014_aarch64")
FROM_THE_DISTRIBUTION = {
    "numpy": "python3-numpy",
    "opencv": "python3-opencv",
    "picamera2": "python3-picamera2",
}
OFFLINE = ("NewConnectionError", "NameResolutionError", "Temporary failure in name resolution", "ReadTimeout")


def locked(lock: str, python: str) -> Iterator[str]:
    """The lock's entries, each with its hashes, that apply to a 64-bit Pi with that Python; without their markers.

    pip would judge a marker by the machine it runs on, which is another one.
    """
    machine = {
        "python_version": python,
        "python_full_version": f"{python}.0",
        "platform_machine": "aarch64",
        "sys_platform": "linux",
        "platform_system": "Linux",
        "os_name": "posix",
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
    }
    for entry in lock.replace("\\\n", " ").splitlines():
        if not entry.strip() or entry.startswith("#"):
            continue
        text, *hashes = (part.strip() for part in entry.split("--hash="))
        requirement = Requirement(text)
        if requirement.marker is None or requirement.marker.evaluate(machine):
            yield " ".join((f"{requirement.name}{requirement.specifier}", *(f"--hash={each}" for each in hashes)))


def resolve(python: str, folder: Path) -> list[str]:
    """The file names of the wheels that pip would install there; raises CalledProcessError when one is missing."""
    wanted, report = folder / "wanted.txt", folder / "report.json"
    wanted.write_text("\n".join(line for lock in LOCKS for line in locked(lock.read_text(), python)) + "\n")
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--no-deps", "--quiet"]
    command += ["--target", str(folder / "nothing"), "--only-binary", ":all:", "--require-hashes"]
    command += ["--implementation", "cp", "--python-version", python, "--report", str(report), "-r", str(wanted)]
    for platform in PLATFORMS:
        command += ["--platform", platform]
    subprocess.run(command, check=True, capture_output=True, text=True, timeout=300)
    return [each["download_info"]["url"].rpartition("/")[2] for each in json.loads(report.read_text())["install"]]


def main() -> None:
    for python, system in SYSTEMS.items():
        with tempfile.TemporaryDirectory() as folder:
            try:
                wheels = resolve(python, Path(folder))
            except subprocess.CalledProcessError as error:
                if any(word in error.stderr for word in OFFLINE):
                    print("Skipped: the package index cannot be reached from here.")
                    return
                errors = [line for line in error.stderr.splitlines() if line.startswith("ERROR")]
                sys.exit(f"{system}: " + "\n".join(errors or [error.stderr]))
        print(f"Python {python} on aarch64, {system}: {len(wheels)} wheels")
        for wheel in sorted(wheels, key=str.lower):
            print(f"    {wheel}")
    names = ", ".join(FROM_THE_DISTRIBUTION.values())
    print(f"From the distribution and not from the index: {names}")


if __name__ == "__main__":
    main()
