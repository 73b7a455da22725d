// SPDX-License-Identifier: GPL-2.0-or-later
//
// The guest's memory, read where QEMU keeps it, by the kernel's addresses.

#ifndef KST_BENCH_RECORDER_GUEST_H
#define KST_BENCH_RECORDER_GUEST_H

#include <stdbool.h>
#include <stdint.h>

#define DIRECT_BASE 0xffff888000000000ull
#define STRUCT_PAGE_BYTES 64

extern uint64_t ram_size;

// Takes a line of the configuration that is about memory; false: it is not.
bool guest_line(const char *line);
// The file with the memory. Ends the process if it cannot be mapped.
void map_ram(const char *path);

// 0 where nothing is.
uint64_t read_physical(uint64_t at);
uint64_t read_virtual(uint64_t address);
// ~0 if there is nothing.
uint64_t physical(uint64_t address);
// At most size - 1 bytes; text is left as it is where nothing is.
void read_text(uint64_t address, char *text, unsigned size);

// To be called when the first CPU's area is known, before the next two.
void read_sections(void);
uint64_t struct_page(uint64_t frame);
// The frame whose struct page is around this address, or ~0.
uint64_t frame_of(uint64_t address);

#endif
