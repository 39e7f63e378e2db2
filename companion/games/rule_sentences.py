"""The rules that points come from, each in one sentence of our own: a page shows it behind a tap, beside its id.

Only the rules that an explanation of points names stand here; `how_to.py` of each game teaches all of them.
"""

from collections.abc import Mapping

from companion.words import N_, _

SENTENCES: Mapping[str, str] = {
    "SS-40": N_("Four gifts of one kind that lie in the shape of their wrapping are a group. Each group is 10 points."),
    "SS-44": N_("A coal that touches no other coal with a side is 2 points. Touching at a corner is fine."),
    "SS-45": N_("Each circle that you never crossed out is 1 point."),
    "ST-50": N_(
        "If the die you roll knocks a stack over, your turn ends and you roll one die: you lose what it shows."
    ),
    "ST-51": N_("If nobody can set the fallen stacks up again as they were, you lose 10 more, once for that accident."),
    "ST-52": N_(
        "A 1 in a roll for a penalty is the worst: it takes 10 points, unless your table chose another number."
    ),
    "ST-58": N_("At the end of a round the top number of each stack counts for the colour on top. A 1 on top is 10."),
    "ST-70": N_("In teams each plays their own dice, and the points of the partners are added up."),
    "ST-80": N_("House rule: a die that falls off the table takes 1 point from its player."),
    "ST-81": N_("House rule: swearing takes 1 point."),
    "ST-82": N_("House rule: rolling a 2 in your turn takes 1 point."),
    "ST-83": N_("House rule: when somebody captures a stack of four, every other player loses 1 point."),
    "ST-84": N_("House rule: a stack of four counts twice its top number."),
    "ST-85": N_("Your table made this penalty itself and chose its points."),
    "SP-41": N_("The largest island wins. If two are equal, the second largest decides, then the third, and so on."),
    "SP-44": N_("Landgrab: each island counts its size times itself, so an island of 4 is 16 points."),
    "SP-45": N_("No small islands: each counts its size times itself, less 6, so islands of 1 and 2 cost points."),
    "SP-54": N_(
        "A pink space helps your islands if you want it to. Here it would only cost you points, so it's left out."
    ),
    "SP-55": N_("An island with a pink space in it counts nothing."),
    "PS-10": N_("Everyone starts with the same points: 75, unless your table chose another number."),
    "PS-52": N_("You lose a point for each empty unit of your truck, and the size of each box left over twice."),
    "PS-53": N_("Whoever loses the least in a round gets 10 points. If several lose as little, each of them gets 10."),
    "PS-54": N_("House rule: nobody's points go below zero."),
    "SPD-03": N_("First done gets a point for each player, the next one less, and so on. An unfinished stack is 0."),
    "SAM-04": N_("Whoever copies the stack in time takes their point back from the Creator."),
    "SAM-05": N_("The Creator keeps the points of those whose copy isn't right in time."),
    "SAM-06": N_(
        "The Creator's stack has to stand while the others copy. If it falls, everyone gets their point back."
    ),
    "SWP-40": N_("A finished stack is as many points as its card has stars. How fast you were doesn't matter."),
    "PAD-16": N_("Your points are the sum of all that was written for you, your bonuses, and rulings."),
    "PAD-36": N_("A bonus counts once the rows above it have enough points. Nobody writes it."),
    "TR-26": N_("Your points are the sum of what counted in each of your turns, and rulings."),
    "TC-61": N_("Whoever wins has one point. If nobody has won alone, all who are in share the win."),
}


def sentence_of(rule: str) -> str:
    """The rule with this id in one sentence; "" for what is no rule of a rulebook, such as a ruling."""
    return _(SENTENCES[rule]) if rule in SENTENCES else ""
