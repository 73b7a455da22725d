// SPDX-License-Identifier: GPL-2.0-or-later
struct tree {
  long root;
};
struct inode {
  long number;
  struct tree pages;
};
struct folio {
  long flags;
  struct inode *host;
};
struct dentry {
  long hash;
  struct inode *d_inode;
};
struct buffer {
  long state;
  union {
    long page;
    struct folio *b_folio;
  };
};
struct node {
  struct tree *tree;
};
void instantiate(struct dentry *dentry, struct inode *inode) {
  dentry->d_inode = inode;
}
void set(struct buffer *buffer, struct folio *folio, struct inode *inode) {
  buffer->b_folio = folio;
  folio->host = inode;
}
void clear(struct folio *folio) { folio->host = 0; }
