// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/RecordFilters.h"

#include "hybrid/core/EditDistance.h"
#include "hybrid/pipeline/AllocatingCalls.h"
#include "hybrid/trace/Trace.h"
#include "passes/readers/DebugFacts.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace kst {
namespace {

using llvm::StringRef;

/// Among --pointers: every one between slab objects and page structs.
constexpr StringRef AllPointers = "all";

/// START or STOP of a window, or an end of a range.
llvm::Expected<uint64_t> addressOf(const KernelImage &Image, StringRef Text) {
  uint64_t Address;
  if (Text.starts_with("0x") && !Text.getAsInteger(0, Address))
    return Address;
  if (auto Symbol = Image.symbol(Text.str()))
    return Symbol->Address;
  return usageError(Image.file() + " has no symbol " + Text);
}

class Filters {
public:
  Filters(const RecordRequest &Asked, const KernelImage &Image,
          RecorderSettings &S)
      : Asked(Asked), Image(Image), S(S) {}

  static llvm::Error withoutKernel(const RecordRequest &Asked,
                                   RecorderSettings &S) {
    for (auto Step : {sample, contexts})
      if (llvm::Error E = Step(Asked, S))
        return E;
    return llvm::Error::success();
  }

  llvm::Error run() {
    S.Filter = !Asked.Types.empty() || !Asked.Addresses.empty();
    if (llvm::Error E = withoutKernel(Asked, S))
      return E;
    for (auto Step : {&Filters::window, &Filters::addresses, &Filters::types,
                      &Filters::pointers})
      if (llvm::Error E = (this->*Step)())
        return E;
    return llvm::Error::success();
  }

private:
  llvm::Error window() {
    auto Range = windowOf(Asked.Window, Image);
    if (!Range)
      return Range.takeError();
    S.Window = *Range;
    return llvm::Error::success();
  }

  static llvm::Error sample(const RecordRequest &Asked, RecorderSettings &S) {
    if (Asked.Sample.empty())
      return llvm::Error::success();
    auto [Taken, Of] = StringRef(Asked.Sample).split('/');
    if (Taken.getAsInteger(10, S.SampleTaken) ||
        Of.getAsInteger(10, S.SampleOf) || !S.SampleTaken ||
        S.SampleTaken > S.SampleOf)
      return usageError("--sample takes N/M, 1 <= N <= M");
    return llvm::Error::success();
  }

  static llvm::Error contexts(const RecordRequest &Asked, RecorderSettings &S) {
    if (Asked.Contexts.empty())
      return llvm::Error::success();
    S.Contexts = 0;
    for (const std::string &Name : Asked.Contexts) {
      int Kind = llvm::StringSwitch<int>(Name)
                     .Case("task", static_cast<int>(ContextKind::Task))
                     .Case("softirq", static_cast<int>(ContextKind::Softirq))
                     .Case("hardirq", static_cast<int>(ContextKind::Hardirq))
                     .Case("nmi", static_cast<int>(ContextKind::Nmi))
                     .Case("call", static_cast<int>(ContextKind::SystemCall))
                     .Default(-1);
      if (Kind < 0)
        return usageError("--context " + Name +
                          ": none of task, softirq, hardirq, nmi, call");
      S.Contexts |= uint64_t(1) << Kind;
    }
    return llvm::Error::success();
  }

  llvm::Error addresses() {
    for (StringRef Text : Asked.Addresses) {
      if (auto Symbol = Image.symbol(Text.str())) {
        want(Symbol->Address, std::max<uint64_t>(Symbol->SizeBytes, 1));
        continue;
      }
      auto [First, Last] = Text.split('-');
      AddressRange R;
      if (First.getAsInteger(0, R.Begin) || Last.getAsInteger(0, R.End) ||
          R.Begin >= R.End)
        return usageError("--address " + Text +
                          ": neither a variable nor BEGIN-END");
      S.Wanted.push_back(R);
    }
    return llvm::Error::success();
  }

