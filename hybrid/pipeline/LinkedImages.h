// SPDX-License-Identifier: GPL-2.0-or-later
//
// Reads what was linked: the image, the maps of its links, all object files.

#ifndef KST_HYBRID_PIPELINE_LINKEDIMAGES_H
#define KST_HYBRID_PIPELINE_LINKEDIMAGES_H

#include "hybrid/isolation/LinkedImage.h"
#include "hybrid/pipeline/Errors.h"

#include <map>
#include <string>
#include <vector>

namespace kst {

struct LinkRequest {
  std::string Image;
  std::string Map; ///< empty: IMAGE.map
  std::string
      InnerMap; ///< empty: vmlinux.o.map beside the image, if it is there
  std::string Objects; ///< names in maps count from here; empty: as the image
  /// New object files, NAME=FILE with the name as the map has it.
  std::vector<std::string> Changed;
  /// A directory with the new objects of another build; empty: none.
  std::string Against;
};

/// The objects that differ, by the names in the maps.
using ChangedObjects = std::map<std::string, ObjectFile>;

struct OpenedLink {
  LinkedImage Image;
  ChangedObjects Changed;
  size_t ObjectsRead = 0;
};

/// A usageError names the file, and what to do about it.
llvm::Expected<OpenedLink> openLink(const LinkRequest &Asked,
                                    const DiagnosticConsumer &Diags);

/// A map by itself; names in it count from Folder.
llvm::Expected<LinkMap> openMap(const std::string &File,
                                const std::string &Folder);
/// A linked image with symbols.
llvm::Expected<ObjectFile> openImage(const std::string &File);

} // namespace kst

#endif
