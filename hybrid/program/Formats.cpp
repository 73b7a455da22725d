// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/program/Formats.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace kst {
namespace {

constexpr uint32_t Returned = ~0u, Held = ~0u - 1;
constexpr unsigned MaxDepth = 32;

/// A function that takes the bytes of a record somewhere: the parameter that
/// points to them, or Returned. Held: a member that points to them.
struct Door {
  std::string_view Function;
  uint32_t Param;
  std::string_view To;
};

/// Kernel: include/linux/uaccess.h, uio.h, sockptr.h, bpfptr.h, fs.h, socket.h,
/// string.h, coredump.h, net/netlink.h, skbuff.h, dma-mapping.h, dmapool.h,
/// io.h.
constexpr Door KernelDoors[] = {
    {"copy_to_user", 1, "user space"},
    {"__copy_to_user", 1, "user space"},
    {"__copy_to_user_inatomic", 1, "user space"},
    {"copy_to_user_nofault", 1, "user space"},
    {"copy_from_user", 0, "user space"},
    {"__copy_from_user", 0, "user space"},
    {"__copy_from_user_inatomic", 0, "user space"},
    {"copy_from_user_nofault", 0, "user space"},
    {"copy_struct_from_user", 0, "user space"},
    {"copy_struct_from_sockptr", 0, "user space"},
    {"copy_from_sockptr", 0, "user space"},
    {"copy_from_sockptr_offset", 0, "user space"},
    {"copy_safe_from_sockptr", 0, "user space"},
    {"copy_to_sockptr", 1, "user space"},
    {"copy_to_sockptr_offset", 2, "user space"},
    {"copy_from_bpfptr", 0, "user space"},
    {"memdup_user", Returned, "user space"},
    {"memdup_sockptr", Returned, "user space"},
    {"copy_to_iter", 0, "a file or socket"},
    {"_copy_to_iter", 0, "a file or socket"},
    {"copy_from_iter", 0, "a file or socket"},
    {"copy_from_iter_full", 0, "a file or socket"},
    {"_copy_from_iter", 0, "a file or socket"},
    {"simple_read_from_buffer", 3, "user space"},
    {"simple_write_to_buffer", 0, "user space"},
    {"kernel_write", 1, "a file"},
    {"kernel_read", 1, "a file"},
    {"dump_emit", 1, "a file"},
    {"put_cmsg", 4, "user space"},
    {"nla_put", 3, "netlink"},
    {"__nla_put", 3, "netlink"},
    {"nla_put_nohdr", 2, "netlink"},
    {"nla_put_64bit", 3, "netlink"},
    {"nla_memcpy", 0, "netlink"},
    {"skb_put_data", 1, "a packet"},
    {"skb_copy_bits", 2, "a packet"},
    {"skb_store_bits", 2, "a packet"},
    {"dma_alloc_coherent", Returned, "a device"},
    {"dmam_alloc_coherent", Returned, "a device"},
    {"dma_alloc_attrs", Returned, "a device"},
    {"dma_pool_alloc", Returned, "a device"},
    {"dma_pool_zalloc", Returned, "a device"},
    {"dma_map_single_attrs", 1, "a device"},
    {"ioremap", Returned, "a device"},
    {"devm_ioremap", Returned, "a device"},
    {"devm_ioremap_resource", Returned, "a device"},
    {"pci_iomap", Returned, "a device"},
    {"kvec.iov_base", Held, "a file or socket"},
};

/// System calls and the C library. A pipe may end in the same program.
constexpr Door ProgramDoors[] = {
    {"write", 1, "a file or socket"},
    {"pwrite", 1, "a file or socket"},
    {"pwrite64", 1, "a file or socket"},
    {"send", 1, "a file or socket"},
    {"sendto", 1, "a file or socket"},
    {"fwrite", 0, "a file or socket"},
    {"read", 1, "a file or socket"},
    {"pread", 1, "a file or socket"},
    {"pread64", 1, "a file or socket"},
    {"recv", 1, "a file or socket"},
    {"recvfrom", 1, "a file or socket"},
    {"fread", 0, "a file or socket"},
    {"iovec.iov_base", Held, "a file or socket"},
    {"mmap", Returned, "mapped memory"},
    {"mmap64", Returned, "mapped memory"},
    {"shmat", Returned, "shared memory"},
};

SourceRule whole(const char *Id, std::string Why, Site Where,
                 RuleStrength Strength = RuleStrength::Hard) {
  return {RuleKind::AllFixed, {}, std::move(Why), std::move(Where), ruleId(Id),
          Strength,           {}};
}

/// Headers that the kernel gives to user space.
bool isUserHeader(const std::string &File) {
  return File.starts_with("include/uapi/") ||
         File.find("/include/uapi/") != std::string::npos;
}

/// Members that are numbers of more than one byte, arrays and embedded records
/// included.
struct Numbers {
  unsigned Fixed = 0;  ///< of a byte order that their type names
  unsigned Native = 0; ///< of the machine's
  bool Pointers = false;

