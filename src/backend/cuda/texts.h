/* The headers that kernels made at run time include, as text (texts.py writes them at build time). */
#ifndef BRIO_CUDA_TEXTS_H
#define BRIO_CUDA_TEXTS_H

extern const char *const brio_texts_names[], *const brio_texts_contents[];
extern const int brio_texts_count;
/* Changes when any of them does. */
extern const char brio_texts_identity[];

#endif
