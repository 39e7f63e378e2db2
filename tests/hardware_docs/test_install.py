"""Installing on a Pi: what the scripts would do, what the units allow, what is in the wheel. Nothing is installed."""

import configparser
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

HARDWARE = Path(__file__).parents[2] / "hardware"
ROOT = HARDWARE.parent
SCRIPTS = ("install.sh", "uninstall.sh", "install")
UNIT, CAMERAS, WIFI = (
    HARDWARE / "systemd" / f"{name}.service" for name in ("table-companion", "table-camera", "table-wifi")
)
MOST_EXPOSED = 2.5

needs_apt = pytest.mark.skipif(shutil.which("dpkg") is None, reason="no Debian: the scripts refuse to run here")


def run(script, *arguments):
    command = ["bash", str(HARDWARE / script), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("script", SCRIPTS)
def test_the_script_can_be_run_and_read(script):
    path = HARDWARE / script
    assert path.stat().st_mode & 0o111
    assert "set -euo pipefail" in path.read_text()
    subprocess.run(["bash", "-n", str(path)], check=True)


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="shellcheck is not installed")
@pytest.mark.parametrize("script", [*SCRIPTS, "put-on-card", "card/table-companion/first-start", "card/vendor-data"])
def test_shellcheck_has_nothing_to_say(script):
    subprocess.run(["shellcheck", str(HARDWARE / script)], check=True)


def test_what_proves_a_new_version_is_there_to_be_called(tmp_path):
    script = (HARDWARE / "install.sh").read_text()
    (proof,) = re.findall(r"^prove\(\) .*? -c '(.*?)'\)", script, re.M | re.S)
    result = subprocess.run([sys.executable, "-c", proof], capture_output=True, text=True, timeout=120, cwd=tmp_path)
    assert result.returncode == 0, result.stderr


@needs_apt
def test_a_dry_run_says_every_step_and_does_none():
    result = run("install.sh", "--dry-run")
    assert result.returncode == 0, result.stderr
    steps = result.stdout
    for step in (
        "-m venv --system-site-packages /opt/table-companion/a/venv",
        "pip install --no-deps --require-hashes -r requirements-run.lock",
        "pip install --no-deps the wheel of this checkout",
        "mv -T /opt/table-companion/next /opt/table-companion/current",
        "systemctl --quiet enable table-camera",
        "systemctl --quiet enable table-wifi",
        "systemctl --quiet enable table-companion",
        "Nothing was changed.",
    ):
        assert step in steps
    assert "kiosk" not in steps
    assert steps.index("venv") < steps.index("mv -T") < steps.index("systemctl")  # built before it is switched to


@needs_apt
def test_a_dry_run_with_a_screen():
    steps = run("install.sh", "--dry-run", "--kiosk").stdout
    assert "systemctl --quiet enable table-kiosk" in steps


@needs_apt
def test_a_wheel_that_is_not_there_is_one_sentence():
    result = run("install.sh", "--dry-run", "no-such.whl")
    assert (result.returncode, result.stderr.count("\n")) == (1, 1)
    assert "no-such.whl" in result.stderr


def test_a_new_release_on_the_index_changes_no_installation():
    """Nothing is resolved, so everything that is needed has to be in the locks: pip finds nothing missing here."""
    for name in ("Makefile", "hardware/install.sh", ".ci/audit"):
        text = (ROOT / name).read_text()
        pip = re.search(r"^PIP := (.*)$", text, re.MULTILINE)
        for line in text.replace("$(PIP)", pip[1] if pip else "").splitlines():
            assert "--require-hashes" not in line or "--no-deps" in line, f"{name}: {line}"
            assert "-m pip install" not in line or "--no-deps" in line or "local pip=" in line, f"{name}: {line}"
    checked = subprocess.run([sys.executable, "-m", "pip", "check"], capture_output=True, text=True, timeout=60)
    assert checked.returncode == 0, checked.stdout


def test_nobody_is_told_to_install_what_is_not_pinned():
    """A bare name takes whatever is newest, or whoever has taken the name."""
    places = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", *(ROOT / "docs").rglob("*.md")]
    places += [
        path for room in ("companion", "firmware", "vision", "web", "hardware") for path in (ROOT / room).rglob("*.py")
    ]
    for path in places:
        for line in path.read_text(encoding="utf-8").splitlines():
            assert not re.search(r"pip3? install (?!--|-m)", line), f"{path}: {line}"


