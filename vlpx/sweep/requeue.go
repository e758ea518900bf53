package sweep

import "context"

func requeue(context.Context) error { return nil }
