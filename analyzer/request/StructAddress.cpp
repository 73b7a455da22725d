// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/request/StructAddress.h"

#include "hybrid/core/EditDistance.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

using llvm::StringRef;

namespace kst {

namespace {

bool isTag(StringRef Word) {
  return !Word.empty() && !llvm::isDigit(Word[0]) &&
         llvm::all_of(Word,
                      [](char C) { return llvm::isAlnum(C) || C == '_'; });
}

/// The struct that `Name` stands for, or Every.
size_t structNamed(StringRef Name, const std::vector<std::string> &Structs) {
  size_t Found = Addressed::Every;
  for (size_t I = 0; I != Structs.size(); ++I) {
    if (Structs[I] == Name)
      return I;
    if (StringRef(Structs[I]).split('@').first != Name)
      continue;
    if (Found != Addressed::Every)
      return Addressed::Every; // of two files
    Found = I;
  }
  return Found;
}

std::string nearest(StringRef Name, const std::vector<std::string> &Structs) {
  std::string Best;
  unsigned Least = std::max<size_t>(2, Name.size() / 3) + 1;
  for (const std::string &Struct : Structs)
    if (unsigned D = editDistance(Name.str(), Struct, Least); D < Least) {
      Least = D;
      Best = Struct;
    }
  return Best;
}

} // namespace

Result<Addressed> parseAddress(const std::string &Text,
                               const std::vector<std::string> &Structs,
                               AddressedText Kind) {
  // The longest first: a file name behind '@' may have a colon.
  for (size_t Colon = Text.rfind(':'); Colon != std::string::npos && Colon;
       Colon = Text.rfind(':', Colon - 1))
    if (size_t Struct = structNamed(StringRef(Text).take_front(Colon), Structs);
        Struct != Addressed::Every)
      return Addressed{Struct, StringRef(Text).drop_front(Colon + 1).str()};
  auto [Name, Rest] = StringRef(Text).split(':');
  const bool Address =
      Name.size() != Text.size() && isTag(Name.split('@').first);
  if (Kind == AddressedText::File || !Address)
    return Addressed{Addressed::Every, Text};
  std::string Near = nearest(Name, Structs);
  return Failure{"--struct does not name '" + Name.str() + "'" +
                 (Near.empty() ? "" : "; did you mean '" + Near + "'?")};
}

Result<Addressed> parseOneStruct(const std::string &Text,
                                 const std::vector<std::string> &Structs,
                                 AddressedText Kind) {
  Result<Addressed> Parsed = parseAddress(Text, Structs, Kind);
  if (!Parsed || Parsed->Struct != Addressed::Every)
    return Parsed;
  if (Structs.size() != 1)
    return Failure{"say which struct is meant: '" + Structs.front() + ":" +
                   Text + "'"};
  Parsed->Struct = 0;
  return Parsed;
}

} // namespace kst
