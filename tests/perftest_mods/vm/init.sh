#!/bin/busybox sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# The first process of the virtual machine: from the initial file system to the host's, with a soft-RoCE device on the loopback.
# The kernel's command line says python=PROGRAM server=FILE tree=FOLDER token=TEXT, and manager=systemd where systemd is wanted.
# Without roce=DEVICE,MAC,ADDRESS for network cards with soft RoCE, there is rxe0 on the loopback.
/bin/busybox --install -s /bin
export PATH=/bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
echo 3 >/proc/sys/kernel/printk
while read -r module; do
	insmod "/modules/$module" || echo "@@FAILED insmod $module"
done </modules/order
cards=
for word in $(cat /proc/cmdline); do
	case $word in
	roce=*) cards="$cards ${word#*=}" ;;
	python=* | server=* | tree=* | token=* | manager=*) eval "${word%%=*}='${word#*=}'" ;;
	esac
done

ifconfig lo 127.0.0.1 up
ifconfig eth0 10.0.2.15 up # what QEMU's user network forwards to

# The host's files, and what is written over them in memory.
mkdir -p /host /over /new
mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144,cache=loose,ro hostroot /host
mount -t tmpfs over /over
mkdir /over/upper /over/work
mount -t overlay -o lowerdir=/host,upperdir=/over/upper,workdir=/over/work over /new
for folder in proc sys dev; do
	mount --bind /$folder /new/$folder
done
mkdir -p /new/dev/shm /new/dev/pts
mount -t tmpfs shm /new/dev/shm
mount -t devpts pts /new/dev/pts
mount -t tmpfs tmp /new/tmp
mount -t tmpfs run /new/run
if [ ! -e "/new$tree" ]; then # a work tree in /tmp is shown there all the same
	mkdir -p "/new$tree"
	mount --bind "/host$tree" "/new$tree"
fi
inside() {
	chroot /new /usr/bin/env -i HOME=/root LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
}
soft_roce() { # DEVICE INTERFACE
	inside rdma link add "$1" type rxe netdev "$2" || echo '@@FAILED rdma link add'
	until grep -q ACTIVE "/sys/class/infiniband/$1/ports/1/state"; do
		usleep 10000
	done
}
[ -n "$cards" ] || soft_roce rxe0 lo
for card in $cards; do
	mac=${card#*,}
	found=$(grep -l "^${mac%,*}$" /sys/class/net/*/address)
	interface=$(basename "${found%/address}")
	ifconfig "$interface" "${card##*,}" netmask 255.255.255.0 up
	soft_roce "${card%%,*}" "$interface"
done
if [ "$manager" = systemd ]; then # it starts the server, and nothing of the host's
	mkdir -p /new/etc/systemd/system /new/run/systemd
	cat >/new/etc/systemd/system/ibcc-vm.service <<-UNIT
		[Service]
		ExecStart=$python -I -S $server $token
		Environment=HOME=/root LANG=C.UTF-8
		StandardOutput=tty
		TTYPath=/dev/console
	UNIT
	cat >/new/etc/systemd/system/ibcc-vm.target <<-UNIT
		[Unit]
		Requires=basic.target ibcc-vm.service
		After=basic.target
		AllowIsolate=yes
	UNIT
	for unit in systemd-udevd systemd-udev-trigger systemd-udev-settle systemd-timesyncd systemd-networkd networking; do
		ln -sf /dev/null /new/etc/systemd/system/$unit.service
	done
	umount /new/proc /new/sys /new/run
	exec switch_root /new /lib/systemd/systemd --unit=ibcc-vm.target
fi
inside "$python" -I -S "$server" "$token" || echo '@@FAILED the server'
poweroff -f
