"""Lists from chats, address books, sheets in other languages and old files. Written before the reader was changed."""

WHATSAPP = """\
[18.09.25, 18:01:22] Anna: Wer kommt am Samstag?
[18.09.25, 18:02:10] Ben Ott: dabei
[18.09.25, 18:05:47] ~ Carla: ich auch 🎲
bringe Kuchen mit
[18.09.25, 18:07:03] Ben Ott: super
[18.09.25, 18:09:00] Dora: bin da
"""
VCARDS = """\
BEGIN:VCARD
VERSION:3.0
N:Weber;Anna;;;
FN:Anna Weber
TEL;TYPE=CELL:+49 151 1234
END:VCARD
BEGIN:VCARD
VERSION:2.1
N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;J=C3=B6rg;;;
TEL;CELL:+49 151 5678
END:VCARD
"""

OWN: dict[str, tuple[str | bytes, list[str]]] = {
    "a chat of Android": (
        "9/18/25, 6:01 PM - Messages and calls are end-to-end encrypted.\n9/18/25, 6:02 PM - Anna Lee: in!\n"
        "9/18/25, 6:03 PM - Ben: me too\n9/18/25, 6:04 PM - Ben: and hungry\n",
        ["Anna Lee", "Ben"],
    ),
    "a chat's question and what follows": (WHATSAPP, ["Ben Ott", "Carla", "Dora"]),
    "an address book": (VCARDS, ["Anna Weber", "Jörg Müller"]),
    "a table of a web page": (
        "<table><thead><tr><th>#</th><th>Player</th><th>Club</th></tr></thead><tbody><tr><td>1</td><td>Ann&nbsp;Lee"
        "</td><td>North</td></tr><tr><td>2</td><td><b>Zo&euml; Fox</b></td><td>South</td></tr></tbody></table>",
        ["Ann Lee", "Zoë Fox"],
    ),
    "objects of JSON": (
        '{"players": [{"id": 7, "name": "Ann Lee", "club": null}, {"id": 9, "name": "Ben Fox", "club": "North"}]}',
        ["Ann Lee", "Ben Fox"],
    ),
    "Markdown": (
        "1. [Ann Lee](https://example.org/ann)\n2. **Ben Fox**\n3. _Cleo Day_\n",
        ["Ann Lee", "Ben Fox", "Cleo Day"],
    ),
    "ranks that are tied": (
        "1 Ann Lee\n2 Ben Fox\n2 Cleo Day\n4 Dan Ray\n",
        ["Ann Lee", "Ben Fox", "Cleo Day", "Dan Ray"],
    ),
    "groups with their titles": (
        "Gruppe A\nAnn Lee\nBen Fox\n\nGruppe B\nCleo Day\nDan Ray\n",
        ["Ann Lee", "Ben Fox", "Cleo Day", "Dan Ray"],
    ),
    "teams of two in columns": (
        "Team;Spieler 1;Spieler 2\nRot;Anna;Ben\nBlau;Carla;David\n",
        ["Anna", "Ben", "Carla", "David"],
    ),
    "a Swedish sign-up": ("Anmälda deltagare:\n1) Åsa Lind\n2) Örjan Berg\n", ["Åsa Lind", "Örjan Berg"]),
    "Portuguese with a title": (
        "Lista de participantes\nJoão Conceição\nInês Simões\n",
        ["João Conceição", "Inês Simões"],
    ),
    "Turkish genitives": ("Oyuncuların listesi\nAyşe Öztürk\nÇağrı Şahin\n", ["Ayşe Öztürk", "Çağrı Şahin"]),
    "a Czech file of Windows": (
        "Jméno;Příjmení\r\nJiří;Dvořák\r\nZdeněk;Růžička\r\n".encode("cp1250"),
        ["Jiří Dvořák", "Zdeněk Růžička"],
    ),
    "a Greek file of Windows": (
        "Γιώργος Παπαδόπουλος\r\nΜαρία Αλεξίου\r\n".encode("cp1253"),
        ["Γιώργος Παπαδόπουλος", "Μαρία Αλεξίου"],
    ),
    "a Chinese file": ("姓名,俱乐部\r\n王伟,北京\r\n李娜,上海\r\n".encode("gb18030"), ["王伟", "李娜"]),
    "Mr and Mrs, last name in capitals": ("Herr WEBER Max\nFrau OTT Anna\n", ["Max WEBER", "Anna OTT"]),
    "keys and values": ("Name: Ann Lee\nClub: North\n\nName: Ben Fox\nClub: South\n", ["Ann Lee", "Ben Fox"]),
    "a column of ticks": ("Name;Fr;Sa\nAnn Lee;x;\nBen Fox;;x\nCleo Day;x;x\n", ["Ann Lee", "Ben Fox", "Cleo Day"]),
    "somebody who is called Guest": ("Guest\nMark\nAnna\n", ["Guest", "Mark", "Anna"]),
    "a total with its number": ("Ann Lee\nBen Fox\nGesamt: 2\n", ["Ann Lee", "Ben Fox"]),
}
KINDS: dict[str, tuple[str | bytes, list[str]]] = {
    "a letter's address in a table": (
        "Nr;Name;Mail\n1;Anna Weber;<anna@x.de>\n2;Ben Ott;<ben@x.de>\n",
        ["Anna Weber", "Ben Ott"],
    ),
    "addresses of Outlook": ("Weber, Anna <a@x.de>; Ott, Ben <b@x.de>", ["Anna Weber", "Ben Ott"]),
    "one address below": ("Anna Weber\nBen Ott\nFragen an <orga@x.de>\n", ["Anna Weber", "Ben Ott"]),
    "short last names": ("Wu, Li\nNg, Al\nBo, Ed\n", ["Li Wu", "Al Ng", "Ed Bo"]),
    "short names in columns": ("Jo;Li\nAl;Wu\n", ["Jo Li", "Al Wu"]),
    "somebody who is called Nick": ("Nick\nMark\nAnna\n", ["Nick", "Mark", "Anna"]),
    "somebody who is called Ime": ("Ime\nTarik\nAnna\n", ["Ime", "Tarik", "Anna"]),
    "somebody who is called Ort": ("Ort\nMark\nAnna\n", ["Ort", "Mark", "Anna"]),
    "somebody who is called Sum": ("Anna\nMark\nSum\n", ["Anna", "Mark", "Sum"]),
    "somebody who is called Gesamt": ("Anna\nMark\nGesamt\n", ["Anna", "Mark", "Gesamt"]),
    "a poll": ("Wer kommt?\n1. Anna ✅\n2. Ben ✅\n3. Carla\n4.\n5.\n", ["Anna", "Ben", "Carla"]),
    "an array of JSON": ('["Anna Weber", "Ben Ott"]', ["Anna Weber", "Ben Ott"]),
    "a list of a web page in one line": ("<ul><li>Anna Weber</li><li>Ben Ott</li></ul>", ["Anna Weber", "Ben Ott"]),
    "numbers with dashes": ("9 - Dora\n10 - Emil\n", ["Dora", "Emil"]),
    "a team's title between": (
        "Team: Adler\nAnna\nBen\nTeam: Bussard\nCarla\nDora\n",
        ["Anna", "Ben", "Carla", "Dora"],
    ),
    "teams without a heading": ("Red;Anna;Ben\nBlue;Carla;David\n", ["Anna", "Ben", "Carla", "David"]),
    "a Finnish genitive": ("Osallistujan nimi\nAino Korhonen\nEero Mäkinen\n", ["Aino Korhonen", "Eero Mäkinen"]),
    "a Polish genitive": ("Lista uczestników\nZofia Nowak\nJan Wójcik\n", ["Zofia Nowak", "Jan Wójcik"]),
    "a Hungarian genitive": ("Résztvevők névsora\nNagy Anna\nSzabó Péter\n", ["Nagy Anna", "Szabó Péter"]),
    "one heading for name and first name": ("Name Vorname\nWeber Anna\nOtt Ben\n", ["Anna Weber", "Ben Ott"]),
    "a Polish file of Windows": (
        "Łukasz Wójcik\r\nPaweł Kowalski\r\n".encode("cp1250"),
        ["Łukasz Wójcik", "Paweł Kowalski"],
    ),
    "an old Macintosh's letters": ("Jörg Müller\rÉlodie Léa\r".encode("mac_roman"), ["Jörg Müller", "Élodie Léa"]),
    "an address without its name between others": (
        "Anna Weber <anna@x.de>, ben@x.de, Carla <c@x.de>",
        ["Anna Weber", "ben@x.de", "Carla"],
    ),
    "tied ranks in a column": (
        "Pos\tPlayer\tClub\n1\tAnn Lee\tN\n2=\tBen Fox\tS\n2=\tCleo Day\tN\n",
        ["Ann Lee", "Ben Fox", "Cleo Day"],
    ),
    "numbers within groups": (
        "Group 1\n1. Ann Lee\n2. Ben Fox\nGroup 2\n1. Cleo Day\n2. Dan Ray\n",
        ["Ann Lee", "Ben Fox", "Cleo Day", "Dan Ray"],
    ),
    "groups in a line each": ("Team Rot: Anna, Ben\nTeam Blau: Cleo, Dan\n", ["Anna", "Ben", "Cleo", "Dan"]),
    "JSON in lines": ('{"name": "Ann"}\n{"name": "Ben"}\n', ["Ann", "Ben"]),
    "a list deep in JSON": ('{"data": {"players": ["Ann Lee", "Ben Fox"]}}', ["Ann Lee", "Ben Fox"]),
    "a list of Python": ("['Ann Lee', 'Ben Fox']", ["Ann Lee", "Ben Fox"]),
    "last and first name in one Polish heading": (
        "Nazwisko i imię;Klub\nNowak Zofia;A\nWójcik Jan;B\n",
        ["Zofia Nowak", "Jan Wójcik"],
    ),
    "a heading with a count": ("Registered players (12)\nAnn Lee\nBen Fox\n", ["Ann Lee", "Ben Fox"]),
    "a count below": ("Ann Lee\nBen Fox\n2 players\n", ["Ann Lee", "Ben Fox"]),
    "a chat of Telegram": (
        "Anna, [18.09.25 18:01]\ndabei\n\nBen Ott, [18.09.25 18:03]\nich auch\n",
        ["Anna", "Ben Ott"],
    ),
    "last names in capitals": ("MARTIN Élodie\nDE LA TOUR Jean\n", ["Élodie MARTIN", "Jean DE LA TOUR"]),
    "a compound heading": ("Deltagerliste\nSøren Kjær\nMette Holm\n", ["Søren Kjær", "Mette Holm"]),
    "answers behind a dash": ("Anna - dabei\nBen - vielleicht\nCleo - nein\n", ["Anna", "Ben"]),
    "answers behind a colon": ("Anna: yes\nBen: no\nCleo: yes\n", ["Anna", "Cleo"]),
    "a chat in which somebody says no": (
        "[18.09.25, 18:01] Anna: Wer kommt?\n[18.09.25, 18:02] Ben: nein\n[18.09.25, 18:03] Cleo: dabei\n",
        ["Cleo"],
    ),
    "numbered seats": ("Seat 1: Ann Lee\nSeat 2: Ben Fox\n", ["Ann Lee", "Ben Fox"]),
    "telephones": ("Anna Weber 0151 1234567\nBen Ott +49 171 7654\n", ["Anna Weber", "Ben Ott"]),
    "short names in capitals": ("MO;LI\nAL;WU\n", ["MO LI", "AL WU"]),
}
