// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/readers/KernelImage.h"

#include "passes/readers/DebugInfo.h"

#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

namespace kst {

using namespace llvm;

struct KernelImage::State {
  std::string File;
  std::optional<DebugInfo> Debug;
  const object::ObjectFile &object() const { return Debug->image(); }
  std::string Top; ///< directory of the source, with a slash
  std::unordered_map<std::string, KernelSymbol> Symbols;
  std::map<uint64_t, std::pair<std::string, uint64_t>> Functions, Data;
};

KernelImage::KernelImage(std::unique_ptr<State> S) : S(std::move(S)) {}
KernelImage::KernelImage(KernelImage &&) = default;
KernelImage::~KernelImage() = default;

static Error wrong(const std::string &File, const Twine &What) {
  return createStringError(inconvertibleErrorCode(), File + ": " + What);
}

/// The directory of the source, by a file that every kernel has.
static std::string topOf(const DebugInfo &Debug) {
  for (const auto &Unit : Debug.context().compile_units()) {
    const char *Name = Unit->getNonSkeletonUnitDIE().getShortName();
    StringRef File = Name ? Name : "";
    if (!File.consume_back("init/main.c"))
      continue;
    SmallString<256> Top(File);
    if (const char *Directory = Unit->getCompilationDir();
        Directory && !sys::path::is_absolute(File)) {
      Top = Directory;
      sys::path::append(Top, File);
    }
    sys::path::remove_dots(Top, /*remove_dot_dot=*/true);
    return Top.str().rtrim('/').str() + "/";
  }
  return "";
}

Expected<KernelImage> KernelImage::open(const std::string &File) {
  auto S = std::make_unique<State>();
  S->File = File;
  auto Debug = DebugInfo::open(File);
  if (!Debug)
    return Debug.takeError();
  S->Debug.emplace(std::move(*Debug));
  if (!isa<object::ELFObjectFileBase>(S->object()))
    return wrong(File, "not an ELF file");
  for (const object::ELFSymbolRef Symbol : S->Debug->withSymbols().symbols()) {
    Expected<StringRef> Name = Symbol.getName();
    Expected<uint64_t> Address = Symbol.getAddress();
    Expected<object::SymbolRef::Type> Type = Symbol.getType();
    if (!Name || !Address || !Type) {
      consumeError(Name.takeError());
      consumeError(Address.takeError());
      consumeError(Type.takeError());
      continue;
    }
    if (Name->empty())
      continue;
    S->Symbols.try_emplace(Name->str(),
                           KernelSymbol{*Address, Symbol.getSize()});
    auto &To = *Type == object::SymbolRef::ST_Function ? S->Functions : S->Data;
    if (Symbol.getSize() || &To == &S->Functions)
      To.try_emplace(*Address, Name->str(), Symbol.getSize());
  }
  if (S->Symbols.empty())
    return S->Debug->problem().empty() ? wrong(File, "has no symbols")
                                       : createStringError(S->Debug->problem());
  S->Top = topOf(*S->Debug);
  return KernelImage(std::move(S));
}

const std::string &KernelImage::file() const { return S->File; }

bool KernelImage::x86() const {
  return S->object().getArch() == Triple::x86_64;
}

std::optional<KernelSymbol> KernelImage::symbol(const std::string &Name) const {
  auto At = S->Symbols.find(Name);
  if (At == S->Symbols.end())
    return std::nullopt;
  return At->second;
}

std::string KernelImage::nameAt(uint64_t Address) const {
  for (const auto *In : {&S->Functions, &S->Data})
    if (auto At = In->find(Address); At != In->end())
      return At->second.first;
  return "";
}

std::string KernelImage::functionAt(uint64_t Address) const {
  auto At = S->Functions.upper_bound(Address);
  if (At == S->Functions.begin())
    return "";
  --At;
  uint64_t Size = At->second.second;
  return Size && Address - At->first >= Size ? "" : At->second.first;
}

std::optional<uint64_t> KernelImage::data(uint64_t Address,
                                          unsigned Bytes) const {
  for (const object::SectionRef &Section : S->object().sections()) {
    if (Section.isBSS() || !Section.getAddress() ||
        Address - Section.getAddress() >= Section.getSize())
      continue;
    Expected<StringRef> Contents = Section.getContents();
    if (!Contents) {
      consumeError(Contents.takeError());
      return std::nullopt;
    }
    uint64_t At = Address - Section.getAddress(), Value = 0;
    if (Bytes > sizeof(Value) || Contents->size() - At < Bytes)
      return std::nullopt;
    memcpy(&Value, Contents->data() + At, Bytes);
    return Value;
  }
  return std::nullopt;
}

std::multimap<uint64_t, uint64_t>
KernelImage::callsOf(const std::set<uint64_t> &Functions) const {
  constexpr uint8_t Call = 0xe8;
  constexpr size_t CallBytes = 5;
  std::multimap<uint64_t, uint64_t> Out;
  for (const object::SectionRef &Section : S->object().sections()) {
    if (!Section.isText() || !Section.getAddress())
      continue;
    Expected<StringRef> Contents = Section.getContents();
    if (!Contents) {
      consumeError(Contents.takeError());
      continue;
    }
    const uint8_t *Code = Contents->bytes_begin();
    for (size_t At = 0; At + CallBytes <= Contents->size(); ++At) {
      if (Code[At] != Call)
        continue;
      const uint64_t Returns = Section.getAddress() + At + CallBytes,
                     To = Returns +
                          static_cast<uint64_t>(
                              static_cast<int64_t>(static_cast<int32_t>(
                                  support::endian::read32le(Code + At + 1))));
      if (Functions.count(To))
        Out.emplace(To, Returns);
    }
  }
  return Out;
}

bool KernelImage::hasName(const std::string &Text) const {
  for (const object::SectionRef &Section : S->object().sections()) {
    if (!Section.isData() || Section.isBSS() || !Section.getAddress())
      continue;
    Expected<StringRef> Contents = Section.getContents();
    if (!Contents) {
      consumeError(Contents.takeError());
      continue;
    }
    for (size_t At = Contents->find(Text); At != StringRef::npos;
         At = Contents->find(Text, At + 1))
      if (size_t End = At + Text.size();
          End < Contents->size() &&
          ((*Contents)[End] == 0 || (*Contents)[End] == '_'))
        return true;
  }
  return false;
}

std::vector<ResultType> KernelImage::resultTypes(uint64_t ReturnAddress) const {
  std::array<uint8_t, 64> Code;
  size_t Bytes = 0;
  while (Bytes < Code.size()) {
    auto Byte = data(ReturnAddress + Bytes, 1);
    if (!Byte)
      break;
    Code[Bytes++] = static_cast<uint8_t>(*Byte);
  }
  return kst::resultTypes(S->Debug->context(), ReturnAddress,
                          llvm::ArrayRef(Code.data(), Bytes));
}

template <typename Visit>
static void eachCode(const object::ObjectFile &Object, Visit Of) {
  for (const object::SectionRef &Section : Object.sections())
    if (Section.isText() && Section.getAddress() && Section.getSize())
      Of(Section.getAddress(), Section.getAddress() + Section.getSize());
}

std::pair<uint64_t, uint64_t> KernelImage::codeRange() const {
  uint64_t Begin = ~uint64_t(0), End = 0;
  eachCode(S->object(), [&](uint64_t From, uint64_t To) {
    Begin = std::min(Begin, From);
    End = std::max(End, To);
  });
  return {End ? Begin : 0, End};
}

const std::string &KernelImage::problem() const { return S->Debug->problem(); }

Expected<FunctionCode> KernelImage::functionCode() const {
  // One of its own: all entries of a kernel are not to stay in memory.
  auto Debug = DebugInfo::openWhole(S->File);
  if (!Debug)
    return Debug.takeError();
  std::vector<std::pair<uint64_t, uint64_t>> Code;
  eachCode(S->object(),
           [&](uint64_t From, uint64_t To) { Code.emplace_back(From, To); });
  CodeQuestion Asked;
  Asked.Top = S->Top;
  Asked.IsCode = [&](uint64_t Address) {
    return llvm::any_of(Code, [&](const auto &C) {
      return Address >= C.first && Address < C.second;
    });
  };
  Asked.NameAt = [this](uint64_t Address) { return nameAt(Address); };
  FunctionCode Out = kst::functionCode(*Debug, Asked);
  if (Out.Functions.empty())
    return wrong(S->File, "debug information has no function with code");
  return Out;
}

std::string KernelImage::release() const {
  constexpr size_t MostBytes = 256;
  std::string Banner;
  auto Begin = symbol("linux_banner");
  for (size_t I = 0; Begin && I < MostBytes; ++I) {
    auto Byte = data(Begin->Address + I, 1);
    if (!Byte || !*Byte)
      break;
    Banner += static_cast<char>(*Byte);
  }
  StringRef Rest = Banner;
  return Rest.consume_front("Linux version ") ? Rest.split(' ').first.str()
                                              : "";
}

std::vector<SourcePlace> KernelImage::placesOf(uint64_t Address) const {
  DILineInfoSpecifier What(
      DILineInfoSpecifier::FileLineInfoKind::AbsoluteFilePath,
      DILineInfoSpecifier::FunctionNameKind::ShortName);
  DIInliningInfo Frames = S->Debug->context().getInliningInfoForAddress(
      {Address, object::SectionedAddress::UndefSection}, What);
  std::vector<SourcePlace> Out;
  for (uint32_t I = 0; I < Frames.getNumberOfFrames(); ++I) {
    const DILineInfo &Of = Frames.getFrame(I);
    StringRef File =
        Of.FileName == DILineInfo::BadString ? "" : StringRef(Of.FileName);
    File.consume_front(S->Top);
    if (Of.FunctionName != DILineInfo::BadString)
      Out.push_back({Of.FunctionName, File.str(), Of.Line, Of.Column});
  }
  if (Out.empty())
    Out.push_back({functionAt(Address), "", 0, 0});
  return Out;
}

} // namespace kst