def test_every_lock_of_the_program_is_audited():
    audited = re.search(r"requirements-\{(.*)\}.lock", (ROOT / ".ci/audit").read_text())[1].split(",")
    for part in ("run", "hub", "vision", "fast"):
        assert part in audited


def test_nothing_is_installed_or_built_with_what_is_not_pinned(tmp_path):
    """What pip is asked for; with an index that has nothing this checkout is built by what the lock has installed."""
    text = (HARDWARE / "install.sh").read_text()
    calls = [
        line for line in text.splitlines() if re.search(r"pip(\[@\]\}\"| wheel)", line) and "would run" not in line
    ]
    assert len(calls) == 4 + 2  # from the index; from a bundle, and lgpio
    arrays = re.search(r"^fill_from_bundle\(\).*?^}$", text, re.DOTALL | re.MULTILINE).group()
    add_lgpio = re.search(r"^add_lgpio\(\).*?^}$", text, re.DOTALL | re.MULTILINE).group()
    assert "--no-deps --require-hashes -r" in add_lgpio
    for word in ("--no-deps", "--no-index", "--require-hashes", "--only-binary :all:"):
        assert word in arrays
    for call in calls:
        assert "--no-deps" in call or call in arrays or call.strip() in add_lgpio, call
    assert text.index('--require-hashes -r "$SOURCE/requirements-run.lock"') < text.index("|| build_wheel")
    build_wheel = re.search(r"^build_wheel\(\).*?^}$", text, re.DOTALL | re.MULTILINE).group()
    subprocess.run(
        ["bash", "-euo", "pipefail", "-c", f'{build_wheel}\nbuild_wheel "$PYTHON"\necho "$WHEEL"'],
        env={
            **os.environ,
            "PYTHON": sys.executable,
            "SOURCE": str(ROOT),
            "SCRATCH": str(tmp_path),
            "PIP_NO_INDEX": "1",
        },
        check=True,
    )
    assert len(list(tmp_path.glob("table_companion-*.whl"))) == 1


@pytest.mark.parametrize("script", SCRIPTS)
def test_an_unknown_option_is_one_sentence(script):
    result = run(script, "--fly")
    assert (result.returncode, result.stderr.count("\n")) == (1, 1)


@pytest.mark.parametrize("script", SCRIPTS)
def test_help_is_what_stands_at_the_top(script):
    said = run(script, "--help").stdout
    assert ("sudo ./install" if script == "install" else f"sudo hardware/{script}") in said
    assert "#" not in said


def test_the_distributions_python_is_never_broken_into():
    for script in SCRIPTS:  # nor written into: each version has an environment of its own
        assert "--break-system-packages" not in (HARDWARE / script).read_text()


def test_the_games_stay_unless_it_is_asked_for():
    text = (HARDWARE / "uninstall.sh").read_text()
    deletions = [line.strip() for line in text.splitlines() if "rm -" in line and "GAMES_DIR" in line]
    assert deletions == ['do_it rm -rf "$GAMES_DIR"']
    before = text[: text.index(deletions[0])].splitlines()
    assert before[-2].startswith('if [ -n "$WITH_GAMES" ]')


# the units


def unit(path):
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str
    parser.read(path)
    return parser


def test_the_units_start_what_is_installed():
    service, cameras = unit(UNIT)["Service"], unit(CAMERAS)["Service"]
    assert service["Type"] == cameras["Type"] == "notify"
    assert service["ExecStart"].startswith("/opt/table-companion/current/venv/bin/companion run ")
    assert service["User"] == cameras["User"] == "table-companion"
    assert "/var/lib/" + service["StateDirectory"] in service["ExecStart"]
    assert float(service["WatchdogSec"]) <= 30
    socket = f"/run/{cameras['RuntimeDirectory']}/socket"
    assert cameras["ExecStart"] == f"/opt/table-companion/current/venv/bin/companion cameras {socket}"
    assert f"--cameras-from {socket}" in service["ExecStart"]
    assert unit(UNIT)["Unit"]["Wants"].split() == [CAMERAS.name, WIFI.name]


def devices(path):
    """What a unit may open; a policy that closes all others goes with it."""
    assert unit(path)["Service"]["DevicePolicy"] == "closed"
    return re.findall(r"^DeviceAllow=(.*)$", path.read_text(), re.M)


