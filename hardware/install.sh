#!/usr/bin/env bash
# Installs the table companion as a service of this machine, or brings it up to date. Games and settings stay.
#
#     sudo hardware/install.sh [--kiosk] [--dry-run] [WHEEL]
#
#     WHEEL      a table_companion-….whl; without it this checkout is installed
#     --kiosk    also shows the scoreboard on a screen of this machine
#     --dry-run  only says what it would do
#
# It may be run as often as you like. A new version is put together beside the old one, which goes on playing
# until the new one has proved that it starts; where that fails, the old one stays.
set -euo pipefail

readonly HOME_DIR=/opt/table-companion
readonly GAMES_DIR=/var/lib/table-companion
readonly UNITS=/etc/systemd/system
readonly RULES=/etc/udev/rules.d/60-table-companion.rules
readonly PYTHON=/usr/bin/python3 # the one that sees the distribution's packages
readonly SERVICE_USER=table-companion
readonly KIOSK_USER=table-kiosk
# From the distribution, never from PyPI: they belong to this system's camera, kernel and numpy.
readonly PACKAGES=(python3-venv python3-numpy python3-opencv)
readonly PACKAGES_OF_A_PI=(python3-lgpio python3-picamera2)
readonly PACKAGES_OF_A_KIOSK=(cage chromium)

SOURCE=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
readonly SOURCE
WHEEL="" KIOSK="" DRY=""
SCRATCH=""

say() { printf '%s\n' "$*"; }

refuse() {
  printf '%s\n' "$*" >&2
  exit 1
}

do_it() {
  if [ -n "$DRY" ]; then say "would run: $*"; else "$@"; fi
}

quietly() { if [ -n "$DRY" ]; then do_it "$@"; else "$@" >/dev/null; fi; }

write() { # write FILE MODE: what comes on standard input
  if [ -n "$DRY" ]; then
    say "would write: $1"
    cat >/dev/null
  else
    install -D -m "$2" /dev/stdin "$1"
  fi
}

read_arguments() {
  while [ $# -gt 0 ]; do
    case $1 in
      --kiosk) KIOSK=yes ;;
      --dry-run) DRY=yes ;;
      -h | --help) sed -n '2,11s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" && exit 0 ;;
      -*) refuse "There is no option $1: see --help." ;;
      *) WHEEL=$1 ;;
    esac
    shift
  done
  [ -z "$WHEEL" ] || [ -f "$WHEEL" ] || refuse "There is no wheel $WHEEL: check its name, or leave it away to install this checkout."
}

check_machine() {
  [ -n "$DRY" ] || [ "$(id -u)" = 0 ] || refuse "Only root may install a service: start it with sudo."
  command -v apt-get dpkg >/dev/null || refuse "This machine has no apt: use Raspberry Pi OS, or Debian 12 or newer."
  case $(dpkg --print-architecture) in
    arm64 | amd64) ;;
    *) refuse "This is a 32-bit system: write the 64-bit Raspberry Pi OS on the card and start again." ;;
  esac
}

is_installed() { dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'ok installed'; }

can_be_had() { apt-cache show "$1" >/dev/null 2>&1; }

