// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/counters/Table.h"

#include "passes/abi/kst_abi.h"

#include "llvm/Support/xxhash.h"

#include <cstddef>
#include <cstring>
#include <map>

using namespace kst::counters;

namespace {

static_assert(llvm::endianness::native == llvm::endianness::little,
              "rows are written as they lie in memory");

class Strings {
public:
  std::string Out = std::string(1, '\0');
  uint32_t at(const std::string &Text) {
    if (Text.empty())
      return 0;
    auto [It, New] = Offsets.try_emplace(Text, Out.size());
    if (New)
      Out.append(Text.c_str(), Text.size() + 1);
    return It->second;
  }

private:
  std::map<std::string, uint32_t> Offsets;
};

template <typename T> void put(std::string &To, const std::vector<T> &Rows) {
  To.append(reinterpret_cast<const char *>(Rows.data()),
            Rows.size() * sizeof(T));
}

/// Takes rows, a table after the other, off the blob.
class Rows {
public:
  explicit Rows(llvm::StringRef Blob) : Rest(Blob) {}
  template <typename T> std::vector<T> take(uint32_t Count) {
    std::vector<T> Taken(Count);
    memcpy(Taken.data(), Rest.data(), Count * sizeof(T));
    Rest = Rest.drop_front(Count * sizeof(T));
    return Taken;
  }
  /// The text at an offset, once only texts are left.
  std::string text(uint32_t Offset) const { return Rest.data() + Offset; }

private:
  llvm::StringRef Rest;
};

} // namespace

Blob kst::counters::makeBlob(const SiteTable &Table,
                             const std::vector<Region> &Regions,
                             uint32_t Counters) {
  Strings S;
  std::vector<kst_table_record> Records;
  std::vector<kst_table_element> Elements;
  for (const StructLayout &L : Table.Structs) {
    Records.push_back({S.at(L.Name), L.Size, uint32_t(Elements.size()),
                       uint32_t(L.Elements.size())});
    for (const StructLayout::Element &E : L.Elements)
      Elements.push_back({E.Offset, E.Size});
  }
  std::vector<kst_table_function> Functions;
  for (const SourceFunction &F : Table.Functions) {
    uint32_t Name = S.at(F.Name);
    Functions.push_back({Name, S.at(F.File), F.Line, 0});
  }
  std::vector<kst_table_site> Sites;
  for (const Site &A : Table.Sites)
    Sites.push_back({A.Struct, A.Function, S.at(A.File), A.Line, A.Column,
                     A.Offset, A.Size, uint16_t(A.FirstBit), uint16_t(A.Bits),
                     uint16_t(A.Kind), uint16_t(A.Marks), A.Element});
  std::vector<kst_table_region> Ranges;
  std::vector<kst_table_reference> References;
  std::vector<kst_table_term> Terms;
  for (const Region &R : Regions) {
    Ranges.push_back({R.Function, uint32_t(References.size()),
                      uint32_t(R.Sites.size()), uint32_t(Terms.size()),
                      uint32_t(R.Terms.size()), 0});
    for (auto [Site, Times] : R.Sites)
      References.push_back({Site, Times});
    for (const Region::Term &T : R.Terms)
      Terms.push_back({T.Counter, T.Factor});
  }

  kst_table Head = {};
  memcpy(Head.magic, KST_TABLE_MAGIC, sizeof(Head.magic));
  Head.version = KST_TABLE_VERSION;
  Head.counters = Counters;
  Head.records = Records.size();
  Head.elements = Elements.size();
  Head.functions = Functions.size();
  Head.sites = Sites.size();
  Head.regions = Ranges.size();
  Head.references = References.size();
  Head.terms = Terms.size();
  Head.main_file = S.at(Table.MainFile);
  Head.string_bytes = S.Out.size();

  std::string Out(sizeof(Head), '\0');
  put(Out, Records);
  put(Out, Elements);
  put(Out, Functions);
  put(Out, Sites);
  put(Out, Ranges);
  put(Out, References);
  put(Out, Terms);
  Out += S.Out;
  Out.resize((Out.size() + 7) / 8 * 8);
  Head.bytes = Out.size();
  memcpy(Out.data(), &Head, sizeof(Head));
  Head.hash = llvm::xxh3_64bits(
      llvm::StringRef(Out).drop_front(offsetof(kst_table, counters)));
  memcpy(Out.data(), &Head, sizeof(Head));
  return {std::move(Out), Head.hash};
}

SiteTable kst::counters::readBlob(llvm::StringRef Bytes) {
  kst_table Head;
  memcpy(&Head, Bytes.data(), sizeof(Head));
  Rows In(Bytes.drop_front(sizeof(Head)));
  auto Records = In.take<kst_table_record>(Head.records);
  auto Elements = In.take<kst_table_element>(Head.elements);
  auto Functions = In.take<kst_table_function>(Head.functions);
  auto Sites = In.take<kst_table_site>(Head.sites);
  auto Ranges = In.take<kst_table_region>(Head.regions);
  auto References = In.take<kst_table_reference>(Head.references);

  SiteTable Table;
  Table.MainFile = In.text(Head.main_file);
  for (const kst_table_record &R : Records) {
    Table.Structs.push_back({In.text(R.name), R.size, {}});
    for (uint32_t I = 0; I != R.elements; ++I)
      Table.Structs.back().Elements.push_back(
          {Elements[R.first_element + I].offset,
           Elements[R.first_element + I].size});
  }
  for (const kst_table_function &F : Functions)
    Table.function(In.text(F.name), In.text(F.file), F.line);
  for (const kst_table_site &A : Sites)
    Table.site({A.record, A.function, In.text(A.file), A.line, A.column,
                A.offset, A.size, A.first_bit, A.bits, A.kind, A.marks,
                A.element});
  for (const kst_table_region &R : Ranges) {
    Table.Segments.emplace_back();
    for (uint32_t I = 0; I != R.references; ++I)
      Table.Segments.back()[References[R.first_reference + I].site] =
          References[R.first_reference + I].times;
  }
  return Table;
}

std::string kst::counters::blobAsm(const Blob &B) {
  std::string Text =
      "\t.pushsection " KST_TABLE_SECTION ",\"\",@progbits\n\t.balign 8\n";
  for (size_t I = 0; I < B.Bytes.size(); I += 64) {
    Text += "\t.ascii \"";
    for (unsigned char C : B.Bytes.substr(I, 64)) {
      if (C >= ' ' && C < 127 && C != '"' && C != '\\') {
        Text.push_back(C);
        continue;
      }
      Text.push_back('\\');
      for (int Shift : {6, 3, 0})
        Text.push_back('0' + ((C >> Shift) & 7));
    }
    Text += "\"\n";
  }
  return Text + "\t.popsection\n";
}
