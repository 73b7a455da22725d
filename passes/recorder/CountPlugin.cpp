// SPDX-License-Identifier: GPL-2.0-or-later
//
// A plugin of QEMU's TCG that counts how often each instruction of the kernel
// runs; that of programs runs as without it. Arguments: counts=FILE, to write;
// code=BEGIN-END, of the kernel's image; window=BEGIN-END, instructions: count
// from the first execution of one to the next of the other. Addresses are
// hexadecimal. Needs all CPUs in one thread: increments are not atomic.

#include "passes/recorder/ExecutionCounts.h"
#include "passes/recorder/QemuPlugin.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace kst;

#define KST_EXPORT extern "C" __attribute__((visibility("default")))
KST_EXPORT int qemu_plugin_version;
int qemu_plugin_version = 1;

namespace {

/// Half of the address space, which programs do not have.
constexpr uint64_t KernelSpace = uint64_t(1) << 63;

struct Counting {
  ExecutionCounts Counts;
  std::string File;
  AddressRange Window; ///< first and last instruction; 0: all of it
  bool Begun = false, Written = false;

  void write() {
    if (Written || (Window.Begin && !Begun))
      return;
    Written = true;
    if (!Counts.write(File))
      fprintf(stderr, "recorder: %s: cannot be written\n", File.c_str());
  }
};

/// QEMU's callbacks know only numbers: the one of this process.
Counting *Instance;

void onBegin(unsigned, void *) {
  if (Instance->Begun)
    return;
  Instance->Begun = true;
  Instance->Counts.clear();
}

void onStop(unsigned, void *) {
  if (Instance->Begun)
    Instance->write();
}

void onTranslation(qemu_plugin_id_t, qemu_plugin_tb *Block) {
  const AddressRange &Window = Instance->Window;
  for (size_t I = 0, N = qemu_plugin_tb_n_insns(Block); I < N; ++I) {
    qemu_plugin_insn *At = qemu_plugin_tb_get_insn(Block, I);
    uint64_t Pc = qemu_plugin_insn_vaddr(At);
    // QEMU increments behind these calls: the first instruction counts, the
    // last does not.
    if (Pc == Window.Begin && Pc)
      qemu_plugin_register_vcpu_insn_exec_cb(At, onBegin,
                                             QEMU_PLUGIN_CB_NO_REGS, nullptr);
    if (Pc == Window.End && Pc)
      qemu_plugin_register_vcpu_insn_exec_cb(At, onStop, QEMU_PLUGIN_CB_NO_REGS,
                                             nullptr);
    if (Pc < KernelSpace)
      continue;
    // A repeated instruction jumps back to itself, which makes it a block.
    size_t Bytes = qemu_plugin_insn_size(At);
    auto *Code = static_cast<const uint8_t *>(qemu_plugin_insn_data(At));
    uint64_t *Number = I == 0 && repeats(Code, Bytes)
                           ? Instance->Counts.rounds(Pc, Bytes)
                           : Instance->Counts.at(Pc);
    qemu_plugin_register_vcpu_insn_exec_inline(At, QEMU_PLUGIN_INLINE_ADD_U64,
                                               Number, 1);
  }
}

void onEnd(qemu_plugin_id_t, void *) { Instance->write(); }

bool readRange(const char *Text, AddressRange &To) {
  char *Dash, *End;
  To.Begin = strtoull(Text, &Dash, 16);
  if (*Dash != '-')
    return false;
  To.End = strtoull(Dash + 1, &End, 16);
  return !*End && To.End > 0;
}

} // namespace

KST_EXPORT int qemu_plugin_install(qemu_plugin_id_t Id, const qemu_info_t *,
                                   int Count, char **Arguments) {
  AddressRange Code;
  Instance = new Counting; // as long as the process: QEMU never unloads it
  for (int I = 0; I < Count; ++I) {
    const char *Argument = Arguments[I];
    if (!strncmp(Argument, "counts=", 7))
      Instance->File = Argument + 7;
    else if (!(!strncmp(Argument, "code=", 5) &&
               readRange(Argument + 5, Code)) &&
             !(!strncmp(Argument, "window=", 7) &&
               readRange(Argument + 7, Instance->Window))) {
      fprintf(stderr, "recorder: not understood: %s\n", Argument);
      return 1;
    }
  }
  if (Instance->File.empty() || Code.Begin >= Code.End ||
      !Instance->Counts.map(Code)) {
    fprintf(stderr, "recorder: counts= and code= are needed, and memory\n");
    return 1;
  }
  qemu_plugin_register_vcpu_tb_trans_cb(Id, onTranslation);
  qemu_plugin_register_atexit_cb(Id, onEnd, nullptr);
  return 0;
}
