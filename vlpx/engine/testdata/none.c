// A library that is no ONNX Runtime.
int nothing;
