// SPDX-License-Identifier: GPL-2.0-or-later
//
// From what comments demand to rules for the order: which members a comment
// speaks of.
//
//  - behind a member or below it: that member ("the above": all before it, up
//    to a blank line);
//  - above members: the next one; "these two", "both": so many; "these",
//    "fields", "following": all up to a blank line or the next comment;
//  - members that it names, if it does;
//  - with a blank line below it: the place where it stands;
//  - above the struct: members by kernel-doc's @name and those that a sentence
//    names; a sentence about order or layout that names none: the struct.
//    Sentences about the first or last place, or about cache lines, that name
//    none demand nothing there: they are about what embeds the struct, or
//    advice for those who add members;
//  - inside a member that is a struct of its own: nothing. Inside one without
//    a name: the first and the last place, where the member has that place.

#pragma once

#include "analyzer/rewrite/Definition.h"

#include <vector>

namespace kst {

/// Rules of all comments in and directly above the definition, in the order of
/// the text, each with the comment's words and line. Their ids are of the topic
/// "comment".
std::vector<SourceRule> commentRules(const Definition &Source,
                                     const RecordInfo &Record);

} // namespace kst
