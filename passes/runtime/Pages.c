// SPDX-License-Identifier: GPL-2.0-or-later
//
// The page table of address mode, apart so that programs without it do not
// carry it.

#include "Internal.h"

KST_PUBLIC struct kst_page __kst_pages[(1 << KST_PAGE_BITS) * KST_PAGE_WAYS];

// Code that only looks addresses up refers to nothing else of the runtime.
__attribute__((used)) static void (*const anchor)(void) = kst_image;
