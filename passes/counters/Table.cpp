// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/counters/Table.h"

#include "passes/abi/kst_abi.h"

#include "llvm/Support/xxhash.h"

#include <map>

using namespace kst::counters;

namespace {

class Bytes {
public:
  std::string Out;
  void u16(uint32_t N) { little(N, 2); }
  void u32(uint32_t N) { little(N, 4); }
  void u64(uint64_t N) { little(N, 8); }

private:
  void little(uint64_t N, int Size) {
    for (int I = 0; I != Size; ++I)
      Out.push_back(char(N >> (8 * I)));
  }
};

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

} // namespace

Blob kst::counters::makeBlob(const SiteTable &Table,
                             const std::vector<Region> &Regions,
                             uint32_t Counters) {
  Strings S;
  Bytes Body;
  uint32_t Elements = 0, References = 0, Terms = 0;
  for (const StructLayout &L : Table.Structs) {
    Body.u32(S.at(L.Name));
    Body.u32(L.Size);
    Body.u32(Elements);
    Body.u32(L.Elements.size());
    Elements += L.Elements.size();
  }
  for (const StructLayout &L : Table.Structs)
    for (const StructLayout::Element &E : L.Elements) {
      Body.u32(E.Offset);
      Body.u32(E.Size);
    }
  for (const SourceFunction &F : Table.Functions) {
    Body.u32(S.at(F.Name));
    Body.u32(S.at(F.File));
    Body.u32(F.Line);
    Body.u32(0);
  }
  for (const Site &A : Table.Sites) {
    for (uint32_t N : {A.Struct, A.Function, S.at(A.File), A.Line, A.Column,
                       A.Offset, A.Size})
      Body.u32(N);
    for (uint32_t N : {A.FirstBit, A.Bits, A.Kind, A.Marks})
      Body.u16(N);
    Body.u32(0);
  }
  for (const Region &R : Regions) {
    Body.u32(R.Function);
    Body.u32(References);
    Body.u32(R.Sites.size());
    Body.u32(Terms);
    Body.u32(R.Terms.size());
    Body.u32(0);
    References += R.Sites.size();
    Terms += R.Terms.size();
  }
  for (const Region &R : Regions)
    for (auto [Site, Times] : R.Sites) {
      Body.u32(Site);
      Body.u32(Times);
    }
  for (const Region &R : Regions)
    for (const Region::Term &T : R.Terms) {
      Body.u32(T.Counter);
      Body.u32(T.Factor);
    }
  uint32_t Main = S.at(Table.MainFile);
  Body.Out += S.Out;
  Body.Out.resize((Body.Out.size() + 7) / 8 * 8);

  constexpr uint32_t Header = 64;
  Bytes Rest;
  for (uint64_t N :
       {uint64_t(Counters), uint64_t(Table.Structs.size()), uint64_t(Elements),
        uint64_t(Table.Functions.size()), uint64_t(Table.Sites.size()),
        uint64_t(Regions.size()), uint64_t(References), uint64_t(Terms),
        uint64_t(S.Out.size()), uint64_t(Main)})
    Rest.u32(N);
  Rest.Out += Body.Out;

  Blob B;
  B.Hash = llvm::xxh3_64bits(Rest.Out);
  Bytes Head;
  Head.Out = "KSTTABLE";
  Head.u32(1); // of the table
  Head.u32(Header + Body.Out.size());
  Head.u64(B.Hash);
  B.Bytes = Head.Out + Rest.Out;
  return B;
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
