// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/vocabulary/LifetimeNames.h"

#include <algorithm>

namespace kst {

namespace {

using enum LifetimeRole;

/// Sorted by name.
constexpr LifetimeName Names[] = {
    // Sources: include/linux/{slab,vmalloc,percpu,gfp,mempool,memblock}.h,
    // include/linux/{list,rculist,rcupdate,srcu,kref,xarray,idr}.h,
    // lib/rbtree.c, fs/file.c, include/linux/{workqueue,kthread}.h; C11 7.22.3,
    // 7.26.5 and POSIX for programs.
    {"add_timer", Publishes, 0},
    {"aligned_alloc", Allocates},
    {"alloc_pages", Allocates},
    {"alloc_percpu", AllocatesCleared},
    {"call_rcu", Dying, 0, 1},
    {"call_rcu", Frees, 0},
    {"call_rcu_hurry", Dying, 0, 1},
    {"call_rcu_hurry", Frees, 0},
    {"call_srcu", Dying, 1, 2},
    {"call_srcu", Frees, 1},
    {"calloc", AllocatesCleared},
    {"devm_kcalloc", AllocatesCleared},
    {"devm_kfree", Frees, 1},
    {"devm_kmalloc", Allocates},
    {"devm_kzalloc", AllocatesCleared},
    {"fd_install", Publishes, 1},
    {"folio_alloc", Allocates},
    {"free", Frees, 0},
    {"free_page", Frees, 0},
    {"free_pages", Frees, 0},
    {"free_percpu", Frees, 0},
    {"get_free_page", Allocates},
    {"get_free_pages", Allocates},
    {"get_zeroed_page", AllocatesCleared},
    {"hlist_add_before", Attaches, 0, 1},
    {"hlist_add_before_rcu", Attaches, 0, 1},
    {"hlist_add_behind", Attaches, 0, 1},
    {"hlist_add_behind_rcu", Attaches, 0, 1},
    {"hlist_add_head", Attaches, 0, 1},
    {"hlist_add_head_rcu", Attaches, 0, 1},
    {"hlist_add_tail_rcu", Attaches, 0, 1},
    {"hlist_bl_add_head", Attaches, 0, 1},
    {"hlist_bl_add_head_rcu", Attaches, 0, 1},
    {"hlist_nulls_add_head", Attaches, 0, 1},
    {"hlist_nulls_add_head_rcu", Attaches, 0, 1},
    {"idr_alloc", Attaches, 1, 0},
    {"idr_alloc_cyclic", Attaches, 1, 0},
    {"idr_alloc_u32", Attaches, 1, 0},
    {"idr_replace", Attaches, 1, 0},
    {"kcalloc", AllocatesCleared},
    {"kfree", Frees, 0},
    {"kfree_const", Frees, 0},
    {"kfree_sensitive", Frees, 0},
    {"kmalloc", Allocates},
    {"kmalloc_array", Allocates},
    {"kmem_cache_alloc", Allocates},
    {"kmem_cache_alloc_lru", Allocates},
    {"kmem_cache_free", Frees, 1},
    {"kmem_cache_zalloc", AllocatesCleared},
    {"kmemdup", Allocates},
    {"kref_put", Dying, 0, 1},
    {"kref_put_lock", Dying, 0, 1},
    {"kref_put_mutex", Dying, 0, 1},
    {"kstrdup", Allocates},
    {"kthread_create_on_cpu", Publishes, 1},
    {"kthread_create_on_node", Publishes, 1},
    {"kvcalloc", AllocatesCleared},
    {"kvfree", Frees, 0},
    {"kvfree_call_rcu", Frees, 1},
    {"kvmalloc", Allocates},
    {"kvmalloc_array", Allocates},
    {"kvzalloc", AllocatesCleared},
    {"kzalloc", AllocatesCleared},
    {"list_add", Attaches, 0, 1},
    {"list_add_rcu", Attaches, 0, 1},
    {"list_add_tail", Attaches, 0, 1},
    {"list_add_tail_rcu", Attaches, 0, 1},
    {"list_move", Attaches, 0, 1},
    {"list_move_tail", Attaches, 0, 1},
    {"list_splice", Moves, 0, 1},
    {"list_splice_init", Moves, 0, 1},
    {"list_splice_tail", Moves, 0, 1},
    {"list_splice_tail_init", Moves, 0, 1},
    {"lockdep_init_map_type", Keeps},
    {"malloc", Allocates},
    {"memalign", Allocates},
    {"memblock_alloc", AllocatesCleared},
    {"mempool_alloc", Allocates},
    {"mempool_free", Frees, 0},
    {"mod_timer", Publishes, 0},
    {"mutex_init", Keeps},
    {"pcpu_alloc", AllocatesCleared},
    {"pthread_create", Publishes, 3},
    {"queue_delayed_work_on", Publishes, 2},
    {"queue_work_on", Publishes, 2},
    {"rb_insert_color", Publishes, 0},
    {"rb_link_node", Attaches, 0, 1},
    {"rb_link_node_rcu", Attaches, 0, 1},
    {"strdup", Allocates},
    {"strndup", Allocates},
    {"thrd_create", Publishes, 2},
    {"vfree", Frees, 0},
    {"vmalloc", Allocates},
    {"vzalloc", AllocatesCleared},
    {"wake_up_new_task", Publishes, 0},
    {"wake_up_process", Publishes, 0},
    {"xa_insert", Attaches, 2, 0},
    {"xa_store", Attaches, 2, 0},
};

static_assert(std::ranges::is_sorted(Names, {}, &LifetimeName::Function));

constexpr std::string_view PublishingWords[] = {
    "add",     "insert", "register", "enqueue", "queue",    "publish",
    "install", "link",   "attach",   "assign",  "schedule", "submit",
    "send",    "xmit",   "start",    "deliver", "hash",     "splice"};

constexpr std::string_view AllocatingWords[] = {"alloc", "zalloc"};

/// include/linux/{kobject,device,fs,dcache,slab}.h, include/linux/class.h.
constexpr LifetimeCallback Callbacks[] = {
    {"kobj_type", "release", 0, true},
    {"device", "release", 0, true},
    {"device_type", "release", 0, true},
    {"class", "dev_release", 0, true},
    {"super_operations", "evict_inode", 0, true},
    {"super_operations", "destroy_inode", 0, true},
    {"super_operations", "free_inode", 0, true},
    {"dentry_operations", "d_release", 0, true},
    {"file_operations", "release", 1, true},
    {"kmem_cache_args", "ctor", 0, false},
    {"kmem_cache", "ctor", 0, false},
};

struct Mark {
  std::string_view Function;
  ConfigurationMark What;
};

/// include/linux/{rtnetlink,cpu,cpuhplock,blk-mq,stop_machine,jump_label}.h,
/// block/{blk-mq,elevator}.c, kernel/module.
constexpr Mark Marks[] = {
    {"rtnl_lock", ConfigurationMark::Begins},
    {"rtnl_lock_killable", ConfigurationMark::Begins},
    {"rtnl_trylock", ConfigurationMark::Tries},
    {"rtnl_unlock", ConfigurationMark::Ends},
    {"rtnl_is_locked", ConfigurationMark::Checked},
    {"cpus_write_lock", ConfigurationMark::Begins},
    {"cpus_write_unlock", ConfigurationMark::Ends},
    {"blk_mq_freeze_queue", ConfigurationMark::Begins},
    {"blk_mq_unfreeze_queue", ConfigurationMark::Ends},
    {"blk_mq_quiesce_queue", ConfigurationMark::Begins},
    {"blk_mq_unquiesce_queue", ConfigurationMark::Ends},
    {"cgroup_lock", ConfigurationMark::Begins},
    {"cgroup_unlock", ConfigurationMark::Ends},
    {"sched_domains_mutex_lock", ConfigurationMark::Begins},
    {"sched_domains_mutex_unlock", ConfigurationMark::Ends},
    {"jump_label_lock", ConfigurationMark::Begins},
    {"jump_label_unlock", ConfigurationMark::Ends},
};

constexpr Mark LockMarks[] = {
    {"mutex_lock", ConfigurationMark::Begins},
    {"mutex_lock_nested", ConfigurationMark::Begins},
    {"mutex_lock_interruptible", ConfigurationMark::Begins},
    {"mutex_lock_killable", ConfigurationMark::Begins},
    {"mutex_trylock", ConfigurationMark::Tries},
    {"mutex_unlock", ConfigurationMark::Ends},
    {"down_write_trylock", ConfigurationMark::Tries},
    {"down_write", ConfigurationMark::Begins},
    {"up_write", ConfigurationMark::Ends},
    {"percpu_down_write", ConfigurationMark::Begins},
    {"percpu_up_write", ConfigurationMark::Ends},
};

/// mm/slab_common.c, net/core/{rtnetlink,net_namespace}.c, block/, kernel/.
constexpr std::string_view Locks[] = {
    "slab_mutex",       "rtnl_mutex",        "pernet_ops_rwsem",
    "cpu_hotplug_lock", "module_mutex",      "text_mutex",
    "cgroup_mutex",     "cpuset_mutex",      "sched_domains_mutex",
    "sysfs_lock",       "sysfs_dir_lock",    "tag_list_lock",
    "elevator_lock",    "param_lock",        "memory_hotplug_lock",
    "mem_hotplug_lock", "devnet_rename_sem", "cpu_add_remove_lock",
    "limits_lock",      "debugfs_mutex"};

/// include/linux/{netlink,fs_context,sysctl,moduleparam}.h, net/genetlink.h.
constexpr std::string_view Requests[] = {"netlink_ext_ack", "netlink_callback",
                                         "genl_info",       "fs_context",
                                         "ctl_table",       "kernel_param"};

std::string_view withoutSuffix(std::string_view Name, std::string_view Suffix) {
  if (Name.ends_with(Suffix))
    Name.remove_suffix(Suffix.size());
  return Name;
}

template <typename Rows>
bool hasWord(std::string_view Name, const Rows &Words) {
  for (;;) {
    size_t End = Name.find('_');
    if (std::ranges::find(Words, Name.substr(0, End)) != std::end(Words))
      return true;
    if (End == Name.npos)
      return false;
    Name.remove_prefix(End + 1);
  }
}

template <typename Rows>
ConfigurationMark markIn(const Rows &Table, std::string_view Function) {
  for (const Mark &Known : Table)
    if (Known.Function == Function)
      return Known.What;
  return ConfigurationMark::None;
}

} // namespace

std::span<const LifetimeName> lifetimeRoles(std::string_view Function) {
  auto Known = [](std::string_view Name) -> std::span<const LifetimeName> {
    auto [Begin, End] =
        std::ranges::equal_range(Names, Name, {}, &LifetimeName::Function);
    return {Begin, End};
  };
  if (size_t First = Function.find_first_not_of('_'); First != Function.npos)
    Function.remove_prefix(First);
  if (auto Roles = Known(Function); !Roles.empty())
    return Roles;
  Function = withoutSuffix(Function, "_noprof");
  Function = withoutSuffix(Function, "_track_caller");
  return Known(withoutSuffix(Function, "_node"));
}

bool isErrorPointer(std::string_view Function) {
  return Function == "ERR_PTR" || Function == "ERR_CAST";
}

bool soundsLikeAllocating(std::string_view Function) {
  return hasWord(Function, AllocatingWords);
}

bool soundsLikePublishing(std::string_view Function) {
  return hasWord(Function, PublishingWords);
}

std::span<const LifetimeCallback> lifetimeCallbacks() { return Callbacks; }

ConfigurationMark configurationMark(std::string_view Function) {
  return markIn(Marks, Function);
}

ConfigurationMark lockMark(std::string_view Function) {
  return markIn(LockMarks, Function);
}

bool isConfigurationLock(std::string_view Name) {
  return std::ranges::find(Locks, Name) != std::end(Locks);
}

bool isConfigurationRequest(std::string_view Record) {
  return std::ranges::find(Requests, Record) != std::end(Requests);
}

} // namespace kst
