// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proc N: N times reads what top and netstat read: the files of every process
 * in /proc, those of its threads, and those about the system; 20 more processes
 * are there to look at.
 */
#include "workload.h"

#include <dirent.h>
#include <signal.h>

#define PROCESSES 20

static const char *const of_process[] = { "stat",   "status", "statm",
					  "cmdline", "maps",   "limits",
					  "cgroup",  "io",     "smaps_rollup" };
static const char *const of_system[] = {
	"stat",	     "meminfo",	   "loadavg",	 "uptime",     "vmstat",
	"interrupts", "softirqs",  "mounts",	 "net/dev",    "net/tcp",
	"net/udp",   "net/unix",   "net/snmp",	 "zoneinfo",   "partitions",
	"schedstat", "slabinfo",   "buddyinfo",	 "filesystems"
};

static long files, bytes;

static void read_file(const char *name)
{
	static char buffer[16384];
	int fd = open(name, O_RDONLY);
	ssize_t got;

	if (fd < 0)
		return; /* not configured, or the process is gone */
	while ((got = read(fd, buffer, sizeof(buffer))) > 0)
		bytes += got;
	files++;
	close(fd);
}

static int processes(void)
{
	char name[600], target[64];
	struct dirent *entry;
	DIR *all = opendir("/proc");
	int count = 0;
	size_t i;

	if (!all)
		die("/proc");
	while ((entry = readdir(all))) {
		if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
			continue;
		count++;
		for (i = 0; i < sizeof(of_process) / sizeof(*of_process); i++) {
			snprintf(name, sizeof(name), "/proc/%s/%s",
				 entry->d_name, of_process[i]);
			read_file(name);
		}
		snprintf(name, sizeof(name), "/proc/%s/task/%s/stat",
			 entry->d_name, entry->d_name);
		read_file(name);
		snprintf(name, sizeof(name), "/proc/%s/exe", entry->d_name);
		/* Kernel threads have none. */
		if (readlink(name, target, sizeof(target)) < 0)
			continue;
	}
	closedir(all);
	return count;
}

int main(int argc, char **argv)
{
	long count = argument(argc, argv, 1, 30), i;
	pid_t others[PROCESSES];
	size_t j;

	for (i = 0; i < PROCESSES; i++) {
		others[i] = child();
		if (!others[i])
			for (;;)
				pause();
	}
	for (i = 0; i < count; i++) {
		char name[64];

		expect(processes() > PROCESSES, "all processes");
		for (j = 0; j < sizeof(of_system) / sizeof(*of_system); j++) {
			snprintf(name, sizeof(name), "/proc/%s", of_system[j]);
			read_file(name);
		}
	}
	for (i = 0; i < PROCESSES; i++)
		if (kill(others[i], SIGKILL) || waitpid(others[i], NULL, 0) < 0)
			die("kill");
	expect(files > count * PROCESSES * 4 && bytes > files, "files");
	printf("rounds=%ld files=%ld bytes=%ld\n", count, files, bytes);
	return 0;
}
