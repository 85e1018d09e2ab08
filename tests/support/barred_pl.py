"""Words that would make a bad sentence of blimp-pl good in some paradigm.

The groups that templates name hold none of them. Other such words are a group of the lexicon
that a template bars (``not: {under: [...]}``).
"""

from pathlib import Path
from typing import Any

from drawing import check_barred, check_lacks


def check_never(lexicon: Path, barred: str, rows: list[dict[str, Any]], name: str) -> None:
    """Assert that a slot never has a word of :data:`BARRED`, or of a group of the lexicon."""
    if barred in BARRED:
        check_lacks(rows, name, BARRED[barred])
    else:
        check_barred(lexicon, barred, rows, name)


def words_of(barred: str) -> set[str]:
    """Return the words of :data:`BARRED` for a reason."""
    return set(BARRED[barred].replace(",", " ").split())


BARRED = {
    # Masculine things of which both accusatives are heard (*zjadł orzech*, *orzecha*).
    "m2_doubtful": """
        tablet, telefon, but, kapeć, sandał, kozak, pantofel, orzech, bigos, taniec, mecz,
        sport, samochód, motor, komiks, sernik, klocek, balon, latawiec, placek, kij, patyk,
        klon, ząb, gulasz, fiołek, kaktus, słonecznik, młotek, widelec, długopis, ołówek,
        banknot, medal, autobus, parasol, gwóźdź, kosz, flet, bęben, tort, omlet, talent, dąb,
        palec, wieżowiec, parapet, mikroskop, teleskop, lód, sen, strach
    """,
    # Men whose nominative plural is the depreciative form, too (*lekarze*).
    "depreciative_alike": """
        przyjaciel, gość, słuchacz, właściciel, gospodarz, harcerz, książę, nauczyciel,
        lekarz, kucharz, taksówkarz, tłumacz, bibliotekarz, listonosz, piekarz, stolarz,
        murarz, weterynarz, aptekarz, pielęgniarz, badacz, piłkarz, siatkarz, koszykarz,
        biegacz, narciarz, łyżwiarz, żeglarz, żołnierz, marynarz, ochroniarz, księgarz,
        działacz, piosenkarz, dziennikarz, pisarz, malarz, rzeźbiarz, tancerz
    """,
    # Verbs with a twin that governs another case (*kierować samochód*, *radzić zebraniu*).
    "two_cases": """
        kierować, pokierować, zarządzać, rzucać, rzucić, machać, pomachać, zazdrościć,
        pozazdrościć, odpowiadać, odpowiedzieć, doradzać, doradzić, radzić, poradzić,
        dowodzić, wybaczać, wybaczyć, ryzykować, zaryzykować, handlować, wierzyć, uwierzyć,
        służyć, grozić, zagrozić, ustępować, ustąpić, dzielić, podzielić, pozwalać, pozwolić,
        smakować, pożyczać, pożyczyć, bawić, pobawić
    """,
    # Verbs of the genitive of which the accusative is heard, too.
    "genitive_or_accusative": """
        słuchać, posłuchać, szukać, poszukać, używać, użyć, dotykać, dotknąć, potrzebować,
        pilnować, przypilnować, bronić, obronić, wymagać, nienawidzić, znienawidzić, żądać,
        zażądać, próbować, spróbować, zapominać, zapomnieć, żałować, pożałować, strzec,
        doglądać, nadużywać, nadużyć, przestrzegać, odmawiać, odmówić, udzielać, udzielić,
        dokonywać, dokonać, doświadczać, doświadczyć
    """,
    # Verbs whose participle is an adjective, too (*został kochany*).
    "adjectival_participles": """
        kochać, pokochać, znać, poznać, otwierać, otworzyć, zamykać, zamknąć, zdziwić,
        zmartwić, ucieszyć, zaskoczyć, zdenerwować, zachwycić, rozczarować, przerazić,
        wzruszyć, rozbawić, zaniepokoić, zirytować, zasmucić, zaciekawić, ubrać, szanować,
        cenić, lubić, uczyć, nauczyć, dać, zepsuć, psuć, łamać, złamać, gubić, zgubić,
        przestraszyć, uspokoić, piec, smażyć, gotować, obrazić, pisać, drukować, mieszać,
        przekonać, oddać, skończyć, polubić, podziwiać, uwielbiać, kąpać, malować, prasować,
        wymieszać, nosić, pożyczać, udekorować, zainteresować, zająć, zawstydzić, uczesać
    """,
    # Verbs without an object that have a twin with one (*zasypiać grób*).
    "also_transitive": """
        śpiewać, zaśpiewać, tańczyć, zatańczyć, gotować, ćwiczyć, poćwiczyć, krzyczeć,
        krzyknąć, śmiać, pracować, popracować, czekać, poczekać, pływać, popływać, biegać,
        myć, umyć, ubierać, ubrać, znikać, wychodzić, wyjść, odchodzić, odejść, przychodzić,
        chorować, palić, spalić, golić, ogolić, kąpać, wykąpać, kończyć, skończyć, zaczynać,
        zacząć, otwierać, otworzyć, zamykać, zamknąć, psuć, zepsuć, budzić, obudzić, męczyć,
        zmęczyć, nudzić, znudzić, rodzić, urodzić, uciekać, uciec
    """,
    # Verbs of both aspects.
    "biaspectual": """
        kazać, potrafić, pasować
    """,
    # Perfectives of a while, which go with *długo* (*poczytała*).
    "delimitatives": """
        pospać, popracować, popływać, pobiegać, pospacerować, poczekać, porozmawiać,
        ponarzekać, poplotkować, pomarzyć, pobawić, poćwiczyć, poszukać, posłuchać,
        przenocować, potrwać, powiać, pogniewać, pogłaskać, powąchać, pogratulować, posłużyć,
        odpocząć, zapłakać, wykąpać, zdrzemnąć
    """,
}
"""The words by their reason; they are written without marks, so of whatever use they are."""
