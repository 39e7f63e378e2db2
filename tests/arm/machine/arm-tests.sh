#!/bin/bash
# In the emulated ARM machine: mounts what the checks need and runs them. What fails is said on the console; the unit that
# starts this switches the machine off then, so that nobody waits for a machine that does nothing.
fail() {
  echo "arm-tests: $*, so nothing was checked."
  exit 1
}

mkdir -p /checks /run/report || fail "there is no room for two folders"
# Where the clock counts instructions, mount(8) has once mounted it and then tried again, in vain.
mount -t 9p -o trans=virtio,version=9p2000.L,msize=524288 report /run/report || mountpoint -q /run/report || fail "the report's folder cannot be mounted"
mount -t ext4 -o noatime /dev/vdb /checks || fail "the disk with the checks cannot be mounted"
echo "arm-tests: began after $(cut -d' ' -f1 /proc/uptime) s."
PYTHONPATH=/checks/checkout bash /checks/begin.sh >>/run/report/guest.log 2>&1
status=$?
echo "arm-tests: ended with $status after $(cut -d' ' -f1 /proc/uptime) s."
exit $status
