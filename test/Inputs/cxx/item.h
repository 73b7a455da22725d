/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A struct of C that C++ uses as well. */
#ifndef ITEM_H
#define ITEM_H
struct item {
	unsigned long key;
	char name[120];
	unsigned long hits;
	char note[120];
	unsigned long size;
};
#ifdef __cplusplus
extern "C" {
#endif
void step(struct item *i);
#ifdef __cplusplus
}
#endif
#endif
