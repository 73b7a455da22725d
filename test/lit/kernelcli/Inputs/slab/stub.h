/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * As much of a kernel as kernel/kst/slab.c and places.c need, on one CPU: one
 * slab, whose cache the test names.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint64_t u64;
typedef uint32_t u32;
typedef uint16_t u16;
typedef uint8_t u8;

#define CONFIG_KST 1
#define __always_inline inline __attribute__((always_inline))
#define __percpu
#define __counted_by(member)
#define BIT_ULL(n) (1ULL << (n))
#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define READ_ONCE(x) (*(volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, v) (*(volatile __typeof__(x) *)&(x) = (v))
#define smp_store_release(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)
#define smp_wmb() __sync_synchronize()
#define arch_cmpxchg(p, old, new) __sync_val_compare_and_swap(p, old, new)
#define arch_xchg(p, v) __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST)
#define DEFINE_PER_CPU(type, name) __typeof__(type) name
#define raw_cpu_ptr(x) (x)
#define raw_cpu_read(x) (x)
#define this_cpu_inc_return(x) (++(x))
#define SLAB_RED_ZONE 1
#define PAGE_OFFSET ((u64)memory)
#define THREAD_SIZE (1UL << 14)
#define VMALLOC_START (0x500UL << 36)
#define VMALLOC_END (VMALLOC_START + 0xffff)
#define raw_smp_processor_id() 0
#define arch_atomic64_inc(v) (++*(u64 *)(v))
typedef u64 atomic64_t;

struct list_head {
	struct list_head *next, *prev;
};

struct mutex {
	int locked;
};

struct kmem_cache {
	const char *name;
	u32 object_size, size, reciprocal_size, flags;
	int red_left_pad;
	void (*ctor)(void *object);
};

struct slab {
	struct kmem_cache *slab_cache;
};

static char memory[1 << 16] __attribute__((aligned(4096)));
static struct slab slab;
static bool in_slab = true;

static inline void arch_set_bit(long n, unsigned long *words)
{
	words[n / 64] |= 1UL << n % 64;
}

static inline bool is_kfence_address(void *address)
{
	return false;
}

static inline struct slab *virt_to_slab(void *address)
{
	return in_slab ? &slab : NULL;
}

static inline void *slab_address(const struct slab *of)
{
	return memory;
}

static inline u32 reciprocal_divide(u32 a, u32 size)
{
	return a / size;
}
