// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/rewrite/CommentPhrases.h"

#include "llvm/Support/Regex.h"

#include <string>
#include <vector>

namespace kst {

namespace {

struct Row : Phrase {
  Row(DemandWord What, bool Firm, const char *Pattern, const char *Unless)
      : Phrase{What, Firm}, Pattern(Pattern), Unless(Unless) {}
  const char *Pattern; ///< NAMES in it stand for the groups below
  const char *Unless;  ///< no demand if the sentence has this too; or null
};

/// Without one of these, words demand nothing of the kind: looking for them is
/// much cheaper than the patterns. By DemandWord.
const char *const Stems[] = {
    "first|start|beginning|top|head|front|offset|above|before",
    "last|end|bottom|tail|below|after|behind|beyond|past",
    "mov|relocat|displac|offset|position|location|placement|above|below|"
    "before|after|here",
    "order|permut|arrange|shuffle|swap|separate|split|sequence|layout|end|"
    "bottom|tail|last|before|after|struct",
    "together|adjacent|contiguous|consecutive|next to|side by|back to|close "
    "to|near|cache|sharing|hot|cold|layout",
    "follow|precede|after|before|next to|adjacent",
    "layout|match|mirror|agree|correspond|identical|same|compatible|sync|"
    "consistent|equal|align|overla|shar|common|offset|map|abi|uapi|asm|assembl|"
    ".s |hardware|hw|firmware|fw|hypervisor|microcode|wire|disk|chang|modif|"
    "alter"};

/// Groups of words, for the patterns.
const std::pair<const char *, const char *> Groups[] = {
    {"MUST", "(must|has to|have to|needs to|need to|had better|shall|is to|are "
             "to|ought to)"},
    {"SHOULD", "(should|keep|kept|keeps|always|stays?|remains?|leave|put|"
               "placed?|want to|wants to|supposed to|better)"},
    // What may stand between "must" and "first".
    {"FILL", "( (be|been|the|very|kept|keep|stay|remain|always|also|placed|put|"
             "come|go|appear|located|declared|listed|left|still|it|its|this|"
             "these|them|that|those|at|as|in|obviously|really|absolutely|"
             "field|fields|member|members|struct|structure|@f|@t|both|two|all|"
             "sit|live|lie|therefore|thus|strictly|only|read|mostly))*"},
    {"MEMBER",
     "(fields?|members?|elements?|entry|entries|item|items|variables?|"
     "things?|one|component|stuff)"},
    {"STRUCT", "((the |this |that |its |their |our |a |each )?(struct @t|"
               "@t|@s|struct|structure|structs|structures|union|definition|"
               "object|[a-z0-9]+_[a-z0-9_]+))"},
    // What may follow "first": the sentence ends or goes on without a noun.
    {"REST", "(,|$|for|to|because|so|since|due|as|otherwise|see|we|it|this|and|"
             "or|anyway|here|please|if|when|while|but|on|unless|thanks|per|"
             "that|which|in order|always|is|are|be|will|given|by|lest)"},
    {"ALIKE", "(match|matches|matched|mirror|mirrors|agree with|correspond to|"
              "corresponds to|identical to|identical with|the same as|"
              "compatible with|in sync with|in sync|synced with|synchronized "
              "with|consistent with|equal to|aligned with)"},
    {"SHAPE", "(layouts?|structs?|structures?|offsets?|definitions?|format|"
              "@t|order of @f|prefix|header of)"},
    {"OUTSIDE",
     "(hardware|hw|firmware|fw|user ?space|userland|user programs|hypervisor|"
     "microcode|ucode|assembly|assembler|asm|bootloader|bios|uefi|"
     "the device|the nic|the chip|bpf programs|tracing tools|crash|gdb|"
     "the guest|the host|other kernel|the vdso|vdso)"},
    {"LINE", "cache ?lines?"},
};

const Row Rows[] = {
    // The first and the last place.
    {DemandWord::First, true, " MUSTFILL first( MEMBER)? REST",
     " first to (be|do|run|take|get|go) "},
    {DemandWord::First, true,
     " first (field|member|element|entry) (must|has to|should) be (a |an |the "
     ")?(@t|@f|struct|of|[a-z0-9]+_[a-z0-9_]+)",
     nullptr},
    {DemandWord::First, true, " MUSTFILL first MEMBER (of|in) STRUCT", nullptr},
    {DemandWord::First, true, " MUSTFILL first (of|in|inside|within) STRUCT",
     nullptr},
    {DemandWord::First, false, " SHOULDFILL first( MEMBER)? REST", nullptr},
    {DemandWord::First, false,
     " SHOULDFILL first( MEMBER)? (of|in|inside|within) STRUCT", nullptr},
    {DemandWord::First, false, " first (field|member|element) (of|in) STRUCT",
     " (pointer to|points to|offset|address of) "},
    {DemandWord::Last, true, " MUSTFILL last( MEMBER)? REST", nullptr},
    {DemandWord::Last, true,
     " MUSTFILL last( MEMBER)? (of|in|inside|within) STRUCT", nullptr},
    {DemandWord::Last, false, " SHOULDFILL last( MEMBER)? REST", nullptr},
    {DemandWord::Last, false,
     " SHOULDFILL last( MEMBER)? (of|in|inside|within) STRUCT", nullptr},
    {DemandWord::First, true,
     " MUSTFILL (at|near|to|on|towards)( the| its)?( very)? "
     "(start|beginning|top|head|front|"
     "offset 0|offset zero|zero offset|offset 0x0)( (of|in) STRUCT)? REST",
     nullptr},
    {DemandWord::First, false,
     " SHOULDFILL (at|near|to|on|towards)( the| its)?( very)? "
     "(start|beginning|top|front|"
     "offset 0|offset zero|zero offset|offset 0x0)( (of|in) STRUCT)? REST",
     nullptr},
    {DemandWord::Last, true,
     " MUSTFILL (at|near|to|on|towards)( the| its)?( very)? (end|bottom|tail)( "
     "(of|in) "
     "STRUCT)? REST",
     nullptr},
    {DemandWord::Last, false,
     " SHOULDFILL (at|near|to|on|towards)( the| its)?( very)? "
     "(end|bottom|tail)( (of|in) "
     "STRUCT)? REST",
     nullptr},
    {DemandWord::Last, true,
     " (not|never) (put|add|insert|place) (anything|any|new|other|more)?( "
     "[a-z@]+)? ?(below|after|behind|beyond|past)( (here|this|it|@f|these))? "
     "REST",
     nullptr},
    {DemandWord::First, true,
     " (not|never) (put|add|insert|place) (anything|any|new|other|more)?( "
     "[a-z@]+)? ?(above|before)( (here|this|it|@f|these))? REST",
     nullptr},

    // Where it is, and nowhere else.
    {DemandWord::Stay, true,
     " (do not|never|must not|should not|without) (move|moving|relocate|"
     "displace) "
     "(this|these|it|them|@f|anything|MEMBER|the MEMBER|any MEMBER|the order|,|"
     "around|$)",
     " (not|never) (move|moving) (this|these|it|them) (to|from|into|until|"
     "while|unless|when|if|across|between|on) "},
    {DemandWord::Stay, true,
     " (this|these|it|they|@f|MEMBER) (must|should|may|can|shall) (not|never) "
     "be (moved|relocated)",
     " page"},
    {DemandWord::Stay, true,
     " (not|never) (change|modify|alter|touch|disturb)( the)?( @f)? "
     "(offsets?|position|location|placement)",
     nullptr},
    {DemandWord::Stay, true,
     " (offset|position|location) (of )?(this|these|the|@f|MEMBER)?( MEMBER| "
     "@f)?( [a-z@]+)? ?(must|should|can|may) (not|never) (be changed|change|"
     "move)",
     nullptr},
    {DemandWord::Stay, true,
     " (must|has to|needs to) (be|stay|remain|live) at "
     "(this |a |the )?(fixed |same |constant |known )?"
     "offset",
     " (file|from the start of the) "},

    // The order of several.
    {DemandWord::Order, true,
     " (not|never|without) (re ?order|reordering|permute|rearrange|re ?arrange|"
     "reshuffle|shuffle|swap|separate|split)",
     " (packets?|writes?|reads?|stores?|loads?|requests?|memory|instructions?|"
     "frames?|compiler|barriers?|segments?) "},
    {DemandWord::Order, true,
     " (this|these|they|@f|MEMBER|STRUCT) (must|should|may|can|shall) (not|"
     "never) be (reordered|re ordered|rearranged|separated|permuted|split)",
     " (packets?|writes?|reads?|stores?|frames?) "},
    {DemandWord::Order, true,
     " (not|never) (change|modify|alter|mess with|disturb|touch) (the |this |"
     "their )?(order|ordering|sequence|layout)",
     nullptr},
    {DemandWord::Order, true,
     " (the |this |their |its )?(order|ordering|sequence|layout) (of |in )?"
     "(the |these |this |those |all |its )?(struct @t |structure |struct |@t |"
     "following |above |below )?(MEMBER|them|these|struct|structure|@f|@t)?( "
     "[a-z@]+)?( [a-z@]+)? ?(matters|is important|are important|important|is "
     "critical|is significant|is relied|is fixed|is crucial|is essential|is "
     "assumed|is expected|is known|is used by|is required|must|should not|can "
     "not|may not|has to|needs to)",
     " (byte|network|host|lock|locking|sort|sorted|ascending|descending|memory|"
     "page|allocation|execution|calling|arrival|list|init|initialization) "
     "(order|ordering|sequence) | in order to | order of (calls|operations|"
     "execution|pages|locks|allocation) "},
    {DemandWord::Order, false,
     " (relies|rely|relying|depends|depend|dependency|dependent) on the (order|"
     "ordering|layout|sequence) (of|in) (the |these |this )?(MEMBER|@t|struct|"
     "structure|definition)",
     nullptr},
    {DemandWord::Order, true,
     " (keep|kept|preserve|maintain|stay|remain|declared|laid out)( "
     "[a-z0-9_@,]+){0,8}( in)? (this|the same|exact|that|their|the exact|this "
     "exact) order REST",
     " (called|call|locked|taken|acquired|freed|init|sorted|processed|lock|"
     "list|queue) "},
    {DemandWord::Order, true,
     " (MEMBER|@f|ops|callbacks|this|these) (must|should|has to|have to) come "
     "(before|after) [a-z0-9_.@]+",
     " (call|called|lock|taken|initiali[sz]ed) "},
    {DemandWord::Order, false,
     " (do not|never) (change|modify|alter) (the |this |below |following )+"
     "(struct|structure)",
     nullptr},
    {DemandWord::Order, false,
     " (add|put|append|place|insert)( any| all)? (new|further|additional|more) "
     "MEMBER( only)?( at)?( the)?( very)? (end|bottom|tail|last)",
     nullptr},
    {DemandWord::Stay, false,
     " (new|further|additional|more|other|critical) ([a-z]+ )?MEMBER "
     "(for @t |in @t )?(should|must|have to|need to|go|can|may)( only)?( be)?( "
     "added| put| placed| go)? (above|below|before|after|here)",
     nullptr},

    // Neighbours.
    {DemandWord::Follows, true,
     " (must|has to|have to|needs to|should|shall)( always)? (immediately|"
     "directly) (follow|precede|come after|come before)",
     nullptr},
    {DemandWord::Follows, true,
     " (must|has to|have to|needs to|should|shall)( always)? (follow|precede|"
     "come after|come before|be after|be before|come right after|come right "
     "before|be next to|be right after|be right before|be directly after|be "
     "directly before|be immediately after|be immediately before|be just "
     "before|be just after|be adjacent to|come directly after|come directly "
     "before) (the )?(@f|(this|that|previous|preceding|next) MEMBER)",
     nullptr},
    {DemandWord::Together, true,
     " (must|has to|have to|needs? to|shall)( be)?( kept| stay| remain| "
     "placed| grouped)? (together|adjacent|contiguous|consecutive|next to each "
     "other|"
     "side by side|back to back)( (in|within|inside) STRUCT)? REST",
     " (pages?|memory|blocks?|physically|virtually|slots?|array|pfns?|range|"
     "buffers?|ids?|numbers?|irqs?|vectors?|sectors|ranges|addresses|"
     "used|called|set|freed|allocated) "},
    {DemandWord::Together, false,
     " (keep|kept|should|put|place|placed|stay|grouped|group|live|packed)( be)?"
     "( kept| stay| remain| placed)?( [a-z0-9_@]+)?( [a-z0-9_@]+)? (together|"
     "adjacent|contiguous|consecutive|next to each other|side by side|back to "
     "back|next to @f|adjacent to @f|close to @f|near @f)( (in|within|inside|"
     "with) (STRUCT|@f|LINE))? REST",
     " (pages?|memory|blocks?|physically|virtually|slots?|array|pfns?|range|"
     "buffers?|ids?|numbers?|irqs?|vectors?|sectors|ranges|regions?|addresses|"
     "used|called|set|freed|allocated|try to) "},
    {DemandWord::Together, false,
     " these( all)? (adjacent|contiguous|"
     "consecutive) MEMBER",
     nullptr},
    {DemandWord::Together, false,
     " (same|own|next|contended|readonly|read "
     "write|rw|separete|seperate|separate|separated?|different|single|one|"
     "another|dedicated|"
     "private|exclusive|isolated|hot|cold|hottest|read mostly|mostly "
     "read|write "
     "mostly|read only|shared|first|second|third|last)( [a-z]+)? LINE",
     " (bounce|bouncing|misses|[0-9]+ bytes|dirty "
     "cache|size of) |try to | no need | need not | not need | "
     "will be on | more than one | per cache "},
    {DemandWord::Together, false,
     " LINE( [a-z0-9]+)? (on purpose|intentionally|deliberately|hot|aligned "
     "on purpose)",
     nullptr},
    {DemandWord::Together, false, " (not|never) share( a| the| any)? LINE",
     nullptr},
    {DemandWord::Together, false,
     " (hot|cold|hottest) (fields|members|stuff|variables)", nullptr},
    {DemandWord::Together, false,
     " aligned (to|on|at) (a |the )?LINE| layout is optimi[sz]ed", nullptr},
    {DemandWord::Together, false,
     " (avoid|avoids|avoiding|prevent|prevents|reduce|reduces|eliminate) "
     "(the )?(false sharing|cache ?line (bouncing|sharing|contention|ping "
     "pong))",
     " (try to|by using|per cpu) "},

    // A layout that others share.
    {DemandWord::Layout, true,
     " (must|has to|have to|needs? to|should|shall|keep|kept|make sure|ensure|"
     "always|better)( [a-z0-9_@]+){0,4} ALIKE( [a-z0-9_@.]+){0,5} SHAPE",
     " (be|set|use) [a-z0-9_]+ to match | (value|values|types? "
     "must|version|number of|alignment of|size of|bits "
     "in|flags? must|name) "},
    {DemandWord::Layout, true,
     " (layouts?|structs?|structures?|offsets?|definitions?|prefix|"
     "beginning|start)( [a-z0-9_@]+)?( "
     "[a-z0-9_@]+)? (must|has to|have to|needs? to|should|shall|keep|kept)( "
     "[a-z0-9_@]+)?( [a-z0-9_@]+)? ALIKE",
     " (value|values|version|number|flags?|name|index|id|length|len|size|type|"
     "alignment|count) (must|has|have|need|should|of) "},
    {DemandWord::Layout, false,
     " same (memory )?(layout|offsets?|order|position|place|structure|"
     "prefix|first MEMBER|initial MEMBER|header|size and layout)( [a-z]+)? "
     "(as|of|for|in|with)",
     " (file|page|in the same order) "},
    {DemandWord::Layout, false,
     " (have|has|having|with|share|shares) (the )?"
     "(same|identical|common|compatible) (memory )?"
     "(layout|prefix|initial|beginning|start)",
     nullptr},
    {DemandWord::Layout, false,
     " (shared|common|identical) (layout|prefix|beginning) (with|as|of|to) ",
     nullptr},
    {DemandWord::Layout, false,
     " (mirrors?|mirrored|mirroring|overlays?|overlaid|overlaying) "
     "(of |on |with |in |from |the |that of |over )*(struct|layout|@t|"
     "structure|definition|first MEMBER)",
     nullptr},
    {DemandWord::Layout, false,
     " (layout|offsets?)( [a-z@]+)?( [a-z@]+)? "
     "(shared|defined|known|used|dictated|imposed|required|expected|mandated|"
     "assumed|hard ?coded|fixed|specified|given|determined|needed|accessed|"
     "relied on|visible|exposed)( [a-z]+)? (by|with|in|from)",
     " (page|disk|memory|flash) layout | (file|page|byte|block|time) offset "},
    {DemandWord::Layout, false,
     " (shared|sharing)( [a-z]+)? (with|between|by)( the| kernel and)?( "
     "[a-z]+)? OUTSIDE",
     " (interrupt|irq|line|pin|bus|pages?|mapping|buffers?|memory) "},
    {DemandWord::Layout, false,
     " (mapped|mmapped) (to |in |into )?(the )?(user space|userland|vdso|"
     "guest)",
     " (pages?|memory|buffers?|whether|if|when|not) "},
    {DemandWord::Layout, true,
     " (breaks?|breaking|changes?|fixed by|"
     "defined by|stable|preserve|part of|keep|"
     "changing) (the |this )?(user ?space |"
     "kernel |user |module )?(abi|kabi|uapi)",
     " determined by "},
    {DemandWord::Layout, false,
     " (used|accessed|referenced|known|hard ?coded|needed|read|touched|"
     "shared|required|loaded|offsets?)( [a-z]+)? (by|in|from|with|for)( "
     "[a-z0-9_]+)? (asm|assembly|assembler|[a-z0-9_]+\\.s)( |$)",
     " asm generic "},
    {DemandWord::Layout, false,
     " (hardware|hw|firmware|fw|hypervisor|microcode) (defined|layout|visible|"
     "readable|mandated|dictated|specified|structure|abi|descriptor)",
     nullptr},
    {DemandWord::Layout, false,
     "^ (the |this is (the |an )?([a-z0-9@]+ )*|these are |in memory and )?(on "
     "the wire|on wire|on disk) (format|layout|representation|structure|"
     "header|data structure)",
     " (version|tracking|copy) "},
    {DemandWord::Layout, true,
     " (when|if) (you )?(chang(e|ing)|modify(ing)?) "
     "(the |this )?(layout|order)",
     nullptr},
    {DemandWord::Layout, true,
     " (if|when|whenever) (you )?(this|the|change|changing|modify|modifying)( "
     "[a-z@]+)?( [a-z@]+)?( is altered| is changed| changes)?( ,)? [a-z0-9_ "
     "@,]*(must|has to|needs to)( be)? (change|changed|updated|adjusted|match|"
     "modified|kept in sync)( too| as well| accordingly| to match)",
     nullptr},
};

/// Replaces the names of groups by the groups.
std::string expanded(llvm::StringRef Pattern) {
  std::string Text = Pattern.str();
  bool Again = true;
  while (Again) {
    Again = false;
    for (auto [Name, Words] : Groups)
      for (size_t At; (At = Text.find(Name)) != std::string::npos;) {
        Text.replace(At, llvm::StringRef(Name).size(), Words);
        Again = true;
      }
  }
  return Text;
}

struct CompiledRow {
  const Row *Of;
  llvm::Regex Pattern, Unless;
};

const std::vector<CompiledRow> &compiledRows() {
  static const std::vector<CompiledRow> All = [] {
    std::vector<CompiledRow> Made;
    for (const Row &R : Rows)
      Made.push_back({&R, llvm::Regex(expanded(R.Pattern)),
                      llvm::Regex(R.Unless ? R.Unless : "^\\.$")});
    return Made;
  }();
  return All;
}

bool hasStem(llvm::StringRef Words, DemandWord What) {
  llvm::StringRef Rest = Stems[static_cast<size_t>(What)];
  while (!Rest.empty()) {
    auto [Stem, Others] = Rest.split('|');
    if (Words.contains(Stem))
      return true;
    Rest = Others;
  }
  return false;
}

} // namespace

const Phrase *phraseIn(llvm::StringRef Words) {
  bool Possible[std::size(Stems)];
  for (size_t What = 0; What != std::size(Stems); ++What)
    Possible[What] = hasStem(Words, static_cast<DemandWord>(What));
  for (const CompiledRow &R : compiledRows())
    if (Possible[static_cast<size_t>(R.Of->What)] && R.Pattern.match(Words) &&
        !R.Unless.match(Words))
      return R.Of;
  return nullptr;
}

} // namespace kst
