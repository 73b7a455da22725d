// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/isolation/LinkFiles.h"

#include "hybrid/report/Numbers.h"

namespace kst {

uint32_t nthSection(const ObjectFile &File, const std::string &Name,
                    uint32_t Ordinal) {
  for (uint32_t S = 1; S < File.Sections.size(); ++S)
    if (File.Sections[S].Name == Name && !Ordinal--)
      return S;
  return ObjectSymbol::None;
}

std::string unlikeImage(const LinkFiles &Of) {
  for (const ObjectSection &S : Of.Image.Sections) {
    if (!S.Alloc || !S.SizeBytes)
      continue;
    const MapPart *Named = nullptr, *Same = nullptr;
    for (const MapPart &Part : Of.Final.Parts)
      if (Part.Name == S.Name) {
        Named = &Part;
        if (Part.Address == S.Address && Part.SizeBytes == S.SizeBytes)
          Same = &Part;
      }
    if (!Named)
      return "it has no " + S.Name + ", or was cut off before";
    if (!Same)
      return S.Name + " has " + hexText(Named->SizeBytes) + " bytes at " +
             hexText(Named->Address) + " there, and " + hexText(S.SizeBytes) +
             " at " + hexText(S.Address) + " in the image";
  }
  return "";
}

} // namespace kst
