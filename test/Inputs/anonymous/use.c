#include "space.h"

int space_has(struct space *s, unsigned long at)
{
	return at >= s->base && at < s->base + s->size;
}

unsigned long space_end(struct space *s)
{
	return s->base + s->size;
}

int space_is_owned(struct space *s, int id)
{
	return s->owner_id == id;
}

int space_is_low(struct space *s)
{
	return s->low != 0;
}

void space_get(struct space *s)
{
	s->count++;
}

long frame_word(struct frame *f)
{
	return f->word + f->value;
}

int frame_kind(struct frame *f)
{
	return f->kind + f->tag;
}
