#include <stddef.h>

void *fuseModel(void *model, size_t length, size_t *fusedLength);
