"""All that is measured, in the order in which it is shown, each with its definition."""

from __future__ import annotations

from emoharbor.audit import dialogues as d
from emoharbor.audit import lines, readings, repeats
from emoharbor.audit.figures import Measure
from emoharbor.audit.talks import WINDOW
from emoharbor.profiles.checks import UNITS
from emoharbor.profiles.texts import COPIED, GRAM, SHORTEST
from emoharbor.state.profile import Language

DIALOGUES, USER, SUPPORTER = "dialogues", "user lines", "supporter lines"


def _length(key: str, says: str, tenth: int) -> Measure:
    return Measure(key, "number", USER, says, lines.length(tenth), bound=True)


SECTIONS: dict[str, tuple[Measure, ...]] = {
    "Dialogues": (
        Measure("dialogues", "number", DIALOGUES, "in all", d.dialogues),
        Measure("failed", "share", DIALOGUES, "failed; nothing below counts them", d.failed),
        Measure("empty", "share", DIALOGUES, "without a line", d.empty),
        Measure("silent", "share", DIALOGUES, "in which the user says no word", d.silent),
        Measure("torn", "share", DIALOGUES, "shorter or longer than the file says", d.torn),
        Measure(
            "unanswered", "share", "dialogues that the user opened and did not leave",
            "that end on a line of the user's", d.unanswered,
        ),
        Measure("exchanges", "number", DIALOGUES, "exchanges a dialogue, mean", d.exchanges),
        Measure("user_lines.median", "number", DIALOGUES, "user lines, median", d.user_lines),
    ),
    "Length": (
        _length("length.p10", "{units}, 10th percentile", 1),
        _length("length.median", "{units}, median", 5),
        _length("length.p90", "{units}, 90th percentile", 9),
        Measure("short", "share", USER, "very short: at most {short} {units}", lines.short),
    ),
    "Form": (
        Measure(
            "no_final_mark", "share", USER, "without a mark at the end", lines.lacking(lines.FINAL)
        ),
        Measure("question", "share", USER, "with a question mark", lines.having(lines.QUESTION)),
        Measure(
            "ellipsis", "share", USER, "with an ellipsis", lines.having(lines.ELLIPSIS), bound=True
        ),
        Measure(
            "marks", "share", USER, "with marks of written prose", lines.saying("marks"),
            bound=True,
        ),
        Measure(
            "stage", "share", USER, "with something in brackets or asterisks (stage directions)",
            lines.having(lines.CUE),
        ),
        Measure("list", "share", USER, "with a list", lines.having(lines.LISTED)),
        Measure("wordless", "share", USER, "without a word", lines.lacking(lines.WORD)),
        Measure("strange", "share", USER, "partly in another language", lines.strange),
    ),
    "Words": (
        Measure("thanks", "share", USER, "with thanks", lines.saying("thanks")),
        Measure("thanks.first", "share", USER, "with thanks, first third", lines.thanks(0)),
        Measure("thanks.middle", "share", USER, "with thanks, second third", lines.thanks(1)),
        Measure("thanks.last", "share", USER, "with thanks, last third", lines.thanks(2)),
        Measure(
            "relief", "share", USER, "reassuring: feels better, agrees, will try",
            lines.saying("relief"),
        ),
        Measure("simile", "share", USER, "with a comparison", lines.saying("simile")),
        Measure("particle", "share", USER, "with a particle", lines.saying("particle"), "zh"),
        Measure(
            "mattr", "number", "dialogues of {window} {units} and more",
            "different {units} in every {window} in a row (MATTR), mean", repeats.mattr,
        ),
    ),
    "Openings": (
        Measure("greeting", "share", DIALOGUES, "that open with a bare greeting", d.greeting),
        Measure(
            "openings.stage", "share", DIALOGUES, "that open with a stage direction", d.staged,
        ),
        Measure(
            "openings", "share", DIALOGUES,
            "whose first user line begins as most do (its first {beginning} {units})", d.openings,
        ),
        Measure(
            "openings.distinct", "share", DIALOGUES, "different beginnings", d.distinct_openings
        ),
    ),
    "Repetition": (
        Measure(
            "again", "share", USER, "said before in the dialogue, word for word",
            repeats.again("user"),
        ),
        Measure(
            "again.grams", "share", "runs of {gram} {units} of a user",
            "said before in the dialogue", repeats.own_grams,
        ),
        Measure(
            "elsewhere", "share", "user lines of {shortest} {units} and more",
            "said by another profile, word for word", repeats.elsewhere("user"),
        ),
        Measure(
            "likeness", "number", "pairs of dialogues of two profiles",
            "runs of {gram} {units} in common (Jaccard), mean", repeats.between_profiles,
        ),
        Measure(
            "likeness.same", "number", "pairs of dialogues of one profile",
            "runs of {gram} {units} in common (Jaccard), mean", repeats.within_profiles,
        ),
        Measure(
            "supporter.again", "share", SUPPORTER, "said before in the dialogue, word for word",
            repeats.again("supporter"),
        ),
        Measure(
            "supporter.elsewhere", "share", "supporter lines of {shortest} {units} and more",
            "said to another profile, word for word", repeats.elsewhere("supporter"),
        ),
    ),
    "Role": (
        Measure(
            "copied", "share", "user lines, where the profile is known",
            "with {copied} {units} in a row of the own profile", repeats.copied,
        ),
        Measure(
            "copied.longest", "number", "dialogues, where the profile is known",
            "{units} in a row of the own profile, at most", repeats.longest_copied,
        ),
        Measure("machine", "share", USER, "speaking as a machine", lines.machine),
        Measure(
            "assistant", "share", USER, "with an assistant's service talk",
            lines.saying("assistant"),
        ),
        Measure("flip", "share", USER, "talking as the supporter does", lines.saying("flip")),
        Measure("prefix", "share", USER, "beginning with a role's name", lines.prefixed),
        Measure(
            "echo", "share", USER, "that repeat a supporter's line, word for word", repeats.echoed
        ),
    ),
    "Emotions": (
        Measure("outside", "share", "emotion labels", "outside the 28", d.outside),
    ),
}  # fmt: skip


def measures(language: Language, by: str | None = None) -> dict[str, list[Measure]]:
    """The measures that have a sense in this language, by section; with those `by` a model."""
    sections = SECTIONS | ({f"Read by {by}": readings.MEASURES} if by else {})
    return {
        section: [m for m in each if m.language in (None, language)]
        for section, each in sections.items()
    }


def defined(text: str, language: Language) -> str:
    """A definition, or what it is of, with the numbers of this language."""
    return text.format(
        units=UNITS[language],
        short=lines.SHORT[language],
        gram=GRAM[language],
        shortest=SHORTEST[language],
        copied=COPIED[language],
        beginning=d.BEGINNING[language],
        window=WINDOW,
    )
