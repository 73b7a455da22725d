// SPDX-License-Identifier: GPL-2.0-or-later
//
// A linked image as chains of sections of object files, and where all of it
// comes to lie when some of them change.

#pragma once

#include "hybrid/isolation/LinkPrediction.h"
#include "hybrid/isolation/SymbolPlace.h"

namespace kst {

class LinkedImage {
public:
  /// Of nothing; only to be assigned to.
  LinkedImage() = default;
  /// A failure says which file does not fit which map.
  static Result<LinkedImage> of(LinkFiles Files);

  const LinkFiles &files() const { return F; }
  const LinkMap &map(uint32_t Link) const { return Link ? *F.Inner : F.Final; }
  const LinkRules &rules(uint32_t Link) const { return Rules[Link]; }
  bool twoSteps() const { return F.Inner.has_value(); }

  const MapStatement &statement(const LinkPiece &P) const {
    return map(P.Link).Parts[P.Part].Body[P.Statement];
  }
  const std::string &partName(const LinkPiece &P) const {
    return map(P.Link).Parts[P.Part].Name;
  }
  /// The section of the object file; null for bytes without one.
  const ObjectSection *section(const LinkPiece &P) const;
  uint32_t sectionNumber(const LinkPiece &P) const;
  /// All pieces of object files, in the order of addresses of each part.
  const std::vector<LinkPiece> &pieces() const { return All; }
  std::vector<LinkPiece> piecesOf(const std::string &File,
                                  const std::string &Section) const;
  /// Not in a section that only the link before had: the final one threw it
  /// away.
  bool isInImage(const LinkPiece &P) const {
    return !P.Link || F.Image.Relocatable || OfInner.count(partName(P));
  }
  /// Where the piece begins.
  uint64_t addressOf(const LinkPiece &P, const PredictedLink &In) const;
  /// Where thread-local storage begins: values of its symbols count from there.
  uint64_t tlsAddress(const PredictedLink &In) const {
    return TlsPart ? In.Final.PartAddress[*TlsPart] : 0;
  }
  /// Where each symbol of the image comes from, by its number there.
  const std::vector<SymbolPlace> &places() const { return Places; }

  PredictedLink predict(const LinkChange &Change) const;
  /// With no change: the link as it was.
  const PredictedLink &base() const { return Base; }

private:
  Result<bool> readLink(uint32_t Link);
  /// Of a global symbol, or of what scripts call SIZEOF_HEADERS.
  std::optional<uint64_t> linkedValue(const std::string &Name) const;
  void findTls();
  void nameObjectSymbols();
  SymbolPlace placeOf(const ObjectSymbol &Symbol) const;
  std::optional<SymbolPlace> placeInEmpty(const ObjectSymbol &Symbol) const;
  SymbolPlace placeInChain(uint32_t Link, uint32_t Part, uint64_t Address,
                           const ObjectSymbol &Symbol) const;
  bool hasSymbol(const LinkPiece &P, const std::string &Name,
                 uint64_t OffsetBytes, uint32_t *Number = nullptr) const;
  const ObjectSection *sectionAfter(const LinkPiece &P,
                                    const LinkChange &Change) const;
  Extents extents(uint32_t Link, const LinkChange &Change,
                  const LinkPlacement *Inner) const;
  struct Moved {
    LinkPiece In;
    uint64_t OffsetBytes = 0;
    bool Gone = false;
    const ObjectSymbol *Symbol = nullptr; ///< of a new object
  };
  /// Of each changed object, which symbols are which of the new one.
  using SymbolsByFile = std::map<std::string, std::vector<uint32_t>>;
  SymbolsByFile sameSymbolsOf(const LinkChange &Change) const;
  Moved moved(const SymbolPlace &At, const LinkChange &Change,
              const SymbolsByFile &Same) const;

  LinkFiles F;
  LinkRules Rules[2];
  Extents Were[2];
  /// Of each statement the number of the section in its file, and which of
  /// that name it is.
  std::vector<std::vector<uint32_t>> Numbers[2], Ordinals[2];
  std::vector<LinkPiece> All;
  std::map<std::pair<std::string, std::string>, std::vector<LinkPiece>> ByName;
  std::map<std::string, LinkPiece>
      OfInner; ///< where parts of Inner are in Final
  /// By file and section, symbols of objects by offset.
  std::map<std::pair<std::string, uint32_t>, std::multimap<uint64_t, uint32_t>>
      ObjectSymbols;
  std::vector<SymbolPlace> Places;
  std::map<std::string, uint32_t> Globals; ///< of the image
  uint64_t TlsAddress = 0; ///< of the first section of thread-local storage
  std::optional<uint32_t> TlsPart;
  PredictedLink Base;
};

} // namespace kst
