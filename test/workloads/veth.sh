#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# veth.sh N: two hosts on one machine, by network namespaces and a veth pair:
# pings over IPv4 and IPv6, N times each, fetches N files of 64 KiB and one of
# 4 MiB by HTTP, and changes addresses and routes in between. Needs to be root,
# and busybox.
set -e
Count=${1:-20}
Here=$(mktemp -d /tmp/work-XXXXXX)
cd "$Here"
dd if=/dev/urandom of=small bs=64k count=1 2>/dev/null
for I in $(seq 64); do cat small; done >large

unshare -n sleep 1000 &
Far=$!
far() { nsenter -t $Far -n "$@"; }
until [ "$(readlink /proc/$Far/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.1; done
ip link add near type veth
ip link set veth0 netns $Far
ip addr add 10.9.0.1/24 dev near
ip addr add fd09::1/64 dev near
ip link set near up
far ip addr add 10.9.0.2/24 dev veth0
far ip addr add fd09::2/64 dev veth0
far ip link set veth0 up
far ip link set lo up
far ip route add default via 10.9.0.1
sleep 2.5 # until the IPv6 addresses are known to be the only ones

ping -q -c "$Count" -i 0.01 10.9.0.2 | grep "$Count packets received"
ping -q -c "$Count" -i 0.01 -s 3000 fd09::2 | grep "$Count packets received"
far httpd -p 10.9.0.2:80 -h "$Here"
for I in $(seq "$Count"); do
  wget -q -O fetched http://10.9.0.2/small
  cmp fetched small
  ip route add 10.$((I % 250)).7.0/24 via 10.9.0.2
  ip addr add 10.8.$((I % 250)).1/24 dev near
  ip route get 10.$((I % 250)).7.9 >/dev/null || ip route >/dev/null
  ip addr del 10.8.$((I % 250)).1/24 dev near
  ip route del 10.$((I % 250)).7.0/24
done
wget -q -O fetched http://10.9.0.2/large
cmp fetched large

ip link del near
kill $Far $(pidof httpd)
cd /
rm -r "$Here"
echo "files=$((Count + 1)) pings=$((2 * Count))"
