// SPDX-License-Identifier: GPL-2.0-or-later
//
// A translation unit from a string: hides the virtual files and clang's
// machinery from the tests of the front end and the linker.

#pragma once

#include "analyzer/facts/FactsExtractor.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <map>
#include <string>
#include <vector>

namespace kst {

struct TestTU {
  std::string Code;
  std::string File = "main.c";
  std::string Target = "x86_64-linux-gnu";
  bool Plain = false;
  /// What earlier units taught, if anything.
  HeaderIndex *Index = nullptr;
  /// name -> contents; included as "name".
  std::map<std::string, std::string> Headers;
  std::vector<std::string> ExtraArgs;

  static TestTU withCode(std::string Code) {
    TestTU Unit;
    Unit.Code = std::move(Code);
    return Unit;
  }

  llvm::Expected<TuFacts> build() const {
    llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> Files(
        new llvm::vfs::InMemoryFileSystem);
    auto Add = [&](const std::string &Name, const std::string &Text) {
      Files->addFile("/src/" + Name, 0,
                     llvm::MemoryBuffer::getMemBufferCopy(Text, Name));
    };
    Add(File, Code);
    for (const auto &[Name, Text] : Headers)
      Add(Name, Text);
    Files->setCurrentWorkingDirectory("/src");
    ExtractRequest Request;
    Request.SourceRoot = "/src";
    Request.Directory = "/src";
    Request.Plain = Plain;
    Request.Headers = Index;
    Request.Args = {"--target=" + Target, "-nostdinc", "-std=gnu11", "-O2"};
    Request.Args.insert(Request.Args.end(), ExtraArgs.begin(), ExtraArgs.end());
    Request.Args.push_back("/src/" + File);
    return extractFacts(Request, Files);
  }
};

/// What the kernel's headers give: the macros that the front end must see
/// through, written anew with the same structure.
inline const char *kernelLike() {
  return R"c(
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define READ_ONCE(x) (*(const volatile typeof(x) *)&(x))
#define WRITE_ONCE(x, v) do { *(volatile typeof(x) *)&(x) = (v); } while (0)
#define offsetof(T, m) __builtin_offsetof(T, m)
#define container_of(p, T, m) ({ void *__m = (void *)(p); ((T *)(__m - offsetof(T, m))); })
#define __percpu_section __attribute__((section(".data..percpu")))
#define RELOC_HIDE(p, off) ({ unsigned long __ptr; __ptr = (unsigned long)(p); (typeof(p))(__ptr + (off)); })
extern unsigned long __per_cpu_offset[64];
extern unsigned long this_cpu_off __percpu_section;
#define per_cpu_ptr(p, cpu) RELOC_HIDE((typeof(*(p)) *)(p), __per_cpu_offset[cpu])
#define this_cpu_ptr(p) ({ unsigned long tcp_ptr__ = ({ unsigned long v__; asm("movq %%gs:%1, %0" : "=r"(v__) : "m"(*(typeof(this_cpu_off) *)(unsigned long)&this_cpu_off)); v__; }); tcp_ptr__ += (unsigned long)(p); (typeof(*(p)) *)tcp_ptr__; })
typedef struct { int counter; } atomic_t;
static inline void atomic_inc(atomic_t *v) { asm volatile("lock; incl %0" : "+m"(v->counter)); }
static inline int atomic_read(const atomic_t *v) { return READ_ONCE(v->counter); }
typedef struct raw_spinlock { int raw; } raw_spinlock_t;
void _raw_spin_lock(raw_spinlock_t *lock);
void _raw_spin_unlock(raw_spinlock_t *lock);
struct list_head { struct list_head *next, *prev; };
static inline void list_add(struct list_head *n, struct list_head *head) {
  struct list_head *next = head->next;
  next->prev = n; n->next = next; n->prev = head; WRITE_ONCE(head->next, n);
}
unsigned int next_cpu(int cpu);
#define for_each_cpu(cpu) for ((cpu) = 0; (cpu) = next_cpu(cpu), (cpu) < 64; (cpu)++)
)c";
}

} // namespace kst
