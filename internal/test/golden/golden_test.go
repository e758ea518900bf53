package golden_test

import (
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/internal/test/golden"
	"vlpx.internal/internal/test/must"
)

// checks recompute the golden cases by name.
var checks = map[string]func(*testing.T, golden.Case){
	"albef_ema":                          checkMovingAverage,
	"albef_itc_momentum_queue":           checkDistilled,
	"albef_itm_pairs":                    checkSampled,
	"albef_lr_schedule":                  checkSchedule,
	"lars_optimizer":                     checkLARS,
	"albef_rerank_scores":                checkRerank,
	"albef_retrieval_itc_multi_positive": checkPositives,
	"bert_mask_tokens":                   checkMask,
	"clip_infonce":                       checkInfoNCE,
	"diht_hn_nce":                        checkDiHT,
	"siglip_loss":                        checkSigLIP,
	"debiased_image_text_loss":           checkDebiased,
	"debiased_simclr_loss":               checkDebiasedViews,
	"fastclip_gamma_schedule":            checkGammas,
	"fastclip_v1":                        onMachines(checkFastCLIP),
	"fastclip_v2_individual_tau":         onMachines(checkIndividualFastCLIP),
	"fastclip_v3":                        onMachines(checkFastCLIP),
	"fnc_attraction_loss":                checkAttraction,
	"glofnd_bimodal_v1":                  onMachines(checkBimodalGloFND),
	"glofnd_bimodal_v3":                  onMachines(checkBimodalGloFND),
	"glofnd_fnc_baseline_mask":           checkBatchQuantile,
	"glofnd_simclr_unimodal":             onMachines(checkGloFND),
	"glofnd_sogclr_unimodal":             onMachines(checkGloFND),
	"grit_itc_consistency":               checkConsistency,
	"grit_itm_hardest":                   checkHardest,
	"isogclr_bimodal":                    onMachines(checkISogCLR(false)),
	"isogclr_unimodal":                   onMachines(checkISogCLR(true)),
	"libauc_gcloss_v1_isogclr":           onMachines(checkLibAUC(true, true)),
	"libauc_gcloss_v1_sogclr":            onMachines(checkLibAUC(true, false)),
	"libauc_gcloss_v2_isogclr":           onMachines(checkLibAUC(false, true)),
	"libauc_gcloss_v2_sogclr":            onMachines(checkLibAUC(false, false)),
	"mafa_sitc":                          checkSmoothed,
	"mafa_sitc_ecm":                      checkConnections,
	"mafa_ecm_epoch0":                    checkConnections,
	"mlm_loss":                           checkMLM,
	"sogclr_bimodal_isogclr_repo":        onMachines(checkBimodalSogCLR),
	"sogclr_unimodal":                    onMachines(checkSogCLR),
	"srcl_loss":                          checkRegulated,
	"scene_graph_f1":                     checkSceneGraphs,
	"retrieval_recall_albef":             checkRetrievalRecall,
	"vit_deit_forward":                   onMachines(checkViT),
	"clip_openai_forward":                onMachines(checkCLIP),
	"clip_resnet_forward":                onMachines(checkCLIPResNet),
	"resnet50_like_forward":              onMachines(checkResNet),
	"bert_hf_forward":                    onMachines(checkBERT),
	"albef_forward_eval":                 onMachines(checkEvaluation),
	"albef_step":                         onMachines(checkALBEFStep),
	"grit_step":                          onMachines(checkGRITStep),
	"albef_retrieval_step":               onMachines(checkRetrievalStep),
	"mafa_step":                          onMachines(checkMAFAStep),
	"sogclr_step":                        onMachines(checkSogCLRStep),
	"glofnd_simclr_step":                 onMachines(checkGloFNDStep),
	"uniter_forward":                     onMachines(checkUNITER),
	"albef_nlvr_forward":                 onMachines(checkNLVR),
	"retrieval_recall_uniter_code":       checkUNITERRecall,
	"tags_filter_and_topm":               checkPenalties,
	"tags_paper_false_negative_filter":   checkAnnotated,
	"tags_phrase_masking":                checkPhrases,
	"tags_refill":                        checkRefill,
	"tags_retrieved_hard_negatives":      checkRetrieved,
	"tags_triplet_rank_loss":             checkTriplet,
	"tags_wod_woc":                       checkWords,
	"vqa_answer_lm_loss":                 checkAnswerLoss,
	"vqa_rank_answer":                    checkRankAnswer,
	"albef_vqa_step":                     onMachines(checkVQAStep),
	"albef_vqa_distill_step":             onMachines(checkVQAStep),
	"caption_metrics":                    checkCaptions,
	"vqa_normalise":                      checkAnswers,
	"qformer_attention_masks":            checkQueryMasks,
	"qformer_itc":                        checkQueryITC,
	"qformer_itc_image_id":               checkQueryITC,
	"qformer_itg_lm_loss":                checkGeneration,
	"qformer_itm":                        checkQueryITM,
	"qformer_step":                       onMachines(checkQFormerStep),
	"eva_vit_forward":                    onMachines(checkEVA),
	"qformer_opt_step":                   onMachines(checkGenerative),
}

