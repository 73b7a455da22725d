// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/profile/ProfileCheck.h"

#include "hybrid/profile/ProfileOrder.h"

namespace kst {
namespace {

class Checker {
public:
  explicit Checker(const Profile &P) : P(P) {}

  std::optional<Failure> run() {
    if (texts() && structs() && sites() && regions() && rest())
      return std::nullopt;
    return Failure{std::string("profile breaks a rule: ") + Why};
  }

private:
  bool broken(const char *Rule) {
    Why = Rule;
    return false;
  }
  bool text(TextId Id) const { return Id < P.Strings.size(); }

  static bool plain(const std::string &Text) {
    return std::ranges::none_of(
        Text, [](unsigned char C) { return C < 0x20 || C == 0x7f; });
  }

  bool texts() {
    if (P.Strings.empty() || !P.Strings[0].empty())
      return broken("first text");
    for (size_t I = 0; I < P.Strings.size(); ++I) {
      if (I && P.Strings[I - 1] >= P.Strings[I])
        return broken("order of texts");
      if (!plain(P.Strings[I]))
        return broken("control character in a text");
    }
    for (const auto &[Key, Value] : P.Text)
      if (Key.empty() || !plain(Key) || !plain(Value))
        return broken("text about the run");
    return true;
  }

  bool structs() {
    uint32_t At = 0;
    for (size_t I = 0; I < P.Structs.size(); ++I) {
      const MeasuredStruct &S = P.Structs[I];
      if (!text(S.Name))
        return broken("name of a struct");
      if (S.Begin != At || S.End < At || S.End > P.Elements.size())
        return broken("elements of a struct");
      At = S.End;
      for (const MeasuredElement &E : P.elements(S))
        if (uint64_t(E.OffsetBytes) + E.SizeBytes > S.SizeBytes)
          return broken("element outside its struct");
      if (I && orderOf(P.Structs[I - 1], P.elements(P.Structs[I - 1]), S,
                       P.elements(S)) >= 0)
        return broken("order of structs");
    }
    return At == P.Elements.size() || broken("elements of no struct");
  }

  bool sites() {
    for (size_t I = 0; I < P.Sites.size(); ++I) {
      const MeasuredSite &S = P.Sites[I];
      if (S.Struct != NoStruct && S.Struct >= P.Structs.size())
        return broken("struct of a site");
      if (!text(S.Function) || !text(S.File) || !text(S.Field))
        return broken("text of a site");
      if (static_cast<uint16_t>(S.Kind) >= SiteKinds ||
          (S.Kind == SiteKind::Line && S.Struct != NoStruct))
        return broken("kind of a site");
      if (I && keyOf(P.Sites[I - 1]) >= keyOf(S))
        return broken("order of sites");
    }
    return true;
  }

  bool regions() {
    uint32_t At = 0;
    for (size_t I = 0; I < P.Regions.size(); ++I) {
      const MeasuredRegion &R = P.Regions[I];
      if (!text(R.Function) || !text(R.File))
        return broken("text of a region");
      if (R.Begin != At || R.End < At || R.End > P.References.size())
        return broken("references of a region");
      for (; At < R.End; ++At) {
        const SiteReference &Ref = P.References[At];
        if (Ref.Site >= P.Sites.size() || !Ref.Times)
          return broken("reference to a site");
        if (At > R.Begin && P.References[At - 1].Site >= Ref.Site)
          return broken("order of references");
      }
      if (I && orderOf(P.Regions[I - 1], P.references(P.Regions[I - 1]), R,
                       P.references(R)) >= 0)
        return broken("order of regions");
    }
    return At == P.References.size() || broken("references of no region");
  }

  template <typename T> bool sorted(const std::vector<T> &Rows) {
    for (size_t I = 1; I < Rows.size(); ++I)
      if (keyOf(Rows[I - 1]) >= keyOf(Rows[I]))
        return false;
    return true;
  }

  bool rest() {
    for (const AddressCount &A : P.ByAddress)
      if (A.Struct >= P.Structs.size() ||
          A.OffsetBytes >= P.Structs[A.Struct].SizeBytes)
        return broken("count by address");
    for (const ThreadUse &U : P.Threads)
      if (U.Struct >= P.Structs.size() || U.Unused)
        return broken("struct used by threads");
    for (const NamedMember &M : P.Members) {
      if (M.Struct >= P.Structs.size() || !text(M.Name) || !M.Name)
        return broken("name of a member");
      const uint64_t Bits = P.Structs[M.Struct].SizeBytes * 8ull;
      if (M.OffsetBits > Bits || M.SizeBits > Bits - M.OffsetBits)
        return broken("named member outside its struct");
    }
    for (const FunctionSamples &S : P.Samples)
      if (!text(S.Function) || S.Unused)
        return broken("function with samples");
    for (const SourceFunction &F : P.NotCounted)
      if (!text(F.Function) || !text(F.File))
        return broken("function that is not counted");
    if (!sorted(P.ByAddress) || !sorted(P.Threads) || !sorted(P.Samples) ||
        !sorted(P.NotCounted) || !sorted(P.Members))
      return broken("order of counts by address, threads, samples, functions "
                    "or members");
    return true;
  }

  const Profile &P;
  const char *Why = "";
};

} // namespace

std::optional<Failure> checkProfile(const Profile &P) {
  return Checker(P).run();
}

} // namespace kst
