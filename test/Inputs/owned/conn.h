struct conn {
  long requests;
  long errors;
  long limit;
  long spare[4];
  long state;
  struct conn *next;
};
struct conn *conn_new(void);
void serve(struct conn *c, long n);
void *worker(void *with);
