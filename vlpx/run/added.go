package run

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/plainjson"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/random"
	"vlpx.internal/vlpx/run/store"
)

// Added are pairs that a training split has besides its own (MAFA, appendix G.8): new positives that the frozen model of a finished run
// mines of it ("ECM-6M"), or as many of its own once more ("repeated-6M").
type Added struct {
	By     string // identity of the run whose model mines, on the same data
	Mining eval.Mining
	// Repeated takes, in the place of what is mined, as many of the split's own pairs, drawn under Mining.Seed: all of them equally often,
	// but for the last round.
	Repeated bool `json:",omitempty"`
	// File is where the mined pairs lie. It is no part of the identity, and the executor's to fill in: see [Store.Placed].
	File string `json:"-"`
}

// What a run that trains on added pairs tells of them among its metrics.
const (
	AddedPairs = "added pairs" // their number
	AddedTrue  = "added true"  // per cent of those of which it is known whether the text is true of the image
)

// minedPairs is the file of mined pairs, in the folder of the run whose model found them.
type minedPairs struct {
	By     string
	Mining eval.Mining
	eval.Mined
}

// name is that of the file, by the hash of how its pairs are mined.
func (a Added) name() string {
	settings, err := json.Marshal(a.Mining)
	if err != nil {
		// a threshold that is not finite, which the run's identity refuses, too
		panic(fmt.Sprintf("run: settings of mining do not marshal: %v", err))
	}
	sum := sha256.Sum256(settings)
	return minedPrefix + hex.EncodeToString(sum[:8]) + ".json"
}

// mined reads the file; one that is not there yet is fs.ErrNotExist.
func (a Added) mined() (eval.Mined, error) {
	if a.File == "" {
		return eval.Mined{}, fmt.Errorf("run: the training data has pairs that run %s mines, and the store's place is not named; ask by "+
			"Store.Placed", a.By)
	}
	text, err := store.ReadList(a.File)
	if errors.Is(err, fs.ErrNotExist) {
		return eval.Mined{}, fmt.Errorf("run: the pairs that run %s mines: %w; train the run that needs them, which makes them", a.By, err)
	}
	var kept minedPairs
	if err == nil {
		err = plainjson.Unmarshal(text, &kept)
	}
	if err == nil && (kept.By != a.By || kept.Mining != a.Mining) {
		err = errors.New("these are pairs that another run mined, or in another way")
	}
	if err != nil {
		return eval.Mined{}, &Damaged{ID: a.By, Path: a.File, Err: err, Again: "mine"}
	}
	return kept.Mined, nil
}

// further are the pairs that the images of a split get.
func (a Added) further(to datasets.Set) ([][]int, error) {
	mined, err := a.mined()
	if err != nil || !a.Repeated {
		return mined.Further, err
	}
	pairs, left := datasets.Pairs(to), count(mined.Further)
	again := make([][]int, to.Len())
	for round := 0; left > 0; round++ {
		order := random.Stream(a.Mining.Seed, "repeated pairs", round).Perm(len(pairs))
		order = order[:min(left, len(order))]
		for _, p := range order {
			again[pairs[p].Image] = append(again[pairs[p].Image], p)
		}
		left -= len(order)
	}
	return again, nil
}

// count is the number of pairs.
func count(further [][]int) (n int) {
	for _, of := range further {
		n += len(of)
	}
	return n
}

// show shows the pairs behind those of a split.
func (a Added) show(to datasets.Set) (datasets.Set, error) {
	further, err := a.further(to)
	if err != nil {
		return nil, err
	}
	shown, err := datasets.Added(to, further)
	if err != nil {
		return nil, fmt.Errorf("run: %s: %w; delete the file to mine again", a.File, err)
	}
	return shown, nil
}

// counted are the metrics of pairs that a split gets.
func counted(to datasets.Set, further [][]int) map[string]float64 {
	all := map[string]float64{AddedPairs: float64(count(further))}
	related, ok := to.(datasets.Related)
	if !ok {
		return all
	}
	relation, right, known := datasets.Counted(related.Relation()), 0, 0
	for i, of := range further {
		for _, p := range of {
			if holds, is := relation.Holds(i, p); is {
				known++
				if holds {
					right++
				}
			}
		}
	}
	if known > 0 {
		all[AddedTrue] = 100 * float64(right) / float64(known)
	}
	return all
}

// before are the data without what is added.
func (d Data) before() Data {
	d.Added = nil
	return d
}

// added are the metrics of what the data adds; none where it adds nothing.
func (d Data) added(c datasets.Collection) (map[string]float64, error) {
	if d.Added == nil {
		return nil, nil
	}
	set, err := d.before().split(c, "train")
	if err != nil {
		return nil, err
	}
	further, err := d.Added.further(set)
	return counted(set, further), err
}

// Placed is a run whose data, and that of the runs that it starts from, know where in the store the pairs lie that they add.
func (s *Store) Placed(r Run) Run {
	if r.Data.Added != nil {
		a := *r.Data.Added
		a.File = s.folders.Path(a.By, a.name())
		r.Data.Added = &a
	}
	if r.Init != nil {
		before := s.Placed(*r.Init)
		r.Init = &before
	}
	return r
}

// mine makes the file of the pairs that a run's data adds, if it is missing. Of two processes one mines and the other waits.
func (e *Executor) mine(ctx context.Context, r Run) error {
	a := r.Data.Added
	if a == nil {
		return nil
	}
	if _, err := a.mined(); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if r.Miner == nil || r.Miner.ID() != a.By {
		return fmt.Errorf("run: %s trains on pairs that run %s mines, which the store lacks; give that run as Run.Miner",
			r.Train.Method.Name, a.By)
	}
	own, err := json.Marshal(r.Data.before())
	its, failed := json.Marshal(r.Miner.Data)
	if err := errors.Join(err, failed); err != nil {
		return fmt.Errorf("run: %w", err)
	}
	if !bytes.Equal(own, its) {
		return fmt.Errorf("run: %s trains on pairs that %s mines, whose data are others; give both the same", r.Train.Method.Name,
			r.Miner.Train.Method.Name)
	}
	unlock, err := e.Store.lock(ctx, *r.Miner, func() {
		e.say("another process is at %s, seed %d; waiting for it", r.Miner.Train.Method.Name, r.Miner.Train.Seed)
	})
	if err != nil {
		return err
	}
	defer unlock()
	if _, err := a.mined(); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return e.mineBy(ctx, *r.Miner, *a)
}

// mineBy mines pairs by a finished run's model and keeps them.
func (e *Executor) mineBy(ctx context.Context, r Run, a Added) error {
	e.say("%s, seed %d, mines pairs", r.Train.Method.Name, r.Train.Seed)
	ctx, end := e.watch(ctx, r, "mining pairs by it")
	defer end()
	collection, model, err := e.finished(r)
	if err != nil {
		return err
	}
	defer model.Close()
	about := measuring{e: e, run: r, model: model}
	defer about.close()
	subject, err := about.looked(ctx, r.Data, collection, "train")
	if err != nil {
		return err
	}
	mined, err := subject.Mine(ctx, a.Mining)
	if err != nil {
		return err
	}
	line, found := "", counted(subject.Set, mined.Further)
	if share, known := found[AddedTrue]; known {
		line = fmt.Sprintf(", of which %.1f %% are true", share)
	}
	e.say("of %d candidates %g are new pairs%s", mined.Scored, found[AddedPairs], line)
	text, err := json.Marshal(minedPairs{a.By, a.Mining, mined})
	if err != nil {
		return fmt.Errorf("run: %w", err)
	}
	return e.Store.write(r, a.name(), store.Sealed(text))
}
