#!/bin/bash
# In the emulated ARM machine, once: configures a card's packages, lets raspi-firmware fill its boot partition, and switches
# itself off.
export PATH=/tmp/once:/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive DEBCONF_NONINTERACTIVE_SEEN=true LC_ALL=C HOME=/root
mount -t tmpfs run /run
mount -t tmpfs tmp /tmp

# The kernel's package makes the first file system once; a trigger would make it again at the end, for many minutes.
mkdir /tmp/once
printf '#!/bin/sh\n[ "$1" = -u ] || exec /usr/sbin/update-initramfs "$@"\n' >/tmp/once/update-initramfs
chmod +x /tmp/once/update-initramfs

{
  ldconfig
  mount -t vfat /dev/vdb /boot/firmware && dpkg --configure --pending && test -s /boot/firmware/cmdline.txt
  echo "ended with $? after $(cut -d' ' -f1 /proc/uptime) s"
} >/configure.log 2>&1
tail -n 3 /configure.log >/dev/console
touch /etc/.updated /var/.updated # nothing is to be brought up to date at the first start
: >/etc/machine-id # each card gets its own at its first start
rm -f /usr/sbin/policy-rc.d /configure.sh
umount /boot/firmware
sync
poweroff -f
