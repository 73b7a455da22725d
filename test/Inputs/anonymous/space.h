#ifndef SPACE_H
#define SPACE_H

struct tree {
	unsigned long root, flags;
};

/* One anonymous struct around everything, as some kernel structs have it. */
struct space {
	struct {
		/*
		 * Written often: a line of its own.
		 */
		struct {
			/* those who hold it */
			int count;
		} __attribute__((aligned(64)));

		struct tree tree;
		unsigned long base;	/* where it begins */

		unsigned long cold[20];
#ifdef MORE
		unsigned long more;
#endif
		unsigned long size;	/* asked for with base */

		union {
			int owner_id;
			struct {
				short low, high;
			};
		};
	};
	unsigned long bitmap[];
};

/* Nothing may move: a union, and what the wire sees. */
struct frame {
	union {
		struct {
			int kind;
			int length;
		};
		long word;
	};
	struct {
		char tag;
		int value;
	} __attribute__((packed));
	long first_very_long_member_name, second;
};

#endif
