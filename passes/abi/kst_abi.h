/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What instrumented code and the two runtimes agree on: plain C, so that the
 * kernel's copy, libkst_rt and the pass plugin read the same text. The bytes
 * of files are in docs/guide/formats.md.
 */
#ifndef KST_ABI_H
#define KST_ABI_H

#ifdef __KERNEL__
#include <linux/types.h>
typedef u64 kst_u64;
typedef u32 kst_u32;
#else
#include <stdint.h>
typedef uint64_t kst_u64;
typedef uint32_t kst_u32;
typedef uint16_t kst_u16;
typedef int32_t kst_s32;
#endif

#define KST_ABI_VERSION 2  /* kst_object, kst_type, a kernel's kst_unit */
#define KST_USER_VERSION 2 /* of a kst_unit in user space */

/* Raw counters and raw traces, and the kinds of their records. */
#define KST_RAW_VERSION 2
#define KST_COUNT_UNIT 0
#define KST_COUNT_OBJECT 1
#define KST_COUNT_END 2
#define KST_COUNT_OTHERS 3
#define KST_EVENT_UNIT 1
#define KST_EVENT_EVENTS 2
#define KST_EVENT_OBJECT 3
#define KST_EVENT_END 4
#define KST_EVENT_KERNEL 5
#define KST_EVENT_CACHE 6
#define KST_EVENT_IMAGE 7

/* What a site does, in tables and profiles alike, and its marks. */
enum kst_site_kind {
  KST_SITE_READ,
  KST_SITE_WRITE,
  KST_SITE_READ_WRITE,
  KST_SITE_BULK_READ,
  KST_SITE_BULK_WRITE,
  KST_SITE_ADDRESS,
  KST_SITE_ENTRY,
  KST_SITE_BY_ADDRESS_READ,
  KST_SITE_BY_ADDRESS_WRITE,
  KST_SITE_BY_ADDRESS_BOTH,
  KST_SITE_KINDS,
};
#define KST_MARK_VOLATILE 1
#define KST_MARK_ATOMIC 2
#define KST_MARK_ASM 4
#define KST_MARK_BIT_FIELD_READ 8 /* of a store to it; not in the source */
/*
 * Of a site of kind KST_SITE_ADDRESS, in traces only: no access. Its event has
 * the address where the array begins that the next event of the stream with its
 * record and offset is in, whose own address is that of what was accessed.
 */
#define KST_MARK_PLACE 16
/* The same: no access, but a call that starts a thread, or one that has waited
 * for the end of one. Their events have no address. */
#define KST_MARK_START 32
#define KST_MARK_JOIN 64
#define KST_NO_RECORD 0xffffffffu /* of a site: known by its address only */

/* Sections. The table of sites is not loaded; the others are. */
#define KST_TABLE_SECTION ".kst_table"
#define KST_UNITS_SECTION "__kst_units"
#define KST_OBJECTS_SECTION "__kst_objects"
#define KST_TYPES_SECTION "__kst_types"
/* Counters of a kernel unit; a section of its own, so that a relocation
 * against it can be told from others. */
#define KST_PERCPU_SECTION ".data..percpu..kst"

/*
 * One translation unit. Kernel: an array of these in KST_UNITS_SECTION.
 * User space: one static object, handed to the runtime by the code itself.
 * hash: names the unit's blob in KST_TABLE_SECTION.
 * counters: kernel: address of the per-CPU array; user space: 0.
 * trace_base: set by the runtime; the unit's site s is site trace_base + s of
 * a trace.
 */
struct kst_unit {
  kst_u64 hash;
  kst_u64 counters;
  kst_u32 n_counters;
  kst_u32 n_sites;
  kst_u32 trace_base;
  kst_u32 version; /* KST_ABI_VERSION, KST_USER_VERSION */
};

/*
 * User space: what a thread has of one unit, in thread-local storage; the
 * counters follow. attached is 0 until __kst_rt_attach() was called. Until
 * then each counter is one less than its count: ~0 for none. So the step that
 * takes a counter from ~0 to 0 is the sign that nobody attached yet, and the
 * code that steps calls __kst_rt_attach() right behind it, which adds the one
 * to all of them. The check is left out where an earlier step of the same call
 * has surely made it.
 */
