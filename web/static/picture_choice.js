// Pictures to choose from: a number that is typed beside the prompt leaves the cards whose number begins with it, and Enter
// chooses the card that has it.

export function startPictureChoices(live) {
  const entered = new WeakMap(); // field → what stood in it when a picture was chosen

  const numberIn = (field) => field.value.replace(/\D/g, "").replace(/^0+/, "");
  const cardsOf = (field) => [...field.closest(".picture-choice").querySelectorAll("[data-number]")];

  function find(field) {
    const cards = cardsOf(field);
    cards.forEach((card) => { card.hidden = !card.dataset.number.startsWith(numberIn(field)); });
    const told = field.closest(".picture-choice").querySelector("[data-none]");
    told.textContent = cards.every((card) => card.hidden) ? told.dataset.none : "";
  }

  live.addEventListener("input", ({ target }) => { if (target.matches("[data-find]")) find(target); });

  live.addEventListener("keydown", (pressed) => {
    if (pressed.key !== "Enter" || !pressed.target.matches("[data-find]")) return;
    pressed.preventDefault();
    const card = cardsOf(pressed.target).find(({ dataset }) => dataset.number === numberIn(pressed.target));
    if (card && !pressed.repeat) card.querySelector("button")?.click();
  });

  live.addEventListener("click", ({ target }) => {
    const field = target.closest(".picture-tap")?.closest(".picture-choice")?.querySelector("[data-find]");
    if (field) entered.set(field, field.value);
  });

  // The page was drawn anew. Once the choice has counted, the next one begins with all cards; what was typed since stays.
  live.addEventListener("shown", ({ detail }) => {
    live.querySelectorAll("[data-find]").forEach((field) => {
      if (detail.grown && entered.has(field)) {
        const details = field.closest("details");
        if (details) details.open = false;
        if (entered.get(field) === field.value) field.value = "";
        entered.delete(field);
      }
      find(field);
    });
  });
}
