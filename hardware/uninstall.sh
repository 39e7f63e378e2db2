#!/usr/bin/env bash
# Takes the table companion off this machine. Games and settings stay in /var/lib/table-companion,
# and this machine's Wi-Fi stays as it is.
#
#     sudo hardware/uninstall.sh [--with-games] [--dry-run]
#
#     --with-games  also deletes every game, picture and setting; nothing brings them back
#     --dry-run     only says what it would do
set -euo pipefail

readonly ROOT=${TABLE_COMPANION_ROOT:-} # a folder in the place of /, where this is tried
readonly HOME_DIR=$ROOT/opt/table-companion
readonly GAMES_DIR=$ROOT/var/lib/table-companion
readonly UNITS=$ROOT/etc/systemd/system
WITH_GAMES="" DRY=""

refuse() {
  printf '%s\n' "$*" >&2
  exit 1
}

do_it() {
  if [ -n "$DRY" ]; then echo "would run: $*"; else "$@"; fi
}

for argument in "$@"; do
  case $argument in
    --with-games) WITH_GAMES=yes ;;
    --dry-run) DRY=yes ;;
    -h | --help) sed -n '2,8s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" && exit 0 ;;
    *) refuse "There is no option $argument: see --help." ;;
  esac
done
[ -n "$DRY" ] || [ "$(id -u)" = 0 ] || refuse "Only root may remove a service: start it with sudo."

# First the one of a card's bundle: where it has not succeeded yet, it would install everything again at the next start.
for unit in table-first-start table-kiosk table-companion table-wifi table-camera; do
  [ -f "$UNITS/$unit.service" ] || continue
  do_it systemctl --quiet disable "$unit"
  if [ -d "$ROOT/run/systemd/system" ]; then do_it systemctl stop "$unit"; fi
  do_it rm -f "$UNITS/$unit.service"
done
if [ -d "$ROOT/run/systemd/system" ]; then do_it systemctl daemon-reload; fi
do_it rm -f "$ROOT/usr/local/bin/companion" "$ROOT/etc/udev/rules.d/60-table-companion.rules" \
  "$ROOT/etc/systemd/journald.conf.d/60-table-companion.conf" \
  "$ROOT/run/issue.d/table-wifi.issue" "$ROOT/etc/NetworkManager/dnsmasq-shared.d/table-setup.conf"
do_it rm -rf "$HOME_DIR" "$ROOT/var/lib/table-kiosk" "$ROOT/var/lib/table-wifi" "$ROOT/etc/table-companion" \
  "$ROOT/var/lib/table-first-start.said" "$ROOT/var/lib/table-first-start.update" "$ROOT/var/tmp/table-first-start"
if id -u table-kiosk >/dev/null 2>&1; then do_it userdel table-kiosk; fi

# The user stays as long as its games do: their owner must not become a number that somebody else is given.
if [ -n "$WITH_GAMES" ]; then
  do_it rm -rf "$GAMES_DIR"
  do_it rm -f "$ROOT/boot/firmware/table-companion/installed" # the next installation has another PIN, and tells it there
  if id -u table-companion >/dev/null 2>&1; then do_it userdel table-companion; fi
elif [ -d "$GAMES_DIR" ]; then
  echo "The games are kept in $GAMES_DIR; the next installation finds them again."
fi
