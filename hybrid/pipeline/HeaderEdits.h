// SPDX-License-Identifier: GPL-2.0-or-later
//
// Headers with definitions in the proposed orders: several structs, in one
// header or in many, laid out by the front end in all of them at once.

#ifndef KST_HYBRID_PIPELINE_HEADEREDITS_H
#define KST_HYBRID_PIPELINE_HEADEREDITS_H

#include "analyzer/rewrite/VerifyPatched.h"
#include "hybrid/fieldorder/PatchText.h"
#include "hybrid/pipeline/Analyze.h"

#include "llvm/Support/Error.h"

#include <map>
#include <string>
#include <vector>

namespace kst {

/// One struct's share of the new texts.
struct StructEdit {
  const AnalyzedStruct *Struct = nullptr;
  RecordInfo Joint; ///< lines as in the text before this edit
  std::vector<std::string> Notes;
  PatchGroups Groups;
  std::vector<std::string> Markers; ///< members that are new
};

class HeaderEdits {
public:
  struct File {
    std::string Name; ///< as RecordInfo::File
    std::string Old, New;
  };

  /// Rewrites every definition, in the order of the text from its end, and has
  /// the front end lay out all of them in the final texts, in every
  /// configuration. An error says which struct could not be changed, or is not
  /// laid out as predicted; nothing was written.
  static llvm::Expected<HeaderEdits>
  make(const Configs &All, const std::vector<const AnalyzedStruct *> &Structs,
       bool Markers);

  /// By absolute path.
  const std::map<std::string, File> &files() const { return Files; }
  /// In the order in which they were given.
  const std::vector<StructEdit> &structs() const { return Structs; }

private:
  explicit HeaderEdits(const Configs &All) : All(&All) {}
  std::string pathOf(const StructEdit &Edit) const {
    return All->headerOf(Edit.Joint);
  }
  llvm::Error change(StructEdit &Edit, RecordInfo &After);
  llvm::Error reorder(StructEdit &Edit, const std::string &Attribute);
  llvm::Error mark(StructEdit &Edit, const RecordInfo &After);
  llvm::Error verify(StructEdit &Edit, RecordInfo *After = nullptr) const;
  llvm::Error macrosAreKnown(const StructEdit &Edit, const std::string &Text,
                             const RecordInfo &After) const;
  std::vector<OverlayFile> overlays() const;

  const Configs *All;
  std::map<std::string, File> Files;
  std::vector<StructEdit> Structs;
};

} // namespace kst

#endif
