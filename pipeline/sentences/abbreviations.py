"""What a full stop may stand behind without ending a sentence, language by language (all in lower case)."""

from __future__ import annotations

from typing import NamedTuple


class Abbreviations(NamedTuple):
    """Words before a full stop, and words that open a sentence."""

    never: frozenset[str]  # never ends a sentence: titles, "e.g."
    numbers: frozenset[str]  # does not end one before a number: "No. 5", "Jan. 5", "Fig. 2"
    seldom: frozenset[str]  # ends one only before a word of `openers`: "Inc.", "et al."
    openers: frozenset[str]  # words that seldom follow an abbreviation inside a sentence
    ordinals: bool  # "3." may mean "third"


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_ENGLISH = Abbreviations(
    never=_set(
        "mr mrs ms dr prof rev hon st sen rep gov gen col lt sgt capt cmdr adm maj pres messrs mme mlle supt fr"
        " e.g i.e eg ie cf v vs viz approx ca resp incl esp"
    ),
    numbers=_set(
        "no nos fig figs eq eqs sec secs ch vol vols p pp art para ref refs tab table ex ver jan feb mar apr jun jul"
        " aug sep sept oct nov dec"
    ),
    seldom=_set("lit inc corp ltd co llc bros jr sr al dept univ est ave blvd rd mt ft assn ph.d m.d b.a m.a"),
    openers=_set(
        "the a an it its he she they we you i this that these those there here in on at by for from with as if when"
        " while after before since but and so or however although though because his her their our my your what who"
        " why how where which one some many most all both each no not now then thus also another other such"
    ),
    ordinals=False,
)
_GERMAN = Abbreviations(
    never=_set(
        "dr prof hr fr frl st dipl ing mag z.b z d.h u.a i.d.r o.ä u.u v.a z.t s.o s.u bzw vgl ca evtl ggf inkl exkl"
        " insb sog gem lt zzgl bspw"
    ),
    numbers=_set("nr abs abb bd s art kap tab anm jan feb mär apr jun jul aug sep sept okt nov dez §"),
    seldom=_set("usw etc co str hrsg jh mio mrd tel jr sen"),
    openers=_set(
        "der die das den dem des ein eine einen einem einer es er sie wir ihr ich dies diese dieser dieses im in am an"
        " auf bei mit nach von zu zum zur für aus doch aber und oder wenn als da so auch nun hier dort dann was wer wie"
        " warum wo man nicht kein keine sein seine"
    ),
    ordinals=True,
)
_FRENCH = Abbreviations(
    never=_set("m mm mme mmes mlle mlles dr pr st ste me mgr p.ex ex cf env"),
    numbers=_set("n no p pp art chap fig vol t janv févr avr juil sept oct nov déc"),
    seldom=_set("etc al cie ltée av bd jr"),
    openers=_set(
        "le la les l un une des il elle ils elles on nous vous je j ce cet cette ces c dans en au aux à pour par avec"
        " sur mais et ou si quand comme son sa ses leur qui que où pourquoi"
    ),
    ordinals=False,
)
_SPANISH = Abbreviations(
    never=_set("sr sra srta sres dr dra d dª prof ing lic gral p.ej ej cf aprox"),
    numbers=_set("n núm nº p pág págs art cap fig vol t ene feb abr jun jul ago sept oct nov dic"),
    seldom=_set("etc al ud uds cía s.a ee.uu ee uu av"),
    openers=_set(
        "el la los las un una unos unas él ella ellos ellas se lo le en de a al por para con sin sobre pero y o si"
        " cuando como su sus este esta estos estas eso que qué quién dónde no hay es son"
    ),
    ordinals=False,
)
_ITALIAN = Abbreviations(
    never=_set("sig sigg dott dr prof ing avv on p.es es cfr ca sig.ra dott.ssa"),
    numbers=_set("n nn p pp pag art cap fig vol gen feb mar apr mag giu lug ago set ott nov dic"),
    seldom=_set("ecc al s.p.a spa srl"),
    openers=_set(
        "il lo la i gli le l un uno una egli lui lei essi loro si in di a al da per con su ma e o se quando come questo"
        " questa questi queste che chi dove non è sono"
    ),
    ordinals=False,
)
_PORTUGUESE = Abbreviations(
    never=_set("sr sra srs dr dra prof profa eng d p.ex ex cf aprox"),
    numbers=_set("n nº núm p pág págs art cap fig vol jan fev mar abr jun jul ago set out nov dez"),
    seldom=_set("etc al ltda cia s.a av"),
    openers=_set(
        "o a os as um uma uns umas ele ela eles elas se em no na de do da por para com sem sobre mas e ou quando como"
        " seu sua este esta isto que quem onde não há é são"
    ),
    ordinals=False,
)
_DUTCH = Abbreviations(
    never=_set("dhr mevr mw dr prof drs ir mr ing st bijv bv d.w.z o.a m.b.t i.v.m t.o.v zgn ca vgl evt incl excl"),
    numbers=_set("nr blz p art hfdst fig deel jan feb mrt apr jun jul aug sept okt nov dec"),
    seldom=_set("enz etc b.v n.v al jr"),
    openers=_set(
        "de het een hij zij ze wij we ik jij u dit dat deze die er in op aan bij met na van voor uit maar en of als"
        " toen zo ook nu hier daar dan wat wie hoe waarom waar men niet geen zijn haar"
    ),
    ordinals=False,
)

LANGUAGES = {
    "de": _GERMAN,
    "en": _ENGLISH,
    "es": _SPANISH,
    "fr": _FRENCH,
    "it": _ITALIAN,
    "nl": _DUTCH,
    "pt": _PORTUGUESE,
}