// notYet are the cases that nothing recomputes yet, and why.
var notYet = reasons(map[string][]string{})

func reasons(cases map[string][]string) map[string]string {
	of := map[string]string{}
	for reason, names := range cases {
		for _, name := range names {
			of[name] = reason
		}
	}
	return of
}

// TestGolden recomputes every golden case, one subtest each: those of $VLPX_GOLDEN, else the shipped ones.
func TestGolden(t *testing.T) {
	golden.Check(t, "golden", checks)
	cases := must.Get(golden.Cases())(t)
	elsewhere := slices.Concat(slices.Collect(maps.Values(golden.Elsewhere))...)
	for _, c := range cases {
		reason, skips := notYet[c.Name]
		switch {
		case checks[c.Name] != nil, slices.Contains(elsewhere, c.Name):
		case skips:
			leftOut = append(leftOut, c.Title()+": "+reason)
			t.Run(c.Title(), func(t *testing.T) { t.Skip(reason) })
		default:
			t.Errorf("%s: no check for case %q; add one, or list it as not yet supported", c.File, c.Name)
		}
	}
}

// leftOut are the cases that TestGolden left out, with the reasons.
var leftOut []string

// TestMain says at the end what was left out.
func TestMain(m *testing.M) {
	code := m.Run()
	if len(leftOut) > 0 {
		fmt.Printf("%d golden cases are not recomputed:\n  %s\n", len(leftOut), strings.Join(leftOut, "\n  "))
	}
	os.Exit(code)
}

// A case is claimed once, and one that is claimed is not also left out.
func TestClaims(t *testing.T) {
	claims := slices.Concat(slices.Collect(maps.Values(golden.Elsewhere))...)
	claims = append(append(claims, slices.Collect(maps.Keys(checks))...), slices.Collect(maps.Keys(notYet))...)
	slices.Sort(claims)
	for i := 1; i < len(claims); i++ {
		if claims[i] == claims[i-1] {
			t.Errorf("%s is named twice", claims[i])
		}
	}
}

// An empty answer is not the expected one.
func TestSameComparesLengths(t *testing.T) {
	for _, got := range [][]float64{nil, {1}, {1, 2, 3}, {1, 3}} {
		if sames(got, []int{1, 2}) {
			t.Errorf("%v is called the same as 1 and 2", got)
		}
	}
	if !sames([]float64{1, 2}, []int{1, 2}) {
		t.Error("1 and 2 are called others than themselves")
	}
}

// near compares float64 values within the case's tolerance, relative above one.
func near(t *testing.T, c golden.Case, name string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: got %d values, want %d", name, len(got), len(want))
		return
	}
	for i := range want {
		if math.Abs(got[i]-want[i]) > c.Tolerance*math.Max(1, math.Abs(want[i])) || math.IsNaN(got[i]) {
			t.Errorf("%s: value %d: got %v, want %v", name, i, got[i], want[i])
			return
		}
	}
}

func read(t *testing.T, c golden.Case) {
	t.Helper()
	must.Do(t, c.Err())
}