struct kst_block {
  kst_u64 attached;
  const struct kst_unit *unit;
  struct kst_block *next;
  struct kst_block **prev;
  void *thread;
  /* kst_u64 counters[unit->n_counters]; */
};
/* User space: defined, weak and hidden, in each object file that has a table.
 * A program in which it is missing has nothing to count and leaves no file. */
#define KST_COUNTED_NAME "__kst_counted"

/*
 * Objects of a selected struct with static storage, for accesses that only
 * their address tells. In KST_OBJECTS_SECTION, by the unit that defines them.
 * Kernel: a selected struct inside of a selected one is an object as well.
 * counts: user space: 2 * size counters, [offset * 2 + (write ? 1 : 0)], which
 * objects of one struct may share, and which are then added up once. Kernel: 0;
 * the runtime has the counts of each struct.
 */
struct kst_object {
  kst_u64 name;    /* struct name, NUL-terminated, loaded */
  kst_u64 address; /* KST_OBJECT_PERCPU: of the per-CPU variable */
  kst_u64 counts;
  kst_u32 size;   /* of one object, in bytes */
  kst_u32 number; /* objects behind one another: an array */
  kst_u32 flags;
  kst_u32 version;
};
#define KST_OBJECT_PERCPU 1

/*
 * User space: the page table of address mode. Code hashes (address >> 12) to a
 * slot and compares: one object per slot, so that a miss costs a load and a
 * compare. Objects that find no free slot are not counted by address and
 * reported as such. An empty slot has page 0, which no kernel or mapped address
 * has. counts: an address.
 */
struct kst_page {
  kst_u64 page; /* address >> 12 */
  kst_u64 base; /* of the object */
  kst_u64 counts;
  kst_u32 size;
  kst_u32 cpu; /* unused, always ~0 */
};
#define KST_PAGE_BITS 12
#define KST_PAGE_WAYS 4 /* slots of one hash value, side by side */
#define KST_PAGE_SLOT(page)                                                    \
  ((((page) * 0x9e3779b97f4a7c15ull) >> (64 - KST_PAGE_BITS)) * KST_PAGE_WAYS)
/* extern struct kst_page __kst_pages[(1 << KST_PAGE_BITS) * KST_PAGE_WAYS]; */

/*
 * Kernel: where objects are. One value for each granule of 64 bytes of memory,
 * [(address >> KST_GRANULE_BITS) & mask]: 0 where no known object is, which is
 * all that code looks at before it calls __kst_hit(). Addresses apart by more
 * than mask covers share a value: it is a hint. Until the runtime is up, mask
 * is 0 and there is one value, 0.
 * Other values: KST_PLACE_STATIC: an object of KST_OBJECTS_SECTION. Else the
 * low bits name a place, which is what the allocated object around the granule
 * holds at which offsets; KST_PLACE_TAIL: the end of one, before another.
 */
struct kst_shadow {
  kst_u64 mask;
  unsigned short *places;
};
#define KST_GRANULE_BITS 6
#define KST_PLACES 512
#define KST_PLACE_TAIL (KST_PLACES - 2)
#define KST_PLACE_STATIC (KST_PLACES - 1)
#define KST_PLACE_EXPECTED KST_PLACES /* bit: not seen yet, a forecast */
/* extern struct kst_shadow __kst_shadow; */

/*
 * Kernel: a selected struct, as code sees it that accesses one through its
 * type. In KST_TYPES_SECTION, one for vmlinux and for each module.
 * offsets: address of n_offsets kst_u32: where its members begin.
 * known: a bit for each value of a granule that needs no call of __kst_learn()
 * where an object of this struct begins. Set by the runtime, but for that of
 * KST_PLACE_STATIC.
 */
struct kst_type {
  kst_u64 name; /* struct name, NUL-terminated, loaded */
  kst_u64 offsets;
  kst_u32 size;
  kst_u32 n_offsets;
  kst_u32 number; /* the runtime's */
  kst_u32 version;
  kst_u32 known[2 * KST_PLACES / 32];
};

