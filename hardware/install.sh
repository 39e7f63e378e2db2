#!/usr/bin/env bash
# Installs the table companion as a service of this machine, or brings it up to date. Games and settings stay.
#
#     sudo hardware/install.sh [--kiosk] [--dry-run] [--bundle FOLDER | WHEEL]
#     sudo hardware/install.sh --back [--dry-run]
#
#     WHEEL      a table_companion-….whl; without it this checkout is installed
#     --bundle   takes everything from an unpacked bundle and nothing from a network; its own ./install calls this
#     --back     goes back to the version that was installed before
#     --kiosk    also shows the scoreboard on a screen of this machine
#     --dry-run  only says what it would do
#
# It may be run as often as you like. A new version is put together beside the old one, which goes on playing
# until the new one has proved that it starts; where that fails, the old one stays.
set -euo pipefail

readonly ROOT=${TABLE_COMPANION_ROOT:-} # a folder in the place of /, where installing is tried
readonly HOME_DIR=$ROOT/opt/table-companion
readonly GAMES_DIR=$ROOT/var/lib/table-companion
readonly UNITS=$ROOT/etc/systemd/system
readonly RULES=$ROOT/etc/udev/rules.d/60-table-companion.rules
readonly LOGS=$ROOT/etc/systemd/journald.conf.d/60-table-companion.conf
readonly COMMAND=$ROOT/usr/local/bin/companion
readonly SYSTEMD=$ROOT/run/systemd/system              # there while systemd runs
readonly PYTHON=${TABLE_COMPANION_PYTHON:-/usr/bin/python3} # the one that sees the distribution's packages
readonly WIFI_SOCKET=$ROOT/run/table-wifi/socket # there where NetworkManager is
readonly SERVICE_USER=table-companion
readonly KIOSK_USER=table-kiosk
# From the distribution, never from PyPI: they belong to this system's camera, kernel and numpy.
readonly PACKAGES=(python3-venv python3-numpy python3-opencv)
readonly PACKAGES_OF_A_PI=(python3-lgpio python3-picamera2)
readonly PACKAGES_OF_A_KIOSK=(cage chromium)

SOURCE=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
readonly SOURCE
WHEEL="" KIOSK="" DRY="" BUNDLE="" BACK=""
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

write() { # write FILE MODE: what comes on standard input, in one step, so that no power cut leaves half a file
  if [ -n "$DRY" ]; then
    say "would write: $1"
    cat >/dev/null
  else
    install -D -m "$2" /dev/stdin "$1.new"
    mv -T "$1.new" "$1"
  fi
}