def test_the_service_has_no_camera_and_the_cameras_have_no_network_and_no_games():
    assert devices(UNIT) == ["char-gpiochip rw"]
    assert devices(CAMERAS) == ["char-video4linux rw", "char-media rw", "char-dma_heap rw"]
    cameras = unit(CAMERAS)["Service"]
    assert cameras["RestrictAddressFamilies"] == "AF_UNIX AF_NETLINK"
    assert cameras["IPAddressDeny"] == "any"
    assert cameras["ProtectSystem"] == "strict"
    assert "StateDirectory" not in cameras


def test_nothing_is_written_but_the_games_and_what_a_restart_forgets():
    """So the disk may be read-only but for that folder; tests/processes/test_read_only.py plays on such a one."""
    for path in (UNIT, CAMERAS, WIFI):
        assert unit(path)["Service"]["ProtectSystem"] == "strict"
        assert unit(path)["Service"]["PrivateTmp"] == "yes"
        assert unit(path)["Service"]["ProtectHome"] == "yes"
    service, cameras = unit(UNIT)["Service"], unit(CAMERAS)["Service"]
    assert (service["StateDirectory"], service["RuntimeDirectory"]) == ("table-companion", "table-companion")
    assert service["WorkingDirectory"] == f"/run/{service['RuntimeDirectory']}"
    more = {"ReadWritePaths", "LogsDirectory", "CacheDirectory", "ConfigurationDirectory", "BindPaths"}
    assert more.isdisjoint(service)
    assert more.isdisjoint(cameras)


def test_the_wifis_helper_is_root_with_no_capability_no_network_and_three_folders():
    helper = unit(WIFI)["Service"]
    socket = f"/run/{helper['RuntimeDirectory'].split()[0]}/socket"
    assert helper["ExecStart"].startswith(f"/opt/table-companion/current/venv/bin/companion wifi serve {socket} ")
    assert f"--wifi-from {socket}" in unit(UNIT)["Service"]["ExecStart"]
    assert f"--state /var/lib/{helper['StateDirectory']} " in helper["ExecStart"]
    assert (helper["CapabilityBoundingSet"], helper["NoNewPrivileges"]) == ("", "yes")
    assert (helper["RestrictAddressFamilies"], helper["PrivateNetwork"]) == ("AF_UNIX", "yes")
    assert helper["ProtectSystem"] == "strict"
    assert helper["ReadWritePaths"].split() == [
        "-/etc/NetworkManager/system-connections",
        "-/etc/NetworkManager/dnsmasq-shared.d",
        "-/run/NetworkManager",
    ]
    assert (helper["UMask"], helper["Group"]) == ("0077", unit(UNIT)["Service"]["User"])


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
@pytest.mark.parametrize("path", [UNIT, CAMERAS, WIFI], ids=lambda path: path.stem)
def test_a_unit_is_hardly_exposed(path):
    command = ["systemd-analyze", "security", "--offline=true", "--no-pager", str(path)]
    said = subprocess.run(command, capture_output=True, text=True, timeout=60)
    level = re.search(r"exposure level for \S+: ([\d.]+)", said.stdout)
    if level is None:
        pytest.skip(f"systemd-analyze cannot judge a file here: {said.stderr.strip()}")
    assert float(level.group(1)) <= MOST_EXPOSED


# the wheel


def packaged():
    """Every file of the packages that git knows, or that lies there where there is no git."""
    folders = ("companion", "firmware", "vision", "web")
    try:
        listed = subprocess.run(["git", "ls-files", *folders], cwd=ROOT, capture_output=True, text=True, check=True)
        return {name for name in listed.stdout.splitlines() if (ROOT / name).exists()}
    except (OSError, subprocess.CalledProcessError):
        found = (path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file())
        return {path.relative_to(ROOT).as_posix() for path in found if "__pycache__" not in path.parts}


def test_the_wheel_has_every_template_picture_network_and_table(tmp_path):
    pytest.importorskip("setuptools")
    source = tmp_path / "source"
    source.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    wanted = packaged()
    for name in wanted:
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, source / name)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*command, "--wheel-dir", str(tmp_path), str(source)], check=True, timeout=120, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    inside = set(zipfile.ZipFile(wheel).namelist())
    needed = {name for name in wanted if not name.endswith((".md", ".gitignore", ".po"))}
    laboratory = {name for name in needed if name.startswith("vision/training/")}
    assert laboratory
    assert needed - inside == laboratory
