# SPDX-License-Identifier: GPL-2.0-or-later
"""Ways to make an object, to show it to others and to free it: C text.

In a text, `P` is the pointer to struct ob, `V` an int variable. PRELUDE has the
kernel's functions that the texts need, written anew with the same structure."""

PRELUDE = r"""
typedef unsigned gfp_t;
struct kmem_cache;
void *kmalloc(size_t, gfp_t);
void *kzalloc(size_t, gfp_t);
void *kcalloc(size_t, size_t, gfp_t);
void *kmem_cache_alloc(struct kmem_cache *, gfp_t);
void *kmem_cache_zalloc(struct kmem_cache *, gfp_t);
void *malloc(size_t);
void *calloc(size_t, size_t);
void kfree(const void *);
void kvfree(const void *);
void free(void *);
void kmem_cache_free(struct kmem_cache *, void *);
extern struct kmem_cache *ob_cache;
#define ENOMEM 12
static inline void *ERR_PTR(long error) { return (void *)error; }
static inline long PTR_ERR(const void *p) { return (long)p; }
static inline _Bool IS_ERR(const void *p) { return unlikely((unsigned long)p >= (unsigned long)-4095); }

struct rcu_head { struct rcu_head *next; void (*func)(struct rcu_head *); };
void call_rcu(struct rcu_head *, void (*)(struct rcu_head *));
void kvfree_call_rcu(struct rcu_head *, void *);
#define kfree_rcu(p, m) kvfree_call_rcu(&(p)->m, (void *)(p))
typedef struct { atomic_t refs; } refcount_t;
static inline _Bool refcount_dec_and_test(refcount_t *r) { return atomic_dec_and_test(&r->refs); }
struct kref { refcount_t refcount; };
static inline int kref_put(struct kref *kref, void (*release)(struct kref *)) {
  if (refcount_dec_and_test(&kref->refcount)) { release(kref); return 1; }
  return 0;
}
struct kobject { int n; };
struct kobj_type { int n; void (*release)(struct kobject *); };

struct hlist_node { struct hlist_node *next, **pprev; };
struct hlist_head { struct hlist_node *first; };
static inline void hlist_add_head(struct hlist_node *n, struct hlist_head *h) {
  struct hlist_node *first = h->first;
  WRITE_ONCE(n->next, first);
  if (first) WRITE_ONCE(first->pprev, &n->next);
  WRITE_ONCE(h->first, n);
  WRITE_ONCE(n->pprev, &h->first);
}
static inline void hlist_del(struct hlist_node *n) {
  struct hlist_node *next = n->next, **pprev = n->pprev;
  WRITE_ONCE(*pprev, next);
  if (next) WRITE_ONCE(next->pprev, pprev);
}
static inline void list_add_tail(struct list_head *new, struct list_head *head) { __list_add(new, head->prev, head); }
static inline void list_move(struct list_head *list, struct list_head *head) { list_del(list); list_add(list, head); }
static inline void list_splice(struct list_head *list, struct list_head *head) {
  struct list_head *first = list->next, *last = list->prev, *at = head->next;
  if (list->next == list) return;
  first->prev = head; head->next = first; last->next = at; at->prev = last;
}
struct xarray { int n; };
int xa_insert(struct xarray *, unsigned long, void *, gfp_t);
void *xa_store(struct xarray *, unsigned long, void *, gfp_t);
void *xa_erase(struct xarray *, unsigned long);
struct mutex { int n; };
void mutex_lock(struct mutex *);
void mutex_unlock(struct mutex *);
struct rw_semaphore { int n; };
void down_write(struct rw_semaphore *);
void up_write(struct rw_semaphore *);
void rtnl_lock(void);
int rtnl_trylock(void);
void rtnl_unlock(void);
int rtnl_is_locked(void);
void cpus_write_lock(void);
void cpus_write_unlock(void);
struct notifier_block { int (*notifier_call)(struct notifier_block *, unsigned long, void *); int n; };
typedef unsigned long pthread_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
extern struct mutex slab_mutex, ob_mutex;
extern struct rw_semaphore pernet_ops_rwsem;
extern int failing(int);
"""