  llvm::Error types() {
    if (Asked.Types.empty())
      return llvm::Error::success();
    DebugQuestion Question;
    Question.Variables = true;
    std::set<std::string> Structs;
    for (StringRef Type : Asked.Types)
      if (!Type.contains('@'))
        Structs.insert(Type.str());
    auto Facts = debugFacts(Image.file(), Question);
    if (!Facts)
      return Facts.takeError();
    auto Calls = allocatingCalls(Image, kernelAllocators(), Structs);
    if (!Calls)
      return Calls.takeError();
    for (StringRef Type : Asked.Types) {
      auto [Allocator, Function] = Type.split('@');
      if (!Function.empty()) {
        auto Code = Image.symbol(Function.str());
        if (!Code)
          return usageError("--type " + Type + ": " + Image.file() +
                            " has no function " + Function +
                            "; if it is inlined, name the one that it is in");
        S.WantedSites.push_back(
            {{Code->Address, Code->Address + Code->SizeBytes}});
        continue;
      }
      S.WantedCaches.push_back(Type.str());
      bool Known = Image.hasName(Type.str());
      for (const AllocatingCall &Call : (*Calls)[Type.str()]) {
        Known = true;
        S.WantedSites.push_back({{Call.ReturnAddress, Call.ReturnAddress + 1},
                                 Call.LeastBytes,
                                 Call.MostBytes,
                                 Call.FromCache});
      }
      for (const DebugVariable &V : Facts->Variables)
        if (V.Struct == Type) {
          Known = true;
          want(V.Address, V.SizeBytes * V.Number);
        }
      if (!Known)
        return unknownType(Type.str(), *Facts);
    }
    return llvm::Error::success();
  }

  llvm::Error unknownType(const std::string &Type,
                          const DebugFacts &Facts) const {
    constexpr unsigned Farthest = 3;
    std::set<std::pair<unsigned, std::string>> Near;
    for (const DebugVariable &V : Facts.Variables)
      if (unsigned Far = editDistance(Type, V.Struct, Farthest);
          Far <= Farthest)
        Near.insert({Far, V.Struct});
    std::string Like;
    if (!Near.empty())
      Like = "; did you mean " + Near.begin()->second + "?";
    return usageError("--type " + Type + ": " + Image.file() +
                      " has no variable of that struct, no call that allocates "
                      "one and no name of such a slab cache" +
                      Like +
                      (Facts.Problem.empty() ? "" : "; " + Facts.Problem));
  }

  llvm::Error pointers() {
    DebugQuestion Question;
    for (StringRef Of : Asked.Pointers)
      if (Of != AllPointers)
        Question.Structs.insert(Of.split('.').first.str());
    if (Asked.Pointers.empty())
      return llvm::Error::success();
    // Without names it reads nothing.
    auto Facts = debugFacts(Image.file(), Question);
    if (!Facts)
      return Facts.takeError();
    for (StringRef Of : Asked.Pointers) {
      if (Of == AllPointers) {
        S.AllPointers = true;
        continue;
      }
      auto [Type, Path] = Of.split('.');
      const MemberNames &All = Facts->Structs[Type.str()].Members;
      const MemberName *Member = nullptr;
      for (const MemberName &M : All)
        if (M.Path == Path && M.SizeBits == 64)
          Member = &M;
      if (!Member)
        return usageError(
            "--pointers " + Of +
            ": not a member of 8 bytes of a struct of the kernel");
      S.Pointers.push_back({Type.str(), Member->OffsetBits / 8});
    }
    return llvm::Error::success();
  }

  void want(uint64_t Address, uint64_t Bytes) {
    auto Begin = Image.symbol("__per_cpu_start"),
         End = Image.symbol("__per_cpu_end");
    bool PerCpu =
        Begin && End && Address >= Begin->Address && Address < End->Address;
    (PerCpu ? S.WantedPerCpu : S.Wanted).push_back({Address, Address + Bytes});
  }

  const RecordRequest &Asked;
  const KernelImage &Image;
  RecorderSettings &S;
};

} // namespace

llvm::Expected<AddressRange> windowOf(const std::string &Text,
                                      const KernelImage &Image) {
  if (Text.empty())
    return AddressRange();
  auto [Start, Stop] = StringRef(Text).split(':');
  if (Start.empty() || Stop.empty())
    return usageError("--window takes START:STOP, symbols or addresses");
  auto Begin = addressOf(Image, Start), End = addressOf(Image, Stop);
  if (!Begin || !End)
    return llvm::joinErrors(Begin.takeError(), End.takeError());
  return AddressRange{*Begin, *End};
}

llvm::Error checkFilters(const RecordRequest &Asked) {
  RecorderSettings S;
  return Filters::withoutKernel(Asked, S);
}

llvm::Error setFilters(const RecordRequest &Asked, const KernelImage &Image,
                       RecorderSettings &S) {
  return Filters(Asked, Image, S).run();
}

} // namespace kst
