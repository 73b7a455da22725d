// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * debugfs, kst/: counters and trace to read, reset and control to write.
 *
 *   counters  a snapshot, taken when the file is opened
 *   reset     any write: counting starts at 0
 *   control   lines of label=TEXT, trace=on, trace=off, trace_kb=N (for each
 *             CPU); reading shows them, what the kernel was built for, and
 *             how many events are held and lost
 *   trace     the events since trace=on; opening it ends tracing
 */
#include <linux/debugfs.h>
#include <linux/init.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "internal.h"

static int kst_counters_open(struct inode *inode, struct file *file)
{
	struct kst_bytes *bytes = kzalloc(sizeof(*bytes), GFP_KERNEL);
	int err;

	if (!bytes)
		return -ENOMEM;
	err = kst_counters_read(bytes);
	if (err) {
		kfree(bytes);
		return err;
	}
	file->private_data = bytes;
	return 0;
}

static ssize_t kst_bytes_read(struct file *file, char __user *to, size_t count,
			      loff_t *ppos)
{
	struct kst_bytes *bytes = file->private_data;

	return simple_read_from_buffer(to, count, ppos, bytes->data,
				       bytes->size);
}

static int kst_bytes_release(struct inode *inode, struct file *file)
{
	struct kst_bytes *bytes = file->private_data;

	vfree(bytes->data);
	kfree(bytes);
	return 0;
}

static const struct file_operations kst_counters_fops = {
	.owner = THIS_MODULE,
	.open = kst_counters_open,
	.read = kst_bytes_read,
	.llseek = default_llseek,
	.release = kst_bytes_release,
};

static ssize_t kst_reset_write(struct file *file, const char __user *from,
			       size_t count, loff_t *ppos)
{
	kst_counters_reset();
	return count;
}

static const struct file_operations kst_reset_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = kst_reset_write,
	.llseek = noop_llseek,
};

static int kst_control_line(char *line)
{
	char *value = strchr(line, '=');
	u64 kb;

	if (!*line)
		return 0;
	if (!value)
		return -EINVAL;
	*value++ = '\0';
	if (!strcmp(line, "label"))
		return kst_label_set(value);
	if (!strcmp(line, "trace_kb"))
		return kstrtou64(value, 0, &kb) ?: kst_trace_set_size(kb);
	if (strcmp(line, "trace"))
		return -EINVAL;
	if (!strcmp(value, "on"))
		return kst_trace_start();
	if (strcmp(value, "off"))
		return -EINVAL;
	kst_trace_stop();
	return 0;
}

static ssize_t kst_control_write(struct file *file, const char __user *from,
				 size_t count, loff_t *ppos)
{
	char *text, *rest, *line;
	int err = 0;

	if (count > 4096)
		return -EINVAL;
	text = memdup_user_nul(from, count);
	if (IS_ERR(text))
		return PTR_ERR(text);
	rest = text;
	while (!err && (line = strsep(&rest, "\n")))
		err = kst_control_line(line);
	kfree(text);
	return err ?: count;
}

static int kst_control_show(struct seq_file *seq, void *unused)
{
	char label[KST_LABEL_SIZE];
	u64 events, lost;

	kst_label_get(label);
	kst_trace_state(&events, &lost);
	seq_printf(seq, "label=%s\nmode=%s\ntrace=%s\ntrace_kb=%llu\nevents=%llu\nlost=%llu\n",
		   label, IS_ENABLED(CONFIG_KST_TRACE) ? "trace" : "count",
		   kst_trace_running() ? "on" : "off",
		   kst_trace_get_size(), events, lost);
	return 0;
}

static int kst_control_open(struct inode *inode, struct file *file)
{
	return single_open(file, kst_control_show, NULL);
}

static const struct file_operations kst_control_fops = {
	.owner = THIS_MODULE,
	.open = kst_control_open,
	.read = seq_read,
	.write = kst_control_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static int __init kst_debugfs_init(void)
{
	struct dentry *dir = debugfs_create_dir("kst", NULL);

	debugfs_create_file("counters", 0400, dir, NULL, &kst_counters_fops);
	debugfs_create_file("reset", 0200, dir, NULL, &kst_reset_fops);
	debugfs_create_file("control", 0600, dir, NULL, &kst_control_fops);
	debugfs_create_file("trace", 0400, dir, NULL, &kst_trace_fops);
	return 0;
}
late_initcall(kst_debugfs_init);