# Behind struct ob.
AFTER = r"""
struct ob_box { int n; struct ob *held; };
struct ob_frame { long n; struct ob inner; };
struct ob_ops { int n; void (*add)(struct ob *); };

extern struct list_head ob_list, ob_other;
extern struct hlist_head ob_hash[16];
extern struct xarray ob_xa;
extern struct ob *ob_shared, *ob_table[16];
extern struct ob_box *ob_boxes, ob_slots[8];
extern int *ob_part;
extern unsigned long ob_numbers[16];
struct ob *find_ob(int);
void register_ob(struct ob *);
void frob_ob(struct ob *);
"""

# Expressions that make an object.
ALLOCATORS = {
    "kmalloc": "kmalloc(sizeof(struct ob), 0)", "kzalloc": "kzalloc(sizeof(*p), 0)", "kcalloc": "kcalloc(1, sizeof(struct ob), 0)",
    "kmem_cache_alloc": "kmem_cache_alloc(ob_cache, 0)", "kmem_cache_zalloc": "kmem_cache_zalloc(ob_cache, 0)",
    "malloc": "malloc(sizeof(struct ob))", "calloc": "calloc(1, sizeof(*p))",
}

# Statements after which others find the object.
PUBLICATIONS = [
    ("store to a global", "ob_shared = P;"), ("store to a global", "WRITE_ONCE(ob_shared, P);"),
    ("store to a global", "ob_table[V & 15] = P;"), ("store to a global", "{ static struct ob *last; last = P; }"),
    ("store to a global", "{ struct ob **at = &ob_table[V & 7]; *at = P; }"),
    ("store to a global", "ob_boxes->held = P;"),
    ("release or RCU store", "rcu_assign_pointer(ob_shared, P);"), ("release or RCU store", "smp_store_release(&ob_table[1], P);"),
    ("atomic builtin", "__atomic_store_n(&ob_shared, P, 3);"), ("atomic builtin", "__sync_bool_compare_and_swap(&ob_shared, 0, P);"),
    ("atomic builtin", "__atomic_exchange_n(&ob_shared, P, 4);"),
    ("asm", '{ struct ob *old = P; asm volatile("xchg %0, %1" : "+r"(old), "+m"(ob_shared)); }'),
    ("list", "list_add(&P->link, &ob_list);"), ("list", "list_add_tail(&P->link, &ob_list);"),
    ("hash", "hlist_add_head(&P->node, &ob_hash[V & 15]);"), ("hash", "P->next = ob_table[V & 15]; ob_table[V & 15] = P;"),
    ("index", "xa_store(&ob_xa, V, P, 0);"), ("index", "if (xa_insert(&ob_xa, V, P, 0)) return;"),
    ("registration", "register_ob(P);"),
    ("address of a part", "ob_part = &P->id;"),
    ("in another object", "{ struct ob_box *b = kmalloc(sizeof(*b), 0); b->held = P; ob_boxes = b; }"),
    ("in another object", "find_ob(V)->next = P;"),
    ("in a structure", "{ struct ob_box b = {1, P}; ob_slots[V & 7] = b; }"),
    ("in a structure", "ob_slots[V & 7] = (struct ob_box){.held = P};"),
    ("on one way", "if (V > 2) ob_shared = P;"), ("on one way", "if (unlikely(V == 5)) list_add(&P->link, &ob_list);"),
    ("by another name", "{ struct ob *q = P; ob_shared = q; }"),
    ("by another name", "{ struct ob *q = V ? P : 0; if (q) ob_shared = q; }"),
    ("by another name", "{ struct ob_box b; b.held = P; ob_shared = b.held; }"),
    ("through a local list", "{ struct list_head l; l.next = l.prev = &l; list_add(&P->link, &l); list_splice(&l, &ob_list); }"),
]

# Statements after which nobody else finds an object that others found.
REMOVALS = ["list_del(&P->link);", "hlist_del(&P->node);", "xa_erase(&ob_xa, P->id);", "ob_shared = 0;", "ob_table[V & 15] = 0;"]

FREES = {
    "kfree": "kfree(P);", "kvfree": "kvfree(P);", "free": "free(P);", "kmem_cache_free": "kmem_cache_free(ob_cache, P);",
    "kfree_rcu": "kfree_rcu(P, rcu);",
}

# Beginning and end of a stretch of configuration.
LOCKS = [("rtnl_lock();", "rtnl_unlock();"), ("mutex_lock(&slab_mutex);", "mutex_unlock(&slab_mutex);"),
         ("down_write(&pernet_ops_rwsem);", "up_write(&pernet_ops_rwsem);"), ("cpus_write_lock();", "cpus_write_unlock();")]