install_packages() {
  local wanted=("${PACKAGES[@]}" "${PACKAGES_OF_A_PI[@]}" ${KIOSK:+"${PACKAGES_OF_A_KIOSK[@]}"}) missing=() package
  for package in "${wanted[@]}"; do
    is_installed "$package" || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  do_it apt-get update -qq
  wanted=()
  for package in "${missing[@]}"; do # plain Debian has none of a Pi's: no header there, and a USB camera
    if can_be_had "$package" || [[ " ${PACKAGES_OF_A_PI[*]} " != *" $package "* ]]; then wanted+=("$package"); fi
  done
  [ ${#wanted[@]} -gt 0 ] || return 0
  say "Installing from the distribution: ${wanted[*]}"
  quietly env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "${wanted[@]}"
}

check_python() {
  [ -n "$DRY" ] || "$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    refuse "Python 3.11 or newer is needed: use Raspberry Pi OS 12 (bookworm) or newer."
}

make_user() { # make_user NAME HOME GROUP…
  local name=$1 home=$2 group
  shift 2
  id -u "$name" >/dev/null 2>&1 ||
    do_it useradd --system --user-group --home-dir "$home" --no-create-home --shell /usr/sbin/nologin "$name"
  for group in "$@"; do
    getent group "$group" >/dev/null || do_it groupadd --system "$group"
    id -nG "$name" 2>/dev/null | grep -qw "$group" || do_it usermod --append --groups "$group" "$name"
  done
}

# Raspberry Pi OS has these rules of its own; Debian has not.
allow_devices() {
  write "$RULES" 644 <<-'RULES'
	# The table companion: buttons and lights for the group gpio, cameras for the group video.
	SUBSYSTEM=="gpio", KERNEL=="gpiochip*", GROUP="gpio", MODE="0660"
	SUBSYSTEM=="dma_heap", GROUP="video", MODE="0660"
	RULES
  if [ -d /run/udev ]; then
    do_it udevadm control --reload
    do_it udevadm trigger --subsystem-match=gpio --subsystem-match=dma_heap
  fi
}

slot_in_use() { readlink "$HOME_DIR/current" 2>/dev/null || true; }

# Two slots, a and b: one plays, the other takes the next version.
free_slot() { if [ "$(slot_in_use)" = a ]; then echo b; else echo a; fi; }

build_wheel() { # build_wheel PYTHON: builds this checkout in a scratch folder, so that nothing of root's stays in it
  local part
  mkdir "$SCRATCH/source"
  for part in companion firmware vision web pyproject.toml README.md LICENSE; do
    cp -R "$SOURCE/$part" "$SCRATCH/source/"
  done
  # with the setuptools of the lock, which is there by now: a build of its own would fetch whatever is newest
  "$1" -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir "$SCRATCH" "$SCRATCH/source"
  WHEEL=$(echo "$SCRATCH"/table_companion-*.whl)
}

build_slot() { # build_slot SLOT
  local slot=$HOME_DIR/$1
  if [ -n "$DRY" ]; then
    say "would run: $PYTHON -m venv --system-site-packages $slot/venv"
    say "would run: pip install --no-deps --require-hashes -r requirements-run.lock"
    say "would run: pip install --no-deps ${WHEEL:-the wheel of this checkout}"
    say "would run: pip install --no-deps --only-binary :all: --require-hashes -r requirements-fast.lock, if it can be had"
    return
  fi
  say "Putting together the new version in $slot"
  SCRATCH=$(mktemp -d)
  trap 'rm -rf "$SCRATCH"' EXIT
  rm -rf "$slot"
  mkdir -p "$slot"
  "$PYTHON" -m venv --system-site-packages "$slot/venv"
  local pip=("$slot/venv/bin/python" -m pip install --quiet --disable-pip-version-check)
  "${pip[@]}" --no-deps --require-hashes -r "$SOURCE/requirements-run.lock"
  [ -n "$WHEEL" ] || build_wheel "$slot/venv/bin/python"
  "${pip[@]}" --no-deps "$WHEEL"
  "${pip[@]}" --no-deps --only-binary :all: --require-hashes -r "$SOURCE/requirements-fast.lock" ||
    say "ONNX Runtime cannot be had here: OpenCV runs the networks, and takes longer."
  install -m 644 "$SOURCE/README.md" "$SOURCE/hardware/table.example.toml" "$slot/"
  install -m 755 "$SOURCE/hardware/uninstall.sh" "$slot/"
}

# The parts that only running them shows: the distribution's OpenCV and numpy, the reader's networks, the pages.
prove() { # prove SLOT
  [ -z "$DRY" ] || return 0
  (cd / && "$HOME_DIR/$1/venv/bin/python" -c 'import companion.service.assembly, firmware.box, vision.process.main, web.app
vision.process.main.dice_reader(None)') || refuse "The new version does not start here; what was installed before goes on. Report what is said above."
}

switch_to() { # switch_to SLOT: in one step, so that there is always one version
  do_it ln -sfn "$1" "$HOME_DIR/next"
  do_it mv -T "$HOME_DIR/next" "$HOME_DIR/current"
  do_it ln -sfn "$HOME_DIR/current/venv/bin/companion" /usr/local/bin/companion
}

install_units() {
  local unit units=(table-camera table-companion ${KIOSK:+table-kiosk})
  for unit in "${units[@]}"; do
    do_it install -m 644 "$SOURCE/hardware/systemd/$unit.service" "$UNITS/$unit.service"
  done
  if [ -d /run/systemd/system ]; then do_it systemctl daemon-reload; fi
  for unit in "${units[@]}"; do
    do_it systemctl --quiet enable "$unit"
    if [ -d /run/systemd/system ]; then do_it systemctl restart "$unit"; fi
  done
}

# How a device becomes the host's. It is said here and not in the service's log, which would keep it.
show_way_in() {
  local companion=(runuser -u "$SERVICE_USER" -- "$HOME_DIR/current/venv/bin/companion" token --data "$GAMES_DIR") said
  [ -d /run/systemd/system ] || return 0
  if said=$("${companion[@]}" link --port 80); then say "To be the host on another device, once: $said"; fi
  if said=$("${companion[@]}" pin --first) && [ -n "$said" ]; then say "The host's PIN, shown this once: $said"; fi
}

main() {
  local slot
  read_arguments "$@"
  check_machine
  install_packages
  check_python
  make_user "$SERVICE_USER" "$GAMES_DIR" gpio video
  [ -z "$KIOSK" ] || make_user "$KIOSK_USER" /var/lib/table-kiosk video input render
  allow_devices
  slot=$(free_slot)
  build_slot "$slot"
  prove "$slot"
  switch_to "$slot"
  install_units
  if [ -n "$DRY" ]; then
    say "Nothing was changed."
    return
  fi
  say "The table companion is installed. Games are kept in $GAMES_DIR."
  show_way_in
  say "Next: open http://table.local on a phone in the same network. Where that finds nothing:"
  say "      sudo -u $SERVICE_USER companion doctor --data $GAMES_DIR --port 80"
  say "      journalctl -u table-companion"
}

main "$@"
