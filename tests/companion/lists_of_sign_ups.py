"""Sign-ups, forms, plans and couples. Written before the reader was changed."""

SIGN_UPS: dict[str, tuple[str | bytes, list[str]]] = {
    "an export of Doodle": (
        "Umfrage „Spieleabend“\nhttps://doodle.com/poll/abc\n;November 2026;;\n;Fr 13;Sa 14;So 15\n"
        "Anna Weber;OK;;OK\nBen Ott;;OK;OK\nCarla Nagy;(OK);;\nAnzahl;2;1;2\n",
        ["Anna Weber", "Ben Ott", "Carla Nagy"],
    ),
    "a sheet of hours": (
        "10:00 Anna Weber\n11:00 Ben Ott\n12:00 -\n13:30 Carla Nagy\n",
        ["Anna Weber", "Ben Ott", "Carla Nagy"],
    ),
    "a table of hours": (
        "Uhrzeit;Name\n10:00–11:00;Anna Weber\n11:00–12:00;\n12:00–13:00;Ben Ott\n",
        ["Anna Weber", "Ben Ott"],
    ),
    "a form in French": (
        '"Horodateur","Quel est votre nom ?","Votre âge"\n"2026/11/01 10:03:11 AM UTC+1","Élodie Martin","31"\n'
        '"2026/11/02 9:00:00 AM UTC+1","Jean Dupont","8"\n',
        ["Élodie Martin", "Jean Dupont"],
    ),
    "a form in Spanish": (
        '"Marca temporal","¿Cómo te llamas?","¿Vienes solo?"\n"1/11/2026 10:03:11","Ana García","Sí"\n'
        '"2/11/2026 9:00:00","José Luis López","No"\n',
        ["Ana García", "José Luis López"],
    ),
    "a form in Polish": (
        "Sygnatura czasowa,Imię i nazwisko gracza,Klub\n2026-11-01 10:03:11,Zofia Nowak,Gdańsk\n"
        "2026-11-02 09:00:00,Jan Wójcik,Łódź\n",
        ["Zofia Nowak", "Jan Wójcik"],
    ),
    "a form in Dutch": (
        "Tijdstempel,Voor- en achternaam,Leeftijd\n1-11-2026 10:03:11,Jan van der Berg,31\n"
        "2-11-2026 9:00:00,Piet Vos,8\n",
        ["Jan van der Berg", "Piet Vos"],
    ),
    "telephones first": ("+49 151 2345678 Anna Weber\n0171 7654321 Ben Ott\n", ["Anna Weber", "Ben Ott"]),
    "a plan of tables": (
        "Tisch 1: Anna Weber, Ben Ott\nTisch 2: Carla Nagy und David Kraus\n",
        ["Anna Weber", "Ben Ott", "Carla Nagy", "David Kraus"],
    ),
    "a plan in columns": ("Tisch 1;Tisch 2\nAnna;Carla\nBen;David\n", ["Anna", "Carla", "Ben", "David"]),
    "clubs in brackets": (
        "Anna Weber (TSV Nord)\nBen Ott (SK Süd)\nCarla Nagy (TSV Nord)\nDora Kiss\n",
        ["Anna Weber", "Ben Ott", "Carla Nagy", "Dora Kiss"],
    ),
    "small letters": ("anna weber\nben ott\ncarla nagy\n", ["anna weber", "ben ott", "carla nagy"]),
    "small letters in a line": ("anna, ben und carla\n", ["anna", "ben", "carla"]),
    "capitals first": ("WEBER Anna\nVAN DEN BERG Jan\nOTT Ben\n", ["Anna WEBER", "Jan VAN DEN BERG", "Ben OTT"]),
    "initials": ("Weber, Anna M.\nOtt, Ben J.\nNagy, C. Dora\n", ["Anna M. Weber", "Ben J. Ott", "C. Dora Nagy"]),
    "couples": (
        "Anna und Ben Weber\nCarla Nagy\nDavid & Eva Kraus\n",
        ["Anna Weber", "Ben Weber", "Carla Nagy", "David Kraus", "Eva Kraus"],
    ),
    "a line with and": ("Ann, Ben und Cleo\n", ["Ann", "Ben", "Cleo"]),
    "a line with and of unknown names": ("Wuvo, Zyxa et Quort\n", ["Wuvo", "Zyxa", "Quort"]),
    "semicolons and and": ("Ann; Ben and Cleo\n", ["Ann", "Ben", "Cleo"]),
    "two lines with and": ("Ann, Ben and Cleo\nDan, Eva and Finn\n", ["Ann", "Ben", "Cleo", "Dan", "Eva", "Finn"]),
    "pairs": ("Ann & Ben\nCleo & Dan\nEva & Finn\n", ["Ann", "Ben", "Cleo", "Dan", "Eva", "Finn"]),
    "lines of other lengths": ("Ann, Ben\nCleo, Dan und Eva\nFinn\n", ["Ann", "Ben", "Cleo", "Dan", "Eva", "Finn"]),
    "crosses and ticks first": ("✅ Ann\n❌ Ben\n✅ Cleo\n", ["Ann", "Cleo"]),
    "empty boxes": ("[x] Ann\n[ ] Ben\n[x] Cleo\n", ["Ann", "Cleo"]),
    "boxes that are all empty": ("☐ Ann\n☐ Ben\n", ["Ann", "Ben"]),
    "answers first": ("Ja, Ann\n", ["Ann"]),
    "answers in a column": ("Ann;ja\nBen;nein\nCleo;ja\n", ["Ann", "Cleo"]),
    "two turned names with and": ("Weber, Anna und Ott, Ben\n", ["Anna Weber", "Ben Ott"]),
    "hours without minutes": ("10-12 Uhr Anna\n12-14 Uhr Ben\n", ["Anna", "Ben"]),
    "days": ("Montag: Anna, Ben\nDienstag: Carla\n", ["Anna", "Ben", "Carla"]),
    "a couple of one name": ("Mr and Mrs Smith\nAnn Lee\n", ["Mr and Mrs Smith", "Ann Lee"]),
    "last names with and": (
        "José Ortega y Gasset\nSantiago Ramón y Cajal\nAna Costa e Silva\n",
        ["José Ortega y Gasset", "Santiago Ramón y Cajal", "Ana Costa e Silva"],
    ),
}
