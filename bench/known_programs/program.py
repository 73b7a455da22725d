# SPDX-License-Identifier: GPL-2.0-or-later
"""A C program under construction: two units, a header, one struct `s` that the
tool is asked about and a struct `t` with the same names that it is not."""

import json
import os
import random

# The kernel's macros and inline functions, written anew with the same structure.
PRELUDE = r"""
typedef unsigned long size_t;
#define offsetof(T, m) __builtin_offsetof(T, m)
#define container_of(p, T, m) ({ void *__m = (void *)(p); ((T *)(__m - offsetof(T, m))); })
#define READ_ONCE(x) (*(const volatile typeof(x) *)&(x))
#define WRITE_ONCE(x, v) do { *(volatile typeof(x) *)&(x) = (v); } while (0)
#define smp_store_release(p, v) do { asm volatile("" : : : "memory"); WRITE_ONCE(*(p), v); } while (0)
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define BITS 64
#define RELOC_HIDE(p, off) ({ unsigned long __ptr; __ptr = (unsigned long)(p); (typeof(p))(__ptr + (off)); })
#define __percpu_section __attribute__((section(".data..percpu")))
extern unsigned long __per_cpu_offset[64];
extern unsigned long this_cpu_off __percpu_section;
#define per_cpu_ptr(p, cpu) RELOC_HIDE((typeof(*(p)) *)(p), __per_cpu_offset[cpu])
#define this_cpu_ptr(p) ({ unsigned long __ptr = ({ unsigned long v__; asm("movq %%gs:%1, %0" : "=r"(v__) : "m"(*(typeof(this_cpu_off) *)(unsigned long)&this_cpu_off)); v__; }); __ptr += (unsigned long)(p); (typeof(*(p)) *)__ptr; })
void *memcpy(void *, const void *, size_t);
void *memset(void *, int, size_t);
int memcmp(const void *, const void *, size_t);
char *strcpy(char *, const char *);
char *strcat(char *, const char *);
size_t strlen(const char *);
int strcmp(const char *, const char *);
int snprintf(char *, size_t, const char *, ...) __attribute__((format(printf, 3, 4)));
void say(const char *, ...) __attribute__((format(printf, 1, 2)));

typedef struct { int counter; } atomic_t;
static inline int atomic_read(const atomic_t *v) { return READ_ONCE(v->counter); }
static inline void atomic_set(atomic_t *v, int i) { WRITE_ONCE(v->counter, i); }
static inline void atomic_inc(atomic_t *v) { asm volatile("lock; incl %0" : "+m"(v->counter) : : "memory"); }
static inline int atomic_cmpxchg(atomic_t *v, int old, int new) {
  int ret;
  volatile int *ptr = (volatile int *)&v->counter;
  asm volatile("lock; cmpxchgl %2,%1" : "=a"(ret), "+m"(*ptr) : "r"(new), "0"(old) : "memory");
  return ret;
}
static inline int atomic_dec_and_test(atomic_t *v) { return atomic_cmpxchg(v, 1, 0) == 1; }

#define LONG_ADDR(x) "m"(*(volatile long *)(x))
#define BYTE_ADDR(x) "+m"(*(volatile char *)(x))
static inline void set_bit(long nr, volatile unsigned long *addr) {
  if (__builtin_constant_p(nr))
    asm volatile("lock; orb %b1,%0" : BYTE_ADDR((void *)(addr) + (nr >> 3)) : "iq"(1 << (nr & 7)) : "memory");
  else
    asm volatile("lock; btsq %1,%0" : : LONG_ADDR(addr), "Ir"(nr) : "memory");
}
static inline void clear_bit(long nr, volatile unsigned long *addr) {
  asm volatile("btrq %1,%0" : : LONG_ADDR(addr), "Ir"(nr) : "memory");
}
static inline int test_bit(long nr, const volatile unsigned long *addr) {
  return 1 & (addr[nr / BITS] >> (nr & (BITS - 1)));
}
static inline int variable_test_bit(long nr, const volatile unsigned long *addr) {
  char old;
  asm volatile("btq %2,%1; setc %0" : "=qm"(old) : "m"(*(unsigned long *)addr), "Ir"(nr) : "memory");
  return old;
}

typedef struct { int val; } raw_lock_t;
typedef struct spinlock { raw_lock_t raw; } spinlock_t;
void _raw_lock(raw_lock_t *);
static inline void spin_lock(spinlock_t *lock) { _raw_lock(&lock->raw); }
static inline void spin_unlock(spinlock_t *lock) { smp_store_release(&lock->raw.val, 0); }
static inline int spin_is_locked(const spinlock_t *lock) { return READ_ONCE(lock->raw.val) != 0; }

typedef struct seqcount { unsigned sequence; } seqcount_t;
static inline unsigned read_seqcount_begin(const seqcount_t *s) {
  unsigned seq;
  while ((seq = READ_ONCE(s->sequence)) & 1)
    asm volatile("rep; nop" ::: "memory");
  return seq;
}
static inline void write_seqcount_begin(seqcount_t *s) { s->sequence++; }

struct list_head { struct list_head *next, *prev; };
static inline void __list_add(struct list_head *new, struct list_head *prev, struct list_head *next) {
  next->prev = new; new->next = next; new->prev = prev; WRITE_ONCE(prev->next, new);
}
static inline void list_add(struct list_head *new, struct list_head *head) { __list_add(new, head, head->next); }
static inline int list_empty(const struct list_head *head) { return READ_ONCE(head->next) == head; }
static inline void __list_del(struct list_head *prev, struct list_head *next) { next->prev = prev; WRITE_ONCE(prev->next, next); }
static inline void list_del(struct list_head *entry) {
  __list_del(entry->prev, entry->next); entry->next = (void *)0x100; entry->prev = (void *)0x122;
}
#define list_for_each(pos, head) for (pos = (head)->next; pos != (head); pos = pos->next)

#define rcu_assign_pointer(p, v) smp_store_release(&(p), (v))
#define rcu_dereference(p) ({ typeof(p) __p = READ_ONCE(p); __p; })
static inline void copy_block(void *to, const void *from, size_t n) {
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
}

struct part { int x, y; };
static inline void part_inc(struct part *x) { x->x++; }
static inline int part_sum(const struct part *x) { return x->x + x->y; }
static inline void add_to(int *x, int n) { *x += n; }
static inline int value_of(const int *x) { return *x; }
static inline void clear_all(int *x, int n) { while (n--) *x++ = 0; }
void peek(const void *);
void poke(void *);
int value_find(int *);
void poke_part(struct part *);
void take_part(struct part);
struct part make_part(int);
static inline void hand_on(struct part *x) { poke_part(x); }
extern int sink;
"""

