struct ring {
	unsigned long size;
	void **slots;
	unsigned long full, head;	/* of the producer */
	unsigned long tail;
};