  Numbers(const Program &Whole, RecordId Id) { add(Whole, Id, 0); }

private:
  void add(const Program &Whole, RecordId Id, unsigned Depth) {
    for (uint32_t F = 0; F != Whole.recordFact(Id).Fields.size(); ++F) {
      const FieldFact &Field = Whole.fieldFact(Id, F);
      if (RecordId Inner = Whole.embedded(Id, F); Inner != None) {
        if (Depth < MaxDepth)
          add(Whole, Inner, Depth + 1);
        continue;
      }
      std::string_view Type = Whole.recordText(Id, Field.TypeName);
      Pointers |= (Field.Flags & FldPointer) || Type.find('*') != Type.npos;
      if (Type.starts_with("__le") || Type.starts_with("__be") ||
          Type.starts_with("__sum16") || Type.starts_with("__wsum"))
        ++Fixed;
      else if (Field.AlignBytes > 1 && Field.SizeBits)
        ++Native;
    }
  }
};

/// Whether code names a member of a union.
bool isNamed(const Program &Whole, RecordId Union, uint32_t Field) {
  for (uint32_t Unit = 0; Unit != Whole.unitCount(); ++Unit)
    for (const ValueFact &Value : Whole.unit(Unit).Values)
      if (Value.Kind == ValueKind::Field && Value.C == Field &&
          Whole.record(Unit, Value.B) == Union)
        return true;
  return false;
}

/// A union of the record and of numbers that reach beyond its first member, or
/// None. Bytes count if code names them: they are padding as often. Numbers
/// that reach beyond the record, such as a stack, do not.
RecordId sharedWithNumbers(const Program &Whole, RecordId Id) {
  const RecordFact &Fact = Whole.recordFact(Id);
  uint64_t First = Fact.Fields.size() > 1 ? Whole.fieldFact(Id, 0).SizeBits : 0;
  for (RecordId Union = 0; First && Union != Whole.recordCount(); ++Union) {
    const RecordFact &Shared = Whole.recordFact(Union);
    if (!(Shared.Flags & RecUnion))
      continue;
    bool Holds = false, Numbers = false;
    std::vector<uint32_t> Bytes;
    for (uint32_t F = 0; F != Shared.Fields.size(); ++F) {
      const FieldFact &Field = Whole.fieldFact(Union, F);
      RecordId Inner = Whole.embedded(Union, F);
      Holds |= Inner == Id;
      bool Covers = Inner == None && Field.SizeBits <= 8 * Fact.SizeBytes &&
                    Field.SizeBits > First &&
                    Whole.recordText(Union, Field.TypeName).find('*') ==
                        std::string::npos;
      if (Covers && Field.AlignBytes > 1)
        Numbers = true;
      else if (Covers)
        Bytes.push_back(F);
    }
    if (Holds &&
        (Numbers || std::any_of(Bytes.begin(), Bytes.end(), [&](uint32_t F) {
           return isNamed(Whole, Union, F);
         })))
      return Union;
  }
  return None;
}

const UntypedUse *throughDoor(const std::vector<UntypedUse> &Uses,
                              const Door &Of) {
  auto It = std::find_if(Uses.begin(), Uses.end(), [&](const UntypedUse &Use) {
    if (Use.Function != Of.Function)
      return false;
    if (Of.Param == Returned || Of.Param == Held)
      return Use.Kind ==
             (Of.Param == Held ? SlotKind::Member : SlotKind::Result);
    return Use.Kind == SlotKind::Param && Use.Param == Of.Param;
  });
  return It == Uses.end() ? nullptr : &*It;
}

/// Shared: a way through a function that many records go through counts too.
std::optional<SourceRule> throughDoors(const std::vector<UntypedUse> &Uses,
                                       const Door *Begin, const Door *End,
                                       RuleStrength Strength, bool Shared) {
  for (const Door *Of = Begin; Of != End; ++Of)
    if (const UntypedUse *Use = throughDoor(Uses, *Of);
        Use && Shared >= Use->Shared)
      return whole("bytes",
                   "its bytes go to or come from " + std::string(Of->To) +
                       " by " + Use->Function + (Of->Param == Held ? "" : "()"),
                   Use->Where, Strength);
  return std::nullopt;
}

} // namespace

std::optional<SourceRule>
formatRule(const Program &Whole, const PointerGraph &Pointers, RecordId Id) {
  RecordInfo Record = Whole.recordInfo(Id);
  Site Definition{"", Record.File, Record.Line};
  if (isUserHeader(Record.File)) {
    SourceRule Rule = whole(
        "uapi", "defined in a header for user space, which sees this layout",
        Definition);
    Rule.Unliftable = "programs are compiled with this order";
    return Rule;
  }
  if (Record.Packed)
    return whole("packed", "packed: likely a format on the wire or of hardware",
                 Definition);
  Numbers Of(Whole, Id);
  if (Of.Fixed && !Of.Native && !Of.Pointers)
    return whole("byte-order",
                 "its numbers have a fixed byte order: a format on the wire or "
                 "of hardware",
                 Definition);
  std::vector<UntypedUse> Uses = Pointers.untypedUses(Id);
  if (auto Rule = throughDoors(Uses, std::begin(KernelDoors),
                               std::end(KernelDoors), RuleStrength::Hard,
                               /*Shared=*/false))
    return Rule;
  if (Of.Fixed > Of.Native && !Of.Pointers)
    return whole(
        "byte-order",
        "most of its numbers have a fixed byte order: perhaps a format "
        "on the wire or of hardware",
        Definition, RuleStrength::Soft);
  if (RecordId Union = sharedWithNumbers(Whole, Id); Union != None)
    return whole("bytes", "shares a union with numbers that cover its members",
                 {"", Whole.recordText(Union, Whole.recordFact(Union).File),
                  Whole.recordFact(Union).Line},
                 RuleStrength::Soft);
  return throughDoors(Uses, std::begin(ProgramDoors), std::end(ProgramDoors),
                      RuleStrength::Soft, /*Shared=*/true);
}

} // namespace kst
