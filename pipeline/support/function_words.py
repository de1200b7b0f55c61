"""Words that hold a sentence together and say nothing by themselves, in the languages with rules for sentences."""

from __future__ import annotations

from collections.abc import Mapping


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


FUNCTION_WORDS: Mapping[str, frozenset[str]] = {
    "de": _set(
        "der die das den dem des ein eine einen einem einer eines er sie es ihn ihm ihr ihnen ihre ihren sein seine"
        " seinen wir uns unser ich mich mir du und oder aber doch denn dass daß ob wenn weil als wie so auch nur noch"
        " schon sehr zu zum zur in im an am auf aus bei mit nach von vom vor für über unter um durch gegen ohne bis"
        " seit ist sind war waren wird werden wurde wurden worden hat haben hatte hatten kann können soll sollen muss"
        " müssen sich dies diese dieser dieses diesem diesen jene man da dann hier dort was wer wo welche welcher"
    ),
    "en": _set(
        "a an the and or but nor if of to in on at by for from with as than then so is are was were be been being am"
        " it its it's he him his she her hers they them their theirs we us our ours you your yours i me my mine this"
        " that these those there here which who whom whose what when where how why while because though although"
        " however therefore thus also such can could may might must shall should will would do does did done have has"
        " had having about into onto upon over under between among through during before after out up down off again"
        " further just very too both each either any some other another own same more most much many only"
        " additionally furthermore moreover e.g i.e etc s t"
    ),
    "es": _set(
        "el la los las lo un una unos unas de del al a ante bajo con contra desde en entre hacia hasta para por según"
        " sin sobre tras y e o u pero sino que quien quienes cual cuales cuyo como cuando donde si no se su sus mi mis"
        " tu tus le les me te nos yo él ella ellos ellas este esta estos estas ese esa esos esas esto eso aquel es son"
        " era eran fue fueron ser sido está están estaba ha han había hay más muy también ya"
    ),
    "fr": _set(
        "le la les l un une des du de d au aux à en dans par pour sur sous avec sans entre vers chez et ou mais donc or"
        " ni car que qu qui quoi dont où quand comme si ne n pas plus se s son sa ses leur leurs mon ma mes notre nos"
        " votre vos il elle ils elles on nous vous je j tu me te lui y ce c cet cette ces cela ça est sont était"
        " étaient fut être été a ont avait avaient avoir aussi très"
    ),
    "it": _set(
        "il lo la i gli le l un uno una di del dello della dei degli delle d a al allo alla ai agli alle da dal dalla"
        " dai dalle in nel nella nei nelle con su sul sulla per tra fra e ed o ma che chi cui quale quali come quando"
        " dove se non si suo sua suoi sue mio mia loro lui lei noi voi io ci vi ne questo questa questi queste quello"
        " quella è sono era erano fu furono essere stato stata ha hanno aveva avere anche più molto"
    ),
    "nl": _set(
        "de het een en of maar want dat die dit deze wie wat waar wanneer hoe als dan toen zo ook nog al zeer te ten"
        " ter in op aan bij met na van voor uit over onder om door tegen zonder tot naar is zijn was waren wordt worden"
        " werd werden geworden heeft hebben had hadden kan kunnen zal zullen moet moeten hij zij ze hem haar hun wij we"
        " ons ik mij jij je u er hier daar men zich"
    ),
    "pt": _set(
        "o a os as um uma uns umas de do da dos das em no na nos nas a ao aos à às por pelo pela pelos pelas para com"
        " sem sob sobre entre até e ou mas que quem qual quais cujo como quando onde se não seu sua seus suas meu minha"
        " lhe lhes me te nos eu ele ela eles elas você este esta estes estas esse essa isto isso aquele é são era eram"
        " foi foram ser sido está estão estava tem têm tinha há mais muito também já"
    ),
}
"""Language -> function words, folded. "not" and "no" are content: they turn a sentence around."""
