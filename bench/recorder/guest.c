// SPDX-License-Identifier: GPL-2.0-or-later

#include "guest.h"

#include "objects.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// x86-64, four levels of page tables, nokaslr.
#define VMEMMAP_BASE 0xffffea0000000000ull

uint64_t ram_size;
static uint64_t image_shift, page_table;
static uint64_t sections, section_bits, section_bytes;

bool guest_line(const char *line) {
  return sscanf(line, "ram %lx", &ram_size) == 1 ||
         sscanf(line, "image %lx", &image_shift) == 1 ||
         sscanf(line, "pgt %lx", &page_table) == 1 ||
         sscanf(line, "sections %lx %lx %lx", &sections, &section_bits,
                &section_bytes) == 3;
}

// ---- the guest's memory

static const uint8_t *ram;

uint64_t read_physical(uint64_t at) {
  uint64_t value = 0;
  if (at <= ram_size - 8)
    memcpy(&value, ram + at, 8);
  return value;
}

// ~0 if there is nothing.
uint64_t physical(uint64_t address) {
  const uint64_t frame = 0x000ffffffffff000ull;
  if (address >= IMAGE_BASE)
    return address - image_shift;
  if (address >= DIRECT_BASE && address < DIRECT_BASE + ram_size)
    return address - DIRECT_BASE;
  uint64_t table = page_table - image_shift;
  for (int shift = 39; shift >= 12; shift -= 9) {
    uint64_t entry = read_physical(table + ((address >> shift) & 511) * 8);
    uint64_t within = (1ull << shift) - 1;
    if (!(entry & 1))
      return ~0ull;
    if (shift == 12 || (shift < 39 && (entry & 0x80)))
      return (entry & frame & ~within) | (address & within);
    table = entry & frame;
  }
  return ~0ull;
}

uint64_t read_virtual(uint64_t address) {
  return read_physical(physical(address));
}

void map_ram(const char *path) {
  int file = open(path, O_RDONLY);
  if (file < 0)
    fail("cannot open", path);
  void *mapped = mmap(NULL, ram_size, PROT_READ, MAP_SHARED, file, 0);
  if (mapped == MAP_FAILED)
    fail("cannot map", path);
  ram = mapped;
  close(file);
}

void read_text(uint64_t address, char *text, unsigned size) {
  uint64_t at = physical(address);
  if (at < ram_size - size)
    memcpy(text, ram + at, size - 1);
}

// Where the struct pages of each section of memory are, if they are not all at
// VMEMMAP_BASE. Known when the first CPU's area is.
enum { MAX_SECTIONS = 256 };
static uint64_t section_map[MAX_SECTIONS]; // of the frame 0, may wrap

void read_sections(void) {
  if (!sections)
    return;
  uint64_t per_root = 4096 / section_bytes;
  for (uint64_t n = 0; n < MAX_SECTIONS && n << section_bits < ram_size; ++n) {
    uint64_t root = read_virtual(read_virtual(sections) + n / per_root * 8);
    if (root)
      section_map[n] =
          read_virtual(root + n % per_root * section_bytes) & ~63ull;
  }
}

uint64_t struct_page(uint64_t frame) {
  uint64_t base =
      sections ? section_map[frame >> (section_bits - 12)] : VMEMMAP_BASE;
  return base + frame * STRUCT_PAGE_BYTES;
}

// The frame whose struct page has this address, or ~0.
uint64_t frame_of(uint64_t address) {
  uint64_t frame = (address - VMEMMAP_BASE) / STRUCT_PAGE_BYTES;
  if (!sections)
    return frame < ram_size >> 12 ? frame : ~0ull;
  for (uint64_t n = 0; n < MAX_SECTIONS && n << section_bits < ram_size; ++n) {
    frame = (address - section_map[n]) / STRUCT_PAGE_BYTES;
    if (section_map[n] && frame >> (section_bits - 12) == n)
      return frame < ram_size >> 12 ? frame : ~0ull;
  }
  return ~0ull;
}
