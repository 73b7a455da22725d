// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the recorder uses of QEMU's plugin interface, version 1 (QEMU 7.2 and
// later): distributions do not package its header.

#ifndef KST_PASSES_RECORDER_QEMUPLUGIN_H
#define KST_PASSES_RECORDER_QEMUPLUGIN_H

#include <cstddef>
#include <cstdint>

extern "C" {

using qemu_plugin_id_t = uint64_t;
using qemu_plugin_meminfo_t = uint32_t;
struct qemu_info_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_hwaddr;
enum {
  QEMU_PLUGIN_CB_NO_REGS = 0,
  QEMU_PLUGIN_MEM_RW = 3,
  QEMU_PLUGIN_INLINE_ADD_U64 = 0
};
using qemu_tb_callback = void (*)(qemu_plugin_id_t, qemu_plugin_tb *);
using qemu_memory_callback = void (*)(unsigned, qemu_plugin_meminfo_t, uint64_t,
                                      void *);
using qemu_exec_callback = void (*)(unsigned, void *);
using qemu_exit_callback = void (*)(qemu_plugin_id_t, void *);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t, qemu_tb_callback);
size_t qemu_plugin_tb_n_insns(const qemu_plugin_tb *);
qemu_plugin_insn *qemu_plugin_tb_get_insn(const qemu_plugin_tb *, size_t);
uint64_t qemu_plugin_insn_vaddr(const qemu_plugin_insn *);
const void *qemu_plugin_insn_data(const qemu_plugin_insn *);
size_t qemu_plugin_insn_size(const qemu_plugin_insn *);
void qemu_plugin_register_vcpu_mem_cb(qemu_plugin_insn *, qemu_memory_callback,
                                      int, int, void *);
void qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_insn *,
                                            qemu_exec_callback, int, void *);
/// In the emulated code, without a call; not atomic.
void qemu_plugin_register_vcpu_insn_exec_inline(qemu_plugin_insn *,
                                                int Operation, void *Number,
                                                uint64_t Value);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t, qemu_exit_callback,
                                    void *);
unsigned qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t);
/// Good until the callback returns.
qemu_plugin_hwaddr *qemu_plugin_get_hwaddr(qemu_plugin_meminfo_t, uint64_t);
bool qemu_plugin_hwaddr_is_io(const qemu_plugin_hwaddr *);

} // extern "C"

#endif
