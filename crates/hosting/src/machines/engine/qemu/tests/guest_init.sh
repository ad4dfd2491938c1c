#!/bin/busybox sh
# The first program of the Linux guest. It does what the kernel's command line says:
#
#   address=A/N       the address of the guest
#   gateway=A         where packets to all other addresses go
#   wait=P            waits until somebody connects to this TCP port of the guest
#   tcp=A:P udp=A:P   tries to reach a port; what it finds is written to the serial port
#
# Then it serves a line on TCP port 80 until the power button is pressed.
export PATH=/bin
/bin/busybox --install -s /bin
mount -t devtmpfs dev /dev
mount -t proc proc /proc
mount -t sysfs sys /sys
for module in /modules/*; do insmod "$module"; done

# reach A:P: tells whether a TCP port can be reached.
reach() {
    nc -w 3 "${1%:*}" "${1#*:}" -e /bin/true 2>/dev/null
}

for word in $(cat /proc/cmdline); do
    value=${word#*=}
    case "$word" in
        address=*) ip address add "$value" dev eth0 && ip link set eth0 up ;;
        gateway=*) ip route add default via "$value" ;;
        wait=*) echo 'hello from the guest' | nc -l -p "$value" >/dev/null ;;
        tcp=*) if reach "$value"; then echo "guest: reached $value"; else echo "guest: no way to $value"; fi ;;
        # A request for a file is one packet to the port, and the tests look whether it came.
        udp=*) timeout 2 tftp -g -r file -l /dev/null "${value%:*}" "${value#*:}" >/dev/null 2>&1 ;;
    esac
done

for events in /dev/input/event*; do
    (
        dd if="$events" of=/dev/null bs=24 count=1 2>/dev/null
        echo 'guest: the power button was pressed'
        poweroff -f
    ) &
done
echo 'guest: ready'
while true; do
    echo 'hello from the guest' | nc -l -p 80 >/dev/null
done
