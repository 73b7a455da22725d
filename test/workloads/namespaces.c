// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * namespaces N: N times makes a child with mount and network namespaces of its
 * own, and those of processes, IPC and host names that the kernel has. There it
 * mounts and unmounts a tmpfs, binds a folder, brings loopback up and sees
 * itself as process 1. Needs to be root.
 */
#include "workload.h"

#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>

static void bring_up_loopback(void)
{
	struct ifreq interface = { .ifr_name = "lo" };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	if (fd < 0 || ioctl(fd, SIOCGIFFLAGS, &interface))
		die("lo");
	expect(!(interface.ifr_flags & IFF_UP), "loopback is down");
	interface.ifr_flags |= IFF_UP;
	if (ioctl(fd, SIOCSIFFLAGS, &interface) || close(fd))
		die("lo");
}

/* All kinds that this kernel has, of those that this program looks at. */
static int kinds(void)
{
	return CLONE_NEWNS | CLONE_NEWNET |
	       (access("/proc/self/ns/pid", F_OK) ? 0 : CLONE_NEWPID) |
	       (access("/proc/self/ns/ipc", F_OK) ? 0 : CLONE_NEWIPC) |
	       (access("/proc/self/ns/uts", F_OK) ? 0 : CLONE_NEWUTS);
}

static void inside(int flags)
{
	int fd;

	expect(!(flags & CLONE_NEWPID) || getpid() == 1, "the first process");
	/* Private: nothing of it reaches the others. */
	if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "one", "tmpfs", 0, "size=1M"))
		die("mount");
	fd = new_file("one/file");
	if (write(fd, "text", 4) != 4 || close(fd) ||
	    mount("one", "two", NULL, MS_BIND, NULL) ||
	    access("two/file", F_OK) || unlink("two/file") || umount("two") ||
	    umount("one"))
		die("binding");
	bring_up_loopback();
	_exit(0);
}

int main(int argc, char **argv)
{
	long count = argument(argc, argv, 1, 50), i;
	int flags = kinds();

	enter_scratch(argc, argv, 2);
	if (mkdir("one", 0755) || mkdir("two", 0755))
		die("mkdir");
	for (i = 0; i < count; i++) {
		if (!child()) {
			if (unshare(flags))
				die("unshare");
			if (!child())
				inside(flags);
			_exit(wait_all());
		}
		if (wait_all())
			return 1;
	}
	if (rmdir("one") || rmdir("two"))
		die("rmdir");
	leave_scratch();
	printf("namespaces=%ld\n", __builtin_popcount(flags) * count);
	return 0;
}
