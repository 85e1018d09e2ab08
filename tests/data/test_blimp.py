"""What the card of BLiMP says of all its paradigms."""

import pytest

from blimp import ROOT, drawn
from solecism.check.audit import contrast, cue_accuracy
from solecism.contrast import surplus

pytestmark = pytest.mark.nightly

UIDS = [path.stem for path in ROOT.templates("blimp", "en")]
CUES = {
    *("animate_subject_passive", "causative", "inchoative", "drop_argument", "intransitive"),
    *("transitive", "passive_1", "passive_2", "existential_there_object_raising"),
    *("existential_there_subject_raising", "expletive_it_object_raising", "tough_vs_raising_1"),
    *("tough_vs_raising_2", "irregular_past_participle_adjectives", "npi_present_1"),
    *("irregular_past_participle_verbs", "existential_there_quantifiers_1", "ellipsis_n_bar_2"),
    *("npi_present_2", "only_npi_licensor_present", "sentential_negation_npi_licensor_present"),
    *("wh_island", "wh_vs_that_no_gap", "wh_vs_that_no_gap_long_distance", "wh_vs_that_with_gap"),
    *("wh_vs_that_with_gap_long_distance", "principle_A_case_1", "principle_A_domain_1"),
    *("principle_A_case_2", "superlative_quantifiers_1", "superlative_quantifiers_2"),
}
"""The paradigms whose contrast is a word."""


@pytest.mark.parametrize("uid", UIDS)
def test_a_thousand_pairs_of_equal_length_and_no_sentence_twice(uid: str) -> None:
    pairs, counts = drawn(uid)
    sides = [(pair["sentence_good"], pair["sentence_bad"]) for pair in pairs]
    assert len(pairs) == counts.sets == 1000
    assert len({sentence for side in sides for sentence in side}) == 2000
    assert all(len(good.split()) == len(bad.split()) for good, bad in sides)


@pytest.mark.parametrize("uid", UIDS)
def test_the_words_that_differ_give_labels_away_only_where_they_are_the_contrast(uid: str) -> None:
    bags = [contrast(pair["sentence_good"], pair["sentence_bad"]) for pair in drawn(uid)[0]]
    accuracy = cue_accuracy([surplus(*words) for words in bags])
    assert accuracy >= 0.95 if uid in CUES else accuracy <= 0.6
