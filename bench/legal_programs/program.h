// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the programs of this folder share. Each checks itself: main() returns 0
// in every order of struct s (or of the one that a line `STRUCT:` names) that
// the language and the program's own assumptions allow.

#ifndef KST_BENCH_LEGAL_PROGRAMS_PROGRAM_H
#define KST_BENCH_LEGAL_PROGRAMS_PROGRAM_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

#endif
