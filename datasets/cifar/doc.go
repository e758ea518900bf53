// Package cifar reads CIFAR-10 and CIFAR-100 (Krizhevsky, 2009) in their official binary records, each file plain or gzipped:
//
//	dir/data_batch_1.bin ... data_batch_5.bin, test_batch.bin, batches.meta.txt          CIFAR-10
//	dir/train.bin, test.bin, fine_label_names.txt (or meta.json with a list "fine")      CIFAR-100
//
// A record is one byte of label (CIFAR-100: the coarse one, then the fine one) and 3 x 32 x 32 bytes of an image: its red, green and blue
// planes, row by row. The class of an image of CIFAR-100 is the fine label, or the coarse one by OpenCoarse, whose names
// are in coarse_label_names.txt or the list "coarse". Files named train.bin and test.bin beside a batches.meta.txt
// are CIFAR-10's, too. There are no captions.
//
// The last tenth of the training records is the split "val", and "train" is without it: the official files have no validation split, and
// their records are shuffled. All records are kept in memory, 3 kB an image.
//
// It imports datasets and datasets/content, and nothing of the rest of this module.
package cifar
