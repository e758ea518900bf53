// Package tensorboard writes the curves of runs as event files, which TensorBoard reads while they grow. It imports package train alone,
// and nothing of TensorFlow's.
package tensorboard