/*
 * The second argument of __kst_hit() and __kst_is_hit(). part: objects of this
 * size are left alone. bytes: of memcpy and memset, known to the compiler or
 * when they run; 0: an access that counts at its first byte.
 */
#define KST_HIT_READ 1
#define KST_HIT_WRITE 2
#define KST_HIT(rw, part, bytes)                                               \
  ((rw) | (kst_u64)(part) << 2 | (kst_u64)(bytes) << 34)
#define KST_HIT_PART(how) ((kst_u32)((how) >> 2))
#define KST_HIT_BYTES(how) ((kst_u32)((how) >> 34))

#ifndef __KERNEL__
/*
 * The blob of a unit in KST_TABLE_SECTION: this header, then so many rows of
 * each of the types below, in this order, then string_bytes of texts, zeros up
 * to a multiple of 8. Texts are offsets into those bytes, where each ends with
 * NUL; 0 is "". Ranges are rows of the tables of this blob.
 * hash: XXH3 of everything from counters on.
 */
struct kst_table {
  char magic[8];   /* KST_TABLE_MAGIC */
  kst_u32 version; /* KST_TABLE_VERSION */
  kst_u32 bytes;
  kst_u64 hash;
  kst_u32 counters, records, elements, functions, sites, regions, references,
      terms, string_bytes, main_file;
};
#define KST_TABLE_MAGIC "KSTTABLE"
#define KST_TABLE_VERSION 1

struct kst_table_record {
  kst_u32 name, size, first_element, elements;
};
struct kst_table_element {
  kst_u32 offset, size;
};
struct kst_table_function {
  kst_u32 name, file, line, zero;
};
/* element: bytes that are accessed somewhere in an array of size bytes at
 * offset; 0: all of it is. */
struct kst_table_site {
  kst_u32 record, function, file, line, column, offset, size;
  kst_u16 first_bit, bits, kind, marks;
  kst_u32 element;
};
/* The count of a region: the sum of its terms. */
struct kst_table_region {
  kst_u32 function, first_reference, references, first_term, terms, zero;
};
struct kst_table_reference {
  kst_u32 site, times;
};
struct kst_table_term {
  kst_u32 counter;
  kst_s32 factor; /* 1 or -1 */
};
#endif

/* One event of a trace, 16 bytes, in the order of one CPU or thread. */
struct kst_event {
  kst_u64 where; /* bits 0-47 address, 48-63 time, low 16 bits */
  kst_u64 what;  /* bits 0-23 site, 24-63 time, next 40 bits */
};

/*
 * Kernel: of time 38 bits, and in bits 62-63 of what the CPU was in. Sites from
 * KST_LIFE_NONE on are no sites: the allocator gave or took back the object at
 * that address; a struct kst_life follows. KST_LIFE_NONE: nothing, alone.
 */
#define KST_CONTEXT_TASK 0ull
#define KST_CONTEXT_SOFTIRQ 1ull
#define KST_CONTEXT_HARDIRQ 2ull
#define KST_CONTEXT_NMI 3ull
#define KST_LIFE_NONE 0xfffffdu
#define KST_LIFE_FREE 0xfffffeu
#define KST_LIFE_ALLOC 0xffffffu
struct kst_life {
  kst_u64 caller; /* returns to there; in vmlinux: as it was linked */
  kst_u32 asked;  /* bytes; 0 of KST_LIFE_FREE */
  kst_u32 cache;  /* number of a KST_EVENT_CACHE; ~0: it found no place */
};

/*
 * Called by instrumented code; provided by the runtime.
 *   void __kst_rt_attach(const struct kst_unit *, struct kst_block *);  user
 *   void __kst_rt_flush(void);                user: before exec*, _exit, _Exit
 *   void __kst_trace(struct kst_unit *, kst_u32 site, const void *address);
 * Kernel, all of calling convention preserve_most, callable anywhere:
 *   void __kst_hit(kst_u64 address, kst_u64 how);      looks up and counts
 *   kst_u64 __kst_is_hit(kst_u64 address, kst_u64 how);        only looks up
 *   void __kst_learn(kst_u64 address, struct kst_type *);  an object is there
 */
#endif
