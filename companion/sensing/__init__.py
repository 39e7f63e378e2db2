"""From readings to a running game: proposals, questions and remarks; and what a table learns.

When a look becomes an event:

- Dice that the camera is sure of count at once, unless somebody entered the like (or what they rely on) after they came
  to rest, or they may only have been covered for a while. Every other kind of reading waits for a tap, unless the house
  wants otherwise.
- What is seen at a press is a question of its own: no later look replaces it, for what happens to a stack after
  its shout does not matter (MX-21). Nor does a later look replace what is `lasting`: a stack that fell has fallen
  (SAM-06). Both come back when a round that was closed by mistake is undone.
- A question knows the newest entry that it was asked at. Once something is entered that it relies on, it stays only if
  the same look still means the same: a move that is tapped in and confirmed is one move. A ruling changes nothing here.
- No camera looks again while nothing moves. So an entry by hand has the newest look asked about once more, if that look
  had only brought a remark, or a question about others' dice.
- At the box Confirm says yes and Undo sends the question away, before they mean anything else. A question that came
  less than half a second ago takes neither.

Where that is: `looks` takes what was seen at rest, `snapshots` what an event asked for. `meaning` asks the game what it
means, `asking` makes a question of it. `questions` says, as a frozen value, what waits and how that changes;
`open_questions` keeps it. `answers` enters what people say, `follow_up` hears each new entry. `remarks` tells what was
refused.

Who keeps or forgets pictures holds `Asking.turn`, taken before the lock of a table. No other lock of this room is held
while a disk is written or a game thinks.

What a table learns: where the house consents, dice that people correct are kept with their pictures (`lessons`).
`feedback` compares what an entry says now with what was read, and `strictness` turns that into how sure the reader must
be.

No OpenCV and no process: pictures are read in `vision`. No page.
"""
