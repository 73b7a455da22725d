// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/isolation/ThreadPhases.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

namespace kst {
namespace {

bool isOneOf(std::span<const std::string_view> Names, std::string_view Name) {
  // Versions: pthread_create@GLIBC_2.34.
  Name = Name.substr(0, Name.find('@'));
  return std::ranges::find(Names, Name) != Names.end();
}

bool makesThread(std::string_view Name) {
  if (Name.starts_with("GOMP_parallel") || Name.starts_with("__kmpc_fork"))
    return true;
  static constexpr std::array<std::string_view, 12> Names = {
      "pthread_create",
      "thrd_create",
      "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_"
      "deleteIS1_EEPFvvE",
      "uv_thread_create",
      "uv_thread_create_ex",
      "uv_queue_work",
      "g_thread_new",
      "g_thread_try_new",
      "SDL_CreateThread",
      "clone",
      "clone3",
      "fork"};
  return isOneOf(Names, Name);
}

} // namespace

ThreadPhases::ThreadPhases(const ObjectFile &File,
                           const std::vector<CodeEdge> &Edges) {
  findFunctions(File);
  findCalls(Edges);
  spread(&Function::Makes);
  bool Early = false; // threads are there when main() begins
  for (const Function &Of : Functions) {
    Makes |= Of.Makes;
    Early |= Of.Makes && Of.Early;
  }
  if (Early)
    Main = None;
  if (Main == None)
    return;
  findSpan(Edges);
  findAlone();
}

size_t ThreadPhases::functionAt(uint64_t Code) const {
  const auto After =
      std::ranges::upper_bound(Functions, Code, {}, &Function::Begin);
  if (After == Functions.begin() || Code >= std::prev(After)->End)
    return None;
  return size_t(std::prev(After) - Functions.begin());
}

void ThreadPhases::findFunctions(const ObjectFile &File) {
  for (uint32_t S = 0; S < File.Symbols.size(); ++S) {
    const ObjectSymbol &Of = File.Symbols[S];
    if (!Of.Function || !Of.SizeBytes || Of.Section >= File.Sections.size())
      continue;
    Function New;
    New.Begin = Of.Value;
    New.End = Of.Value + Of.SizeBytes;
    New.Symbol = S;
    Functions.push_back(New);
  }
  // Of names of one function, the first.
  std::ranges::stable_sort(Functions, {}, &Function::Begin);
  const auto Rest = std::ranges::unique(Functions, {}, &Function::Begin);
  Functions.erase(Rest.begin(), Rest.end());
  for (size_t F = 0; F < Functions.size(); ++F)
    if (const std::string &Name = File.Symbols[Functions[F].Symbol].Name;
        Name == "main")
      Main = F;
    else // of a library that is linked in
      Functions[F].Makes = makesThread(Name);
  // Tables of constructors lead to code that runs before main().
  for (const ObjectSection &In : File.Sections)
    if (In.Name == ".init_array" || In.Name == ".preinit_array")
      Tables.push_back({In.Address, In.Address + In.SizeBytes});
}

void ThreadPhases::findCalls(const std::vector<CodeEdge> &Edges) {
  for (const CodeEdge &Edge : Edges) {
    const size_t From = functionAt(Edge.Code), To = functionAt(Edge.To);
    if (From != None && Edge.What != CodeEdge::Taken) {
      Functions[From].Makes |= makesThread(Edge.Import);
    }
    if (To == None || Functions[To].Begin != Edge.To)
      continue;
    if (Edge.What == CodeEdge::Taken) {
      const bool Constructor =
          std::ranges::any_of(Tables, [&](const auto &Table) {
            return Edge.Code >= Table.first && Edge.Code < Table.second;
          });
      Functions[To].Taken |= !Constructor;
      Functions[To].Early |= Constructor;
    } else if (From != None) {
      if (From != To)
        Calls.push_back({From, To, Edge.Code});
    } else {
      Functions[To].Taken = true; // by code of no symbol
    }
  }
}

/// What holds of a function holds of those that call it.
void ThreadPhases::spread(bool Function::*What) {
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const Call &Of : Calls)
      if (Functions[Of.To].*What && !(Functions[Of.From].*What))
        Functions[Of.From].*What = Changed = true;
  }
}

void ThreadPhases::findSpan(const std::vector<CodeEdge> &Edges) {
  const Function &In = Functions[Main];
  First = In.End;
  std::vector<std::pair<uint64_t, uint64_t>> Loops; ///< begin, end
  for (const CodeEdge &Edge : Edges) {
    if (Edge.Code < In.Begin || Edge.Code >= In.End ||
        Edge.What == CodeEdge::Taken)
      continue;
    if (Edge.To >= In.Begin && Edge.To < Edge.Code) {
      Loops.push_back({Edge.To, Edge.Code});
      continue;
    }
    const size_t To = functionAt(Edge.To);
    if (makesThread(Edge.Import) || (To != None && Functions[To].Makes))
      First = std::min(First, Edge.Code);
  }
  for (bool Changed = First < In.End; Changed;) {
    Changed = false;
    for (const auto &[Begin, End] : Loops)
      if (Begin < First && End >= First) {
        First = Begin;
        Changed = true;
      }
  }
}

void ThreadPhases::findAlone() {
  // From main() and constructors on: what only calls itself is of nobody known.
  std::vector<bool> Called(Functions.size());
  for (size_t F = 0; F < Functions.size(); ++F)
    Called[F] = F == Main || Functions[F].Early;
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const Call &Of : Calls)
      if (Called[Of.From] && !Called[Of.To])
        Called[Of.To] = Changed = true;
  }
  for (size_t F = 0; F < Functions.size(); ++F) {
    Function &Of = Functions[F];
    const bool Known = !Of.Taken && Called[F];
    Of.OfMain = Known || F == Main;
    Of.Alone = Known && F != Main;
  }
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const Call &Of : Calls) {
      Function &To = Functions[Of.To];
      if (To.Alone && !isAlone(Of.Code))
        To.Alone = false, Changed = true;
      if (To.OfMain && !Functions[Of.From].OfMain)
        To.OfMain = false, Changed = true;
    }
  }
  for (const Function &Of : Functions)
    if (Of.OfMain)
      OfMain.insert(Of.Symbol);
}

bool ThreadPhases::isAlone(uint64_t Code) const {
  if (Main == None)
    return false;
  const size_t F = functionAt(Code);
  if (F == Main)
    return First < Functions[Main].End && Code < First;
  return F != None && Functions[F].Alone;
}

} // namespace kst
