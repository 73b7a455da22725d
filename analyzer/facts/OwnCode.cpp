// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/OwnCode.h"

#include "clang/Driver/Types.h"
#include "llvm/Support/Path.h"

using namespace clang;

namespace kst {

bool isSourceName(llvm::StringRef Path) {
  llvm::StringRef Extension = llvm::sys::path::extension(Path);
  if (!Extension.consume_front("."))
    return false;
  const driver::types::ID Type =
      driver::types::lookupTypeForExtension(Extension);
  return Type != driver::types::TY_INVALID &&
         driver::types::isAcceptedByClang(Type) &&
         !driver::types::onlyPrecompileType(Type);
}

std::optional<PresumedLoc> presumedPlace(const SourceManager &Sources,
                                         SourceLocation Expansion) {
  bool Invalid = false;
  const SrcMgr::SLocEntry &Entry =
      Sources.getSLocEntry(Sources.getFileID(Expansion), &Invalid);
  if (Invalid || !Entry.isFile() || !Entry.getFile().hasLineDirectives())
    return std::nullopt;
  PresumedLoc Place = Sources.getPresumedLoc(Expansion);
  if (Place.isInvalid())
    return std::nullopt;
  return Place;
}

bool isOwnPlace(const SourceManager &Sources, SourceLocation Where) {
  const SourceLocation Expansion = Sources.getExpansionLoc(Where);
  const FileID File = Sources.getFileID(Expansion);
  if (File.isInvalid())
    return false;
  if (std::optional<PresumedLoc> Said = presumedPlace(Sources, Expansion);
      Said && Said->getIncludeLoc() != Sources.getIncludeLoc(File))
    return isSourceName(Said->getFilename());
  if (File == Sources.getMainFileID())
    return true;
  const OptionalFileEntryRef Entry = Sources.getFileEntryRefForID(File);
  return Entry && isSourceName(Entry->getName());
}

bool isOwnFunction(ASTContext &Context, const FunctionDecl *Definition) {
  if (Definition->isDependentContext() || Definition->isInvalidDecl())
    return false;
  // Made by the compiler where it is used, and nothing to run.
  if (Definition->isDefaulted() && Definition->isTrivial())
    return false;
  if (isOwnPlace(Context.getSourceManager(), Definition->getLocation()))
    return true;
  // Inline functions of C headers may have lost their body, see NeededBodies.
  return (Context.getLangOpts().CPlusPlus ||
          !Definition->isInlineSpecified()) &&
         Context.DeclMustBeEmitted(Definition);
}

} // namespace kst
