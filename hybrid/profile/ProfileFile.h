// SPDX-License-Identifier: GPL-2.0-or-later
//
// The file form of a profile, .kstp: what `profile import` and `profile merge`
// write and every other command reads. Tables are copied whole; all trust is
// earned in readProfile().
//
// Little-endian. 56 bytes of header: magic "KSTPROFL", u32 version, u32 number
// of tables, u64 size of the file, u64 XXH3 of everything behind these 8 bytes,
// u32 Runs, u32 0, u64 DurationNs, u64 Lost. Then every table: u32 rows, u32
// bytes per row, the rows, zeros up to a multiple of 8. Tables, with the
// members of their rows as hybrid/profile/Profile.h declares them: Structs,
// Elements, Sites, Regions, References, ByAddress, Samples, NotCounted; then
// twice the lengths of texts (u32) and their bytes (u8): Strings, and what Text
// holds: key, value, key, value, sorted by key; last, unless they are empty,
// Threads and Members. With Members there is always a table Threads.

#pragma once

#include "hybrid/core/Result.h"
#include "hybrid/profile/Profile.h"

#include <string>
#include <string_view>

namespace kst {

/// Changes whenever the bytes or their meaning change.
inline constexpr uint32_t ProfileFormatVersion = 1;

/// Whether bytes look like a profile: for formats told apart by content.
bool looksLikeProfile(std::string_view Bytes);

/// Equal profiles give equal bytes, on every run and machine. Tables of
/// 2^32 - 1 rows or more are a programmer's error.
std::string writeProfile(const Profile &P);

/// The profile that writeProfile() was given. A file that is cut short,
/// damaged, of another version, or that breaks a rule of checkProfile() is a
/// Failure, never undefined behaviour. Takes at most 16 times the memory of
/// Bytes, whatever they say. Any alignment; fastest when Bytes begin at a
/// multiple of 8.
Result<Profile> readProfile(std::string_view Bytes);

} // namespace kst
