// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/readers/DebugGlobals.h"

#include "passes/readers/DebugDies.h"
#include "passes/readers/DebugMembers.h"

#include <algorithm>
#include <map>

namespace kst {
namespace {

class Collector {
public:
  explicit Collector(bool WithMembers) : WithMembers(WithMembers) {}
  std::vector<GlobalVariable> Out;

  void unit(DWARFDie Top) { below(Top, 0); }

private:
  /// Those of functions are in blocks of these.
  void below(DWARFDie Around, unsigned Depth) {
    if (Depth == MostDepth)
      return;
    for (DWARFDie Die : Around.children())
      if (Die.getTag() == dwarf::DW_TAG_variable)
        variable(Die);
      else if (Die.getTag() == dwarf::DW_TAG_subprogram ||
               Die.getTag() == dwarf::DW_TAG_lexical_block)
        below(Die, Depth + 1);
  }

  void variable(DWARFDie Die) {
    const std::optional<uint64_t> Address = staticAddress(Die);
    if (!Address)
      return;
    GlobalVariable V;
    V.Address = *Address;
    DWARFDie Named = Die;
    for (dwarf::Attribute Of :
         {dwarf::DW_AT_specification, dwarf::DW_AT_abstract_origin})
      if (DWARFDie Declared = Die.getAttributeValueAsReferencedDie(Of))
        Named = Declared;
    if (const char *Name = Named.getShortName())
      V.Name = Name;
    DWARFDie Where = Die.find(dwarf::DW_AT_decl_line) ? Die : Named;
    V.Line = uint32_t(number(Where, dwarf::DW_AT_decl_line));
    V.File = declaringFile(Where);
    type(typeOf(Named), V);
    if (V.SizeBytes)
      Out.push_back(std::move(V));
  }

  void type(DWARFDie Declared, GlobalVariable &V) const {
    DWARFDie Type = bareType(Declared, &V.Type);
    V.SizeBytes = sizeBytes(Type);
    if (Type && Type.getTag() == dwarf::DW_TAG_array_type) {
      uint64_t All = 1;
      for (DWARFDie Range : Type.children())
        if (Range.getTag() == dwarf::DW_TAG_subrange_type) {
          if (!V.Number)
            V.Number = elements(Range);
          else
            All *= elements(Range);
        }
      Type = bareType(typeOf(Type), &V.Type);
      V.StrideBytes = All * sizeBytes(Type);
      V.SizeBytes = V.Number * V.StrideBytes;
      if (!V.StrideBytes)
        V.Number = 0;
    }
    if (Type && Type.getShortName() && V.Type.empty())
      V.Type = Type.getShortName();
    if (WithMembers && Type && isRecord(Type))
      V.Members = membersOf(Type);
  }

  const bool WithMembers;
};

/// The directory that most files are in, as far down as there is one:
/// names begin behind it.
void fromTheTop(std::vector<GlobalVariable> &All) {
  std::string Top;
  for (;;) {
    std::map<std::string, size_t> Below;
    for (const GlobalVariable &V : All)
      if (llvm::StringRef(V.File).starts_with(Top))
        if (const size_t End = V.File.find('/', Top.size());
            End != std::string::npos)
          ++Below[V.File.substr(0, End + 1)];
    const auto Most =
        llvm::max_element(Below, [](const auto &A, const auto &B) {
          return A.second < B.second;
        });
    if (Most == Below.end() || Most->second * 3 < All.size() * 2)
      break;
    Top = Most->first;
  }
  for (GlobalVariable &V : All)
    if (llvm::StringRef(V.File).starts_with(Top))
      V.File.erase(0, Top.size());
}

} // namespace

std::vector<GlobalVariable> debugGlobals(DebugInfo &Debug, bool WithMembers) {
  Collector Found(WithMembers);
  Debug.forEachUnit([&](DWARFDie Top) {
    Found.unit(Top);
    return true;
  });
  auto &Out = Found.Out;
  std::stable_sort(Out.begin(), Out.end(),
                   [](const GlobalVariable &A, const GlobalVariable &B) {
                     return A.Address < B.Address;
                   });
  Out.erase(std::unique(Out.begin(), Out.end(),
                        [](const GlobalVariable &A, const GlobalVariable &B) {
                          return A.Address == B.Address;
                        }),
            Out.end());
  fromTheTop(Out);
  return std::move(Out);
}

} // namespace kst
