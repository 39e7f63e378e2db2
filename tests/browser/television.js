// What a big screen shows: shares are of its height or width; `cut` and `over` name what is not wholly to be seen.
() => {
  const PIECES = ".board-game :is(.grid, .dice-stack, .seat-card, .clock, .picture, .photo-finish, .podium-step, .podium-names)";
  const LETTERS = ".board-lines :is(.score-name, .score-points, .standing-name, .standing-points)";
  const ROOMS = ".board-head, .board-game, .board-side, .score-line, .standing, .seat-card, .grid-widget, .stacks-widget, "
    + ".clock, .picture, .podium";
  const slack = innerHeight / 150; // a letter is drawn a little higher than its line
  const all = (what) => [...document.querySelectorAll(what)].filter((each) => each.checkVisibility());
  const box = (each) => each.getBoundingClientRect();
  const name = (each) => `${each.className} ${each.textContent.trim().slice(0, 30)}`;
  const lines = (node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    return new Set([...range.getClientRects()].map((line) => Math.round(line.bottom))).size;
  };
  const hasText = (each) => [...each.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
  const isOver = ({ left, top, right, bottom }) => left < -1 || top < -1 || right > innerWidth + 1 || bottom > innerHeight + 1;
  const isCut = (each) => (
    each.scrollHeight > each.clientHeight + slack || each.scrollWidth > each.clientWidth + slack);
  const pieces = all(document.querySelector(".board.bare") ? ".score-line" : PIECES).map(box);
  return {
    down: (Math.max(...pieces.map((each) => each.bottom)) - Math.min(...pieces.map((each) => each.top))) / innerHeight,
    letters: Math.min(...all(LETTERS).map((each) => parseFloat(getComputedStyle(each).fontSize))) / innerHeight,
    headline: Math.max(...all(".board-head h2").map(lines)),
    broken: all(".score-name, .standing-name")
      .filter(({ lastChild }) => lines(lastChild) > lastChild.textContent.trim().split(/[\s-]+/).length).map(name),
    cut: all(ROOMS).filter(isCut).map(name),
    over: all(".board *").filter((each) => hasText(each) && !each.closest(".unseen") && isOver(box(each))).map(name),
    scrolls: document.documentElement.scrollHeight > innerHeight || document.documentElement.scrollWidth > innerWidth,
  };
}
