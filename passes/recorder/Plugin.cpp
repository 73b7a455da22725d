// SPDX-License-Identifier: GPL-2.0-or-later
//
// The recorder as a plugin of QEMU's TCG. Arguments: dir=DIRECTORY, which has
// the settings and gets the recording; ram=FILE, the guest's memory.

#include "passes/recorder/QemuPlugin.h"
#include "passes/recorder/Recorder.h"

#include <cstdio>
#include <cstring>

using namespace kst;

#define KST_EXPORT extern "C" __attribute__((visibility("default")))
KST_EXPORT int qemu_plugin_version;
int qemu_plugin_version = 1;

namespace {

/// QEMU's callbacks know only numbers: the one recorder of this process.
Recorder *Instance;
/// The instruction behind the call of the system call's C part.
uint64_t CallReturn;

/// Registers of a device, which no cache holds. They are mapped behind the
/// direct map.
bool isDevice(qemu_plugin_meminfo_t Info, uint64_t Address) {
  constexpr uint64_t DirectMapEnd = 0xffffc88000000000;
  if (Address < DirectMapEnd || Address - Guest::ImageBase < Guest::ImageBytes)
    return false;
  const qemu_plugin_hwaddr *Where = qemu_plugin_get_hwaddr(Info, Address);
  return Where && qemu_plugin_hwaddr_is_io(Where);
}

void onAccess(unsigned Cpu, qemu_plugin_meminfo_t Info, uint64_t Address,
              void *Site) {
  if (Cpu >= Recorder::MostCpus || isDevice(Info, Address))
    return;
  // QEMU keeps load and store as bits here; its API tells only the second.
  uint8_t Kind = Info >> 16 & 3;
  if (!Kind)
    Kind = qemu_plugin_mem_is_store(Info) ? AccessStore : AccessLoad;
  Instance->access(Cpu, Kind, 1u << qemu_plugin_mem_size_shift(Info), Address,
                   RecordedSite::of(Site));
}

template <void (Recorder::*Method)(unsigned)>
void onExec(unsigned Cpu, void *) {
  if (Cpu < Recorder::MostCpus)
    (Instance->*Method)(Cpu);
}

void onEvent(unsigned Cpu, void *Event) {
  if (Cpu < Recorder::MostCpus)
    Instance->enterTracing(Cpu, *static_cast<const KernelEvent *>(Event));
}

void atExec(qemu_plugin_insn *At, qemu_exec_callback Call,
            const void *Data = nullptr) {
  qemu_plugin_register_vcpu_insn_exec_cb(At, Call, QEMU_PLUGIN_CB_NO_REGS,
                                         const_cast<void *>(Data));
}

/// Where the assembly that a system call enters calls its C part.
void findCallReturn(const RecorderSettings &S, qemu_plugin_insn *At,
                    uint64_t Pc) {
  auto *Code = static_cast<const unsigned char *>(qemu_plugin_insn_data(At));
  size_t Size = qemu_plugin_insn_size(At);
  int32_t Offset;
  if (Size != 5 || Code[0] != 0xe8)
    return;
  memcpy(&Offset, Code + 1, sizeof(Offset));
  if (Pc + Size + static_cast<int64_t>(Offset) == S.CallEntry)
    CallReturn = Pc + Size;
}

void onTranslation(qemu_plugin_id_t, qemu_plugin_tb *Block) {
  const RecorderSettings &S = Instance->settings();
  for (size_t I = 0, N = qemu_plugin_tb_n_insns(Block); I < N; ++I) {
    qemu_plugin_insn *At = qemu_plugin_tb_get_insn(Block, I);
    uint64_t Pc = qemu_plugin_insn_vaddr(At);
    if (Pc == S.Window.Begin)
      atExec(At, onExec<&Recorder::begin>);
    if (Pc == S.Window.End)
      atExec(At, onExec<&Recorder::end>);
    if (Pc < Guest::ImageBase)
      continue;
    if (S.CallEntry && Pc - S.CallAssembly < S.CallAssemblyEnd - S.CallAssembly)
      findCallReturn(S, At, Pc);
    if (Pc == S.CallEntry)
      atExec(At, onExec<&Recorder::enterCall>);
    if (Pc == CallReturn && Pc)
      atExec(At, onExec<&Recorder::leaveCall>);
    if (Pc && (Pc == S.BulkAlloc.Begin || Pc == S.PageBulk.Begin))
      atExec(At, onExec<&Recorder::enterBulk>);
    if (Pc == S.Commit)
      atExec(At, onExec<&Recorder::commit>);
    for (const KernelEvent &E : S.Events)
      if (Pc == E.Begin) {
        atExec(At, onEvent, &E);
        break;
      }
    qemu_plugin_register_vcpu_mem_cb(At, onAccess, QEMU_PLUGIN_CB_NO_REGS,
                                     QEMU_PLUGIN_MEM_RW,
                                     Instance->site(Pc).word());
  }
}

void onEnd(qemu_plugin_id_t, void *) { Instance->finish(); }

} // namespace

KST_EXPORT int qemu_plugin_install(qemu_plugin_id_t Id, const qemu_info_t *,
                                   int Count, char **Arguments) {
  std::string Directory, Ram, Wrong = "dir= and ram= are needed";
  for (int I = 0; I < Count; ++I)
    if (!strncmp(Arguments[I], "dir=", 4))
      Directory = Arguments[I] + 4;
    else if (!strncmp(Arguments[I], "ram=", 4))
      Ram = Arguments[I] + 4;
  Instance = new Recorder; // as long as the process: QEMU never unloads it
  if (Directory.empty() || Ram.empty() ||
      !Instance->start(Directory, Ram, Wrong)) {
    fprintf(stderr, "recorder: %s\n", Wrong.c_str());
    return 1;
  }
  qemu_plugin_register_vcpu_tb_trans_cb(Id, onTranslation);
  qemu_plugin_register_atexit_cb(Id, onEnd, nullptr);
  return 0;
}
