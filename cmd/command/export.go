package command

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"vlpx.internal/vlpx/export"
	"vlpx.internal/vlpx/lab"
	"vlpx.internal/vlpx/run"
)

func exportCommand() *cobra.Command {
	var home, dir string
	var onnx, hub bool
	c := &cobra.Command{
		Use:   "export RUN -o FOLDER",
		Short: "Write a finished run's model for other programs: safetensors in published names, settings, tokenizer, model card",
		Long: "export writes a finished run's model for other programs: safetensors in the published names of its framework, settings, " +
			"tokenizer and model card.\n" +
			"RUN is the beginning of a run's name, as vlpx runs tells it.",
		Example: "  vlpx export 1f0c -o exported/grit-vlp\n  vlpx eval exported/grit-vlp",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("export needs one run, by the beginning of its name; vlpx runs says which there are")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if dir == "" {
				return errors.New("export needs a folder to write; name it with -o FOLDER")
			}
			if onnx && hub {
				return errors.New("-onnx beside -hub-layout, whose folder is for transformers alone; leave one of them out")
			}
			write := func() (run.Kept, error) { return lab.Export(args[0], dir, home, onnx) }
			if hub {
				write = func() (run.Kept, error) { return lab.ExportHub(args[0], dir, home) }
			}
			kept, err := write()
			if err != nil {
				return err
			}
			fmt.Fprintf(c.OutOrStdout(), "wrote %s, seed %d, run %s, to %s\n", kept.Result.Method, kept.Result.Seed, kept.ID, dir)
			if hub {
				fmt.Fprintf(c.OutOrStdout(), "to publish it, fill in the licence of its %s and call: hf upload NAME %s\n", export.CardName, dir)
			}
			return nil
		},
	}
	c.Flags().StringVarP(&dir, "o", "o", "", "the `folder` to write: one that is not there yet, is empty, or has an earlier export")
	c.Flags().BoolVar(&onnx, "onnx", false, "write the encoders of images and captions as models of ONNX, too; it takes ONNX Runtime")
	c.Flags().BoolVar(&hub, "hub-layout", false, "write it as transformers reads it: a CLIP, or the text encoder of an ALBEF, which is a BERT")
	bindHome(c, &home)
	return c
}
