// SPDX-License-Identifier: GPL-2.0-or-later

struct slot {
  long count;
  long sum; /* of all */
};

struct pair {
  long a, b;
};

struct holder {
  long before;
  int counts[4];
};

struct queue {
  long head;
  long tail;
};
