// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/readers/DebugLinks.h"

#include "passes/readers/DebugDies.h"
#include "passes/readers/DebugInfo.h"

#include "llvm/ADT/StringSet.h"

namespace kst {
namespace {

DWARFDie elementOf(DWARFDie Type, std::string &Typedef) {
  for (unsigned Depth = 0;
       Type && Type.getTag() == dwarf::DW_TAG_array_type && Depth < MostDepth;
       ++Depth)
    Type = bareType(typeOf(Type), &Typedef);
  return Type;
}

void addLinks(DWARFDie Record, uint64_t Base, const std::string &Prefix,
              unsigned Depth, std::vector<DebugLink> &To) {
  if (Depth == MostDepth)
    return;
  for (DWARFDie Member : Record.children()) {
    if (Member.getTag() != dwarf::DW_TAG_member)
      continue;
    std::string Typedef;
    DWARFDie Type = elementOf(bareType(typeOf(Member), &Typedef), Typedef);
    if (!Type)
      continue;
    const char *Own = Member.getShortName();
    const std::string Name = Prefix + (Own ? Own : "");
    const uint64_t At = Base + offsetBits(Member) / 8;
    const bool Held = isRecord(Type);
    if (Type.getTag() == dwarf::DW_TAG_pointer_type) {
      Typedef.clear();
      Type = bareType(typeOf(Type), &Typedef);
    }
    if (!Type || !isRecord(Type))
      continue;
    const char *Tag = Type.getShortName();
    const std::string Target = Tag ? Tag : Typedef;
    if (!Target.empty())
      To.push_back({Name, At, Target, Held});
    else if (Held)
      addLinks(Type, At, Own ? Name + "." : Prefix, Depth + 1, To);
  }
}

class LinkWalk {
public:
  std::vector<LinkedStruct> Out;

  void unit(DWARFDie Top) {
    for (DWARFDie Die : Top.children())
      if (isRecord(Die)) {
        record(Die, Die.getShortName());
      } else if (Die.getTag() == dwarf::DW_TAG_typedef) {
        DWARFDie Type = typeOf(Die);
        if (Type && isRecord(Type) && !Type.getShortName())
          record(Type, Die.getShortName());
      }
  }

private:
  void record(DWARFDie Die, const char *Name) {
    if (!Name || isElsewhere(Die) || !Known.insert(Name).second)
      return;
    LinkedStruct Of;
    Of.Name = Name;
    Of.SizeBytes = number(Die, dwarf::DW_AT_byte_size);
    addLinks(Die, 0, "", 0, Of.Links);
    Out.push_back(std::move(Of));
  }
  llvm::StringSet<> Known;
};

} // namespace

llvm::Expected<std::vector<LinkedStruct>> debugLinks(const std::string &File) {
  auto Debug = DebugInfo::openWhole(File);
  if (!Debug)
    return Debug.takeError();
  LinkWalk Walk;
  Debug->forEachUnit([&](DWARFDie Top) {
    Walk.unit(Top);
    return true;
  });
  if (Walk.Out.empty())
    return llvm::createStringError(
        File + ": debug information has no struct: types are left out by "
               "-g1 and -gline-tables-only");
  return std::move(Walk.Out);
}

} // namespace kst
