#!/bin/busybox sh
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t sysfs sys /sys
/bin/busybox mount -t devtmpfs dev /dev
/bin/busybox mkdir -p /dev/pts /dev/shm
/bin/busybox mount -t devpts pts /dev/pts
/bin/busybox mount -t tmpfs shm /dev/shm
/bin/busybox chmod 1777 /tmp /var/tmp /dev/shm
/bin/busybox ifconfig lo 127.0.0.1 up
/bin/busybox stty -F /dev/ttyS1 raw -echo 115200
exec 3>/dev/ttyS1
SETTINGS
cd HERE
SETUP
echo READY
/bin/busybox sleep KEEP
echo GO
/bin/busybox sleep 1
BEGIN
PROGRAM </dev/null >&3 2>&3 3>&-
status=$?
END
exec 3>&-
echo STATUS $status
/bin/busybox sleep 1
OVER
/bin/busybox poweroff -f