read_arguments() {
  while [ $# -gt 0 ]; do
    case $1 in
      --kiosk) KIOSK=yes ;;
      --dry-run) DRY=yes ;;
      --back) BACK=yes ;;
      --bundle)
        [ $# -gt 1 ] || refuse "Name the folder of the bundle after --bundle."
        BUNDLE=$2
        shift
        ;;
      -h | --help) sed -n '2,14s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" && exit 0 ;;
      -*) refuse "There is no option $1: see --help." ;;
      *) WHEEL=$1 ;;
    esac
    shift
  done
  [ -z "$WHEEL" ] || [ -f "$WHEEL" ] || refuse "There is no wheel $WHEEL: check its name, or leave it away to install this checkout."
  [ -z "$BUNDLE" ] || [ -f "$BUNDLE/bundle.json" ] || refuse "There is no bundle in $BUNDLE: unpack one with tar, and name its folder."
  if [ -n "$BUNDLE" ]; then
    [ -z "$WHEEL" ] || refuse "A bundle has its own wheel: leave $WHEEL away."
    BUNDLE=$(cd "$BUNDLE" && pwd)
  fi
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
  [ -z "$BUNDLE" ] || wanted=(${KIOSK:+"${PACKAGES_OF_A_KIOSK[@]}"}) # it has wheels for what this system lacks
  for package in "${wanted[@]}"; do
    is_installed "$package" || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  [ -z "$BUNDLE" ] || refuse "A screen needs ${missing[*]}, which no bundle has: install them with apt first, or leave --kiosk away."
  do_it apt-get update -qq
  wanted=()
  for package in "${missing[@]}"; do # plain Debian has none of a Pi's
    if can_be_had "$package" || [[ " ${PACKAGES_OF_A_PI[*]} " != *" $package "* ]]; then wanted+=("$package"); fi
  done
  [ ${#wanted[@]} -gt 0 ] || return 0
  say "Installing from the distribution: ${wanted[*]}"
  quietly env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "${wanted[@]}"
}

# What a Pi's own system has and plain Debian has not. Neither is a reason to stop.
say_what_is_missing() {
  [ "$(dpkg --print-architecture)" = arm64 ] || return 0
  if is_installed python3-picamera2; then return 0; fi
  say "This system has no python3-picamera2, so a camera on a ribbon cable cannot be used; one on USB or in the network can."
  say "For a ribbon cable take the full Raspberry Pi OS; or on its Lite, once with a network: sudo apt install python3-picamera2 python3-opencv, then install again."
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
  if [ -d "$ROOT/run/udev" ]; then
    do_it udevadm control --reload
    do_it udevadm trigger --subsystem-match=gpio --subsystem-match=dma_heap
  fi
}

# The system's own limit is a tenth of the disk: hours of writing that a card does not have to bear.
bound_logs() {
  write "$LOGS" 644 <<-'LOGS'
	# The table companion: all logs of this machine together stay below this.
	[Journal]
	SystemMaxUse=64M
	RuntimeMaxUse=16M
	LOGS
  if [ -d "$SYSTEMD" ]; then do_it systemctl try-restart systemd-journald; fi
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
  local slot=$HOME_DIR/$1 what=checkout
  [ -z "$BUNDLE" ] || what=bundle
  if [ -n "$DRY" ]; then
    say "would run: $PYTHON -m venv --system-site-packages $slot/venv"
    say "would run: pip install --no-deps --require-hashes -r requirements-run.lock -r requirements-hub.lock"
    say "would run: pip install --no-deps ${WHEEL:-the wheel of this $what}"
    say "would run: pip install --no-deps --only-binary :all: --require-hashes -r requirements-fast.lock, if it can be had"
    say "would run: pip install --no-deps --no-index --require-hashes -r requirements-pi.lock, if this system has no lgpio"
    return
  fi
  say "Putting together the new version in $slot"
  SCRATCH=$(mktemp -d)
  trap 'rm -rf "$SCRATCH"' EXIT
  rm -f "$slot/complete" # first, so that nobody goes back to half a version
  rm -rf "$slot"
  mkdir -p "$slot"
  if [ -n "$BUNDLE" ]; then fill_from_bundle "$slot"; else fill_from_index "$slot"; fi
  add_lgpio "$slot"
  install -m 644 "$SOURCE/README.md" "$SOURCE/firmware/table.example.toml" "$slot/"
  install -m 755 "$SOURCE"/hardware/{install,install.sh,uninstall.sh} "$slot/" # install.sh for the way back
  install -D -m 644 -t "$slot/systemd" "$SOURCE"/hardware/systemd/*.service
}

fill_from_index() { # fill_from_index SLOT
  "$PYTHON" -m venv --system-site-packages "$1/venv"
  local pip=("$1/venv/bin/python" -m pip install --quiet --disable-pip-version-check)
  "${pip[@]}" --no-deps --require-hashes -r "$SOURCE/requirements-run.lock" -r "$SOURCE/requirements-hub.lock"
  [ -n "$WHEEL" ] || build_wheel "$1/venv/bin/python"
  "${pip[@]}" --no-deps "$WHEEL"
  "${pip[@]}" --no-deps --only-binary :all: --require-hashes -r "$SOURCE/requirements-fast.lock" ||
    say "ONNX Runtime cannot be had here: OpenCV runs the networks, and takes longer."
}

# No network, and no package of the distribution but Python itself: pip comes along, too. This system's own numpy and
# OpenCV go first, as its camera was built for them.
fill_from_bundle() { # fill_from_bundle SLOT
  local python=$1/venv/bin/python tag locks
  tag=$("$PYTHON" -c 'import sys; print("cp%d%d" % sys.version_info[:2])')
  locks=$BUNDLE/locks/$tag
  [ -d "$locks" ] || refuse "This bundle has nothing for this system's Python (${tag#cp}): use one that was made for it."
  "$PYTHON" -m venv --system-site-packages --without-pip "$1/venv"
  local pip=("$python" "$(echo "$BUNDLE"/wheels/pip-*.whl)/pip" install --quiet --disable-pip-version-check)
  pip+=(--no-index --find-links "$BUNDLE/wheels" --only-binary :all: --no-deps --require-hashes)
  local wanted=(-r "$locks/run.txt" -r "$locks/companion.txt")
  has "$python" numpy || wanted+=(-r "$locks/numpy.txt")
  has "$python" cv2 || wanted+=(-r "$locks/opencv.txt")
  [ ! -f "$locks/hub.txt" ] || wanted+=(-r "$locks/hub.txt")
  [ ! -f "$locks/fast.txt" ] || wanted+=(-r "$locks/fast.txt")
  "${pip[@]}" "${wanted[@]}"
  install -m 644 "$BUNDLE/bundle.json" "$1/"
}

has() { (cd / && "$1" -c "import $2" 2>/dev/null); } # has PYTHON MODULE

# PyPI has lgpio for Python 3.11 and 3.12 alone, plain Debian has none: the checkout brings one, built from its source.
add_lgpio() { # add_lgpio SLOT
  [ "$(dpkg --print-architecture)" = arm64 ] || return 0
  (cd / && LG_WD=$SCRATCH "$1/venv/bin/python" -c 'import lgpio; lgpio.gpiochip_open' 2>/dev/null) && return 0
  local pip=("$1/venv/bin/python" -m pip)
  [ -z "$BUNDLE" ] || pip=("$1/venv/bin/python" "$(echo "$BUNDLE"/wheels/pip-*.whl)/pip")
  "${pip[@]}" install --quiet --disable-pip-version-check --no-index --find-links "$SOURCE/hardware/wheels" \
    --no-deps --require-hashes -r "$SOURCE/requirements-pi.lock"
}

# The parts that only running them shows: the distribution's OpenCV and numpy, the reader's networks, the pages.
prove() { # prove SLOT
  [ -z "$DRY" ] || return 0
  (cd / && "$HOME_DIR/$1/venv/bin/python" -c 'import companion.app.service.assembly, firmware.box, vision.process.main, vision.watch.lookout, web.app
vision.watch.lookout.warm_up()') || refuse "The new version does not start here; what was installed before goes on. Report what is said above."
  sync # all of it lies on the card before anything leads to it
  touch "$HOME_DIR/$1/complete"
}

as_the_service() { # as_the_service SLOT ARGUMENT…: a command of that version, as the user to whom the games belong
  runuser -u "$SERVICE_USER" -- "$HOME_DIR/$1/venv/bin/companion" "${@:2}"
}

# A newer version may change the journal's form, which an older one then refuses: its own copy is the way back.
keep_a_copy() { # keep_a_copy SLOT: of the games, made by the version that played them
  [ -z "$DRY" ] && [ -n "$1" ] && [ -f "$GAMES_DIR/journal.sqlite3" ] || return 0
  if ! "$HOME_DIR/$1/venv/bin/companion" --version >/dev/null 2>&1; then # its Python went with an older system
    say "The version before does not start any more, so it made no copy of the games. The daily copies are there."
    return 0
  fi
  rm -f "$GAMES_DIR/before-upgrade.new"
  as_the_service "$1" backup --no-pictures --data "$GAMES_DIR" "$GAMES_DIR/before-upgrade.new" >/dev/null ||
    refuse "The games could not be copied, so nothing was changed: see above, and make room if the disk is full."
  mv -T "$GAMES_DIR/before-upgrade.new" "$GAMES_DIR/before-upgrade.sqlite3"
}

switch_to() { # switch_to SLOT: in one step, so that there is always one version
  do_it ln -sfn "$1" "$HOME_DIR/next" && do_it mv -T "$HOME_DIR/next" "$HOME_DIR/current" || return 1
  [ "$(readlink "$COMMAND" 2>/dev/null)" = "$HOME_DIR/current/venv/bin/companion" ] ||
    do_it ln -sfn "$HOME_DIR/current/venv/bin/companion" "$COMMAND"
}

remove_unit() { # remove_unit NAME: if it is there
  [ -f "$UNITS/$1.service" ] || return 0
  do_it systemctl --quiet disable "$1" || return 1
  if [ -d "$SYSTEMD" ]; then do_it systemctl stop "$1" || return 1; fi
  do_it rm -f "$UNITS/$1.service"
}

install_units() { # install_units FOLDER: false when a service does not start
  local unit units=(table-camera table-wifi table-companion ${KIOSK:+table-kiosk})
  if [ ! -f "$1/table-wifi.service" ]; then # a version from before it knew of Wi-Fi
    units=(table-camera table-companion ${KIOSK:+table-kiosk})
    remove_unit table-wifi || return 1
  fi
  [ -n "$KIOSK" ] || [ ! -f "$UNITS/table-kiosk.service" ] || units+=(table-kiosk) # it was asked for before
  for unit in "${units[@]}"; do
    do_it install -D -m 644 "$1/$unit.service" "$UNITS/$unit.service.new" || return 1
    do_it mv -T "$UNITS/$unit.service.new" "$UNITS/$unit.service" || return 1
  done
  command -v systemctl >/dev/null || return 0
  if [ -d "$SYSTEMD" ]; then do_it systemctl daemon-reload || return 1; fi
  for unit in "${units[@]}"; do
    do_it systemctl --quiet enable "$unit" || return 1
    if [ -d "$SYSTEMD" ]; then do_it systemctl restart "$unit" || return 1; fi
  done
}

# The version before, with the units that belong to it.
go_back() { # go_back SLOT
  switch_to "$1" && install_units "$HOME_DIR/$1/systemd"
}

# What --back does; the version that is left behind stays, and --back again returns to it.
go_back_when_asked() {
  local slot
  slot=$(free_slot)
  [ -f "$HOME_DIR/$slot/complete" ] || refuse "There is no version before this one to go back to."
  if [ -z "$DRY" ] && [ -f "$GAMES_DIR/journal.sqlite3" ]; then
    # Only looked at: the version in use is writing it.
    (cd / && "$HOME_DIR/$slot/venv/bin/python" -c 'import pathlib, sys
from companion.errors import CompanionError
from companion.journal.data_folder import version_of
try:
    version_of(pathlib.Path(sys.argv[1]))
except CompanionError as refusal:
    sys.exit(str(refusal))' "$GAMES_DIR/journal.sqlite3") ||
      refuse "The version before cannot read the games of this one, so nothing was changed. A copy from before is $GAMES_DIR/before-upgrade.sqlite3."
  fi
  go_back "$slot" || refuse "The version before does not start: see journalctl -u table-companion."
  say "The version before is back. To return to the newer one, use --back again."
}

# Where systemd runs it makes the folder as the service starts, and the service makes the table.
make_table_without_systemd() {
  [ ! -d "$SYSTEMD" ] || return 0
  do_it mkdir -p "$GAMES_DIR" && do_it chmod 750 "$GAMES_DIR" && do_it chown "$SERVICE_USER:$SERVICE_USER" "$GAMES_DIR"
  [ -z "$DRY" ] && [ ! -e "$GAMES_DIR/journal.sqlite3" ] || return 0
  (cd / && runuser -u "$SERVICE_USER" -- "$HOME_DIR/current/venv/bin/python" -c 'import pathlib, sys
from companion.journal.store import Journal
Journal(pathlib.Path(sys.argv[1])).close()' "$GAMES_DIR/journal.sqlite3")
}

# How a device becomes the host's. It is said here and not in the service's log, which would keep it.
show_way_in() {
  local companion=(runuser -u "$SERVICE_USER" -- "$HOME_DIR/current/venv/bin/companion" token --data "$GAMES_DIR") said
  if said=$("${companion[@]}" link --port 80); then say "To be the host on another device, once: $said"; fi
  if [ -S "$WIFI_SOCKET" ] && said=$(as_the_service current wifi card); then printf '%s\n' "" "For a sticker on the box:" "$said"; fi
  if said=$("${companion[@]}" pin --first) && [ -n "$said" ]; then say "The host's PIN, shown this once: $said"; fi
}

main() {
  local slot before
  read_arguments "$@"
  check_machine
  if [ -n "$BACK" ]; then
    go_back_when_asked
    return
  fi
  # In an installed version this file is for the way back alone.
  [ -d "$SOURCE/hardware" ] || refuse "There is no checkout here to install from: use install with a bundle's file, or --back."
  install_packages
  say_what_is_missing
  check_python
  make_user "$SERVICE_USER" "$GAMES_DIR" gpio video
  [ -z "$KIOSK" ] || make_user "$KIOSK_USER" /var/lib/table-kiosk video input render
  allow_devices
  bound_logs
  slot=$(free_slot)
  before=$(slot_in_use)
  build_slot "$slot"
  prove "$slot"
  keep_a_copy "$before"
  switch_to "$slot"
  if ! install_units "$SOURCE/hardware/systemd"; then
    { [ -n "$before" ] && [ -f "$HOME_DIR/$before/complete" ] && go_back "$before"; } ||
      refuse "The service does not start: see journalctl -u table-companion."
    refuse "The new version does not start as a service, so the one before is back: see journalctl -u table-companion."
  fi
  make_table_without_systemd
  if [ -n "$DRY" ]; then
    say "Nothing was changed."
    return
  fi
  say "The table companion is installed. Games are kept in $GAMES_DIR."
  show_way_in
  if [ ! -d "$SYSTEMD" ]; then
    say "No systemd runs here, so nothing starts it. To start it: sudo -u $SERVICE_USER companion run --data $GAMES_DIR"
    return
  fi
  say "Next: open http://table.local on a phone in the same network. Where that finds nothing:"
  say "      sudo -u $SERVICE_USER companion doctor --data $GAMES_DIR --port 80"
  say "      journalctl -u table-companion"
}

main "$@"
