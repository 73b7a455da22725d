/* What a driver reaches by numbers. */
#ifndef CONN_H
#define CONN_H

struct conn {
  unsigned long hot1;
  unsigned long cold1[8];
  unsigned long hot2;
  unsigned long cold2[8];
  unsigned long hot3;
  unsigned long cold3[8];
};

struct peer {
  unsigned char kind;
  unsigned char state;
  unsigned short port;
  unsigned long cold[9];
  unsigned long used;
};

unsigned long reg(void *any, unsigned int at);

#endif
