// SPDX-License-Identifier: GPL-2.0-or-later
//
// JSON of reports as text. It is UTF-8 whatever the sources are written in.

#ifndef KST_HYBRID_REPORT_JSONTEXT_H
#define KST_HYBRID_REPORT_JSONTEXT_H

#include "hybrid/core/ValidText.h"

#include <string>
#include <utility>

namespace kst {

/// The same value with validText() in all strings. `Json` is one of nlohmann's
/// types.
template <typename Json> Json withValidText(const Json &Value) {
  Json Made = Value;
  if (Value.is_string())
    return validText(Value.template get_ref<const std::string &>());
  if (Value.is_array())
    for (Json &Element : Made)
      Element = withValidText(std::as_const(Element));
  if (Value.is_object()) {
    Made = Json::object();
    for (const auto &[Name, Member] : Value.items())
      Made[validText(Name)] = withValidText(Member);
  }
  return Made;
}

/// Value as text, without a newline at the end; Indent -1: on one line.
template <typename Json> std::string jsonText(const Json &Value, int Indent) {
  auto Dump = [Indent](const Json &Of) {
    return Of.dump(Indent, ' ', false, Json::error_handler_t::replace);
  };
  std::string Text = Dump(Value);
  // What stands for bytes that are no character.
  constexpr const char *Replacement = "\xef\xbf\xbd";
  return Text.find(Replacement) == std::string::npos
             ? Text
             : Dump(withValidText(Value));
}

} // namespace kst

#endif
