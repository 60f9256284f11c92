"""Porter's stemmer, written from the paper: words of one family, such as connected and connections, become connect.

M. F. Porter, An algorithm for suffix stripping, Program 14(3), 1980. Letters a to z in lower case only.
"""

from __future__ import annotations

import functools
import re

# A word is [C](VC)^m[V]: C consonants, V vowels, y after a consonant being one; m is its measure.
VOWEL = "(?:[aeiou]|(?<=[^aeiou])y)"
HAS_VOWEL = re.compile(VOWEL)
VOWELS_THEN_CONSONANTS = re.compile(f"{VOWEL}+(?:(?!{VOWEL})[a-z])+")
DOUBLE_CONSONANT = re.compile(r"([^aeiou])\1$")
# *o in the paper: consonant, vowel, consonant, the last not w, x or y, as in "hop".
SHORT_END = re.compile(f"(?!{VOWEL})[a-z]{VOWEL}[^aeiouwxy]$")

# Suffixes by what they become; of those that fit, the longest counts.
STEP_1A = {"sses": "ss", "ies": "i", "ss": "ss", "s": ""}
STEP_2 = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize", "abli": "able", "alli": "al",
    "entli": "ent", "eli": "e", "ousli": "ous", "ization": "ize", "ation": "ate", "ator": "ate", "alism": "al",
    "iveness": "ive", "fulness": "ful", "ousness": "ous", "aliti": "al", "iviti": "ive", "biliti": "ble",
}  # fmt: skip
STEP_3 = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}
STEP_4 = {
    "al": "", "ance": "", "ence": "", "er": "", "ic": "", "able": "", "ible": "", "ant": "", "ement": "", "ment": "",
    "ent": "", "ion": "", "ou": "", "ism": "", "ate": "", "iti": "", "ous": "", "ive": "", "ize": "",
}  # fmt: skip
LONGEST = 7


@functools.lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """Return the stem of a word; words of one or two letters are their own."""
    if len(word) <= 2:
        return word
    word = replaced(word, STEP_1A, -1)
    word = past_and_gerund(word)
    if word.endswith("y") and HAS_VOWEL.search(word[:-1]):
        word = word[:-1] + "i"
    word = replaced(word, STEP_2, 0)
    word = replaced(word, STEP_3, 0)
    word = replaced(word, STEP_4, 1)
    return without_last_e(word)


def measure(word: str) -> int:
    """Return how often vowels are followed by consonants."""
    return len(VOWELS_THEN_CONSONANTS.findall(word))


def replaced(word: str, endings: dict[str, str], above: int) -> str:
    """Return the word with its longest listed suffix replaced, if what is before that has a measure above this."""
    for length in range(min(LONGEST, len(word)), 0, -1):
        suffix = word[-length:]
        if suffix in endings:
            rest = word[:-length]
            kept = suffix == "ion" and not rest.endswith(("s", "t"))
            return word if kept or measure(rest) <= above else rest + endings[suffix]
    return word


def past_and_gerund(word: str) -> str:
    """Return the word without -ed or -ing, repaired: hoping becomes hope, hopping hop (step 1b)."""
    if word.endswith("eed"):
        return word[:-1] if measure(word[:-3]) > 0 else word
    rest = word.removesuffix("ed") if word.endswith("ed") else word.removesuffix("ing")
    if rest == word or not HAS_VOWEL.search(rest):
        return word
    if rest.endswith(("at", "bl", "iz")):
        return rest + "e"
    if DOUBLE_CONSONANT.search(rest) and rest[-1] not in "lsz":
        return rest[:-1]
    return rest + "e" if measure(rest) == 1 and SHORT_END.search(rest) else rest


def without_last_e(word: str) -> str:
    """Return the word without its last e, and with one l for two, where it is long enough (step 5)."""
    if word.endswith("e"):
        rest = word[:-1]
        if measure(rest) > 1 or (measure(rest) == 1 and not SHORT_END.search(rest)):
            word = rest
    return word[:-1] if word.endswith("ll") and measure(word) > 1 else word
