// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cgroup N: mounts cgroup2, makes 4 groups with weights and a limit of time,
 * and moves two busy processes N times between them; reads what each group
 * used. Needs to be root, and controllers that nobody uses.
 */
#include "workload.h"

#include <signal.h>
#include <sys/mount.h>

#define GROUPS 4
#define BUSY 2

static void group_file(int group, const char *file, const char *text)
{
	char name[64];

	snprintf(name, sizeof(name), "g%d/%s", group, file);
	write_text(name, text);
}

static int members(int group)
{
	char name[32], line[32];
	int count = 0;
	FILE *file;

	snprintf(name, sizeof(name), "g%d/cgroup.procs", group);
	file = fopen(name, "r");
	if (!file)
		die(name);
	while (fgets(line, sizeof(line), file))
		count++;
	fclose(file);
	return count;
}

static long used_us(int group)
{
	char name[32];
	long time = 0;
	FILE *file;

	snprintf(name, sizeof(name), "g%d/cpu.stat", group);
	file = fopen(name, "r");
	if (!file || fscanf(file, "usage_usec %ld", &time) != 1)
		die(name);
	fclose(file);
	return time;
}

int main(int argc, char **argv)
{
	long count = argument(argc, argv, 1, 400), i, total = 0;
	pid_t busy[BUSY];
	char text[32];
	int g;

	enter_scratch(argc, argv, 2);
	if (mkdir("groups", 0755) ||
	    mount("none", "groups", "cgroup2", 0, NULL) || chdir("groups"))
		die("cgroup2");
	write_text("cgroup.subtree_control", "+cpu");
	for (g = 0; g < GROUPS; g++) {
		snprintf(text, sizeof(text), "g%d", g);
		if (mkdir(text, 0755))
			die(text);
		snprintf(text, sizeof(text), "%d", 50 << g);
		group_file(g, "cpu.weight", text);
	}
	group_file(0, "cpu.max", "5000 10000");
	for (i = 0; i < BUSY; i++) {
		busy[i] = child();
		for (; !busy[i];)
			getppid();
	}
	for (i = 0; i < count; i++) {
		struct timespec short_time = { .tv_nsec = 2000000 };

		g = i / BUSY % GROUPS;
		snprintf(text, sizeof(text), "%d", busy[i % BUSY]);
		group_file(g, "cgroup.procs", text);
		if (i % BUSY == BUSY - 1) {
			expect(members(g) == BUSY, "members of a group");
			nanosleep(&short_time, NULL);
		}
		if (i % 10 == 0) {
			snprintf(text, sizeof(text), "%ld", 10 + i % 200);
			group_file(1 + i % 3, "cpu.weight", text);
		}
	}
	for (i = 0; i < BUSY; i++)
		if (kill(busy[i], SIGKILL) || waitpid(busy[i], NULL, 0) < 0)
			die("kill");
	for (g = 0; g < GROUPS; g++) {
		total += used_us(g);
		snprintf(text, sizeof(text), "g%d", g);
		if (rmdir(text))
			die("rmdir");
	}
	expect(total > 0, "time used in the groups");
	if (chdir("..") || umount("groups") || rmdir("groups"))
		die("umount");
	leave_scratch();
	printf("moves=%ld used_us=%ld\n", count, total);
	return 0;
}