UNITS = 2


class Program:
    """`random` decides everything; equal seeds give equal programs.

    Checks add declarations, fields and functions, and keep what they know to be
    true in an attribute of their own choice."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.names = {}
        self.fields = []  # (declaration, name) of struct s, in order
        self.early, self.late = [], []  # header text before and after the structs
        self.units = [[] for _ in range(UNITS)]

    def name(self, stem):
        """A name that nothing else in the program has."""
        self.names[stem] = self.names.get(stem, -1) + 1
        return f"{stem}{self.names[stem]}"

    def field(self, declaration):
        """Adds a field to both structs; `declaration` has {} for its name, which is returned."""
        name = self.name("f")
        self.fields.append((declaration.format(name), name))
        return name

    def header(self):
        body = "".join(f"  {text};\n" for text, _ in self.fields)
        return (PRELUDE + "\n".join(self.early) + f"\nstruct s {{\n{body}}};\nstruct t {{\n{body}}};\n"
                "struct outer { int before; struct s inner; int after; };\n" + "\n".join(self.late) + "\n")

    def write(self, directory):
        """Writes the sources and their compile commands; returns the units' names."""
        names = [f"unit{i}.c" for i in range(UNITS)]
        with open(os.path.join(directory, "program.h"), "w") as file:
            file.write(self.header())
        for name, blocks in zip(names, self.units):
            with open(os.path.join(directory, name), "w") as file:
                file.write('#include "program.h"\n' + "\n".join(blocks) + "\n")
        with open(os.path.join(directory, "compile_commands.json"), "w") as file:
            json.dump([{"directory": directory, "file": name,
                        "arguments": ["cc", "-O2", "-std=gnu11", "-Wno-everything", "-c", name]} for name in names], file)
        return names
